/** What the policy says about captures. */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Env } from '../../containment/store/types.ts'

export interface CaptureSettings {
  readonly seal?: boolean
  readonly maxBytes?: number
  readonly days?: number
  /** Tokens of a digest. */
  readonly digest?: number
}

/** The settings of the managed and the user's policy; a project's file has none. Most people have neither: nothing is read. */
export async function settingsOf(env: Env, home: string, cwd: string): Promise<CaptureSettings> {
  const given = env['XDG_CONFIG_HOME']
  const config = given !== undefined && isAbsolute(given) ? given : join(home, '.config')
  const files = ['/etc/sallyport/policy.jsonc', join(config, 'sallyport', 'policy.jsonc')]
  if (!files.some((file) => existsSync(file))) return {}
  const { readSettings } = await import('./run-policy.ts')
  return readSettings(env, home, cwd)
}
