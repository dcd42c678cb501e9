/** From the flags of `check` and `explain` to what is judged, and where. */
import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { Mode } from '../../core/call.ts'
import { answer } from '../../core/driver.ts'
import type { World } from '../../core/world.ts'
import { repoOf } from '../../paths/repo.ts'
import type { Profile } from '../../policy/policy.ts'
import { EMPTY_SESSION } from '../../session/session.ts'
import { quote } from '../../setup/wire/entries.ts'
import { diskWorld } from '../../world/disk.ts'
import { frozenWorld, parseFrozenWorld } from '../../world/frozen.ts'
import { whoseOf } from '../hook/person.ts'
import type { Io } from '../io.ts'
import { type Subject, subjectOfWorld } from './case.ts'

export interface CheckFlags {
  readonly cwd?: string
  readonly world?: string
  readonly mode?: 'interactive' | 'headless' | 'worker' | 'readonly'
  readonly ticket?: string
  readonly profile?: Profile
}

/** Bad input: one sentence for the person. */
export class BadInput extends Error {}

/** The line that the words of a person are: one word is a line by itself, several are a command and its arguments. */
export const lineOf = (words: readonly string[]): string =>
  words.length > 1 ? words.map(quote).join(' ') : (words[0] ?? '')

/** What is judged, and the world that answers. Throws `BadInput`. */
export function prepare(
  command: string,
  flags: CheckFlags,
  io: Io,
  verb = 'check',
): { subject: Subject; world: World } {
  if (command.trim() === '')
    throw new BadInput(`no command was given; put it behind --, as in: sallyport ${verb} -- 'rm -rf build'`)
  if (command.trim() === '-')
    throw new BadInput(
      `nothing is read from stdin; put the command itself behind --, as in: sallyport ${verb} -- 'rm -rf build'`,
    )
  const ticket = flags.ticket ?? io.env['AGB_WORKER_TICKET']
  if (flags.mode === 'worker' && !ticket) throw new BadInput('--mode worker needs --ticket ID')
  if (flags.mode !== 'worker' && flags.ticket !== undefined)
    throw new BadInput('--ticket ID goes with --mode worker; elsewhere the ticket is that of ADLC_TICKET')
  const mode: Mode | undefined =
    flags.mode === undefined
      ? undefined
      : flags.mode === 'worker'
        ? { is: 'worker', ticket: ticket! }
        : { is: flags.mode }
  const extra = {
    ...(mode === undefined ? {} : { mode, unattended: mode.is !== 'interactive' }),
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
  }
  if (flags.world !== undefined) {
    let text: string
    try {
      text = readFileSync(flags.world, 'utf8')
    } catch {
      throw new BadInput(`the world file ${flags.world} cannot be read`)
    }
    let file: ReturnType<typeof parseFrozenWorld>
    try {
      file = parseFrozenWorld(text, flags.world)
    } catch (error) {
      throw new BadInput(error instanceof Error ? error.message : String(error))
    }
    const base = subjectOfWorld(file, { command })
    return {
      subject: { ...base, ...extra, ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }) },
      world: frozenWorld(file),
    }
  }
  const cwd = directory(io, flags.cwd)
  const world = diskWorld({ env: io.env, cwd })
  const found = answer(repoOf(cwd), world, { ms: 1_000, start: world.now(), questions: 1_000 }).value
  return {
    subject: {
      command,
      cwd,
      workspaces: [typeof found === 'object' ? found.root : cwd],
      mode: { is: 'interactive' },
      unattended: false,
      session: EMPTY_SESSION,
      person: { ...whoseOf(io.env), user: userInfo().username, platform: platform() },
      ...extra,
    },
    world,
  }
}

/** This one, as far as the guard tells platforms apart. */
export function platform(): 'linux' | 'darwin' | 'win32' {
  return process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
}

/** The directory that a flag names. Throws where there is none. */
export function directory(io: Pick<Io, 'cwd'>, name: string | undefined): string {
  const path = resolve(io.cwd, name ?? '.')
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new BadInput(`there is no directory ${path}`)
  return path
}
