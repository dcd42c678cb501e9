/** The environment variables of programs in a sandbox. */
import { type Credentials, type EnvValue, ManagedError } from '../contract.ts'
import { HOME, SEARCH_PATH, USER } from './layout.ts'
import { tooLong } from './limits.ts'

const BASE: Readonly<Record<string, string>> = {
  PATH: SEARCH_PATH,
  HOME,
  USER,
  LOGNAME: USER,
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  TMPDIR: '/tmp',
  // The system is read-only: what is installed goes into the home, and stays over reuse.
  NPM_CONFIG_PREFIX: `${HOME}/.local`,
  PIP_USER: '1',
  PIP_BREAK_SYSTEM_PACKAGES: '1',
}

type Values = Readonly<Record<string, EnvValue>>

/** Throws ManagedError 400 for what can be no variable, and for a credential that is unknown or of another type. */
export function checkEnv(env: Values, credentials: Pick<Credentials, 'placeholder'>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new ManagedError(400, 'invalid_request', `env: ${JSON.stringify(name)} can be no name of a variable`)
    if (typeof value === 'string' ? value.includes('\0') : typeof value?.credential !== 'string')
      throw new ManagedError(400, 'invalid_request', `env.${name} must be a text or {"credential": id}`)
  }
  const long = tooLong([], valuesOf(env, credentials, true))
  if (long !== undefined) throw new ManagedError(400, 'invalid_request', `env: ${long}`)
}

/** The texts that programs see. A credential that has gone since stands for nothing. */
export function valuesOf(
  env: Values,
  credentials: Pick<Credentials, 'placeholder'>,
  strict = false,
): Record<string, string> {
  const out: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    const text = typeof value === 'string' ? value : credentials.placeholder(value.credential)
    if (text !== undefined) out[name] = text
    else if (strict)
      throw new ManagedError(
        400,
        'invalid_request',
        `env.${name} names a credential that does not exist or is not of type environment_variable`,
      )
  }
  return out
}

/** Later ones win: what the runtime sets, the environment's own, those of one run. */
export const programEnv = (...parts: readonly Readonly<Record<string, string>>[]): Record<string, string> =>
  Object.assign({}, BASE, ...parts)
