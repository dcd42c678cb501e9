/** The installation of the driven CLIs with the ordinary npm client. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Driver } from '../../src/cli/probe/rig/scenario.ts'
import { driveDirectory } from '../../src/cli/probe/rig/scratch.ts'

/**
 * Installs what is missing: the versions that the receipts are of, or the newest ones.
 * Throws when npm fails or brings no executable.
 */
export function install(drivers: readonly Driver[], newest: boolean): void {
  const directory = driveDirectory()
  const wanted = drivers.filter((driver) => newest || driver.program(directory) === undefined)
  if (wanted.length === 0) return
  mkdirSync(directory, { recursive: true })
  const manifest = join(directory, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}\n')
  // All drivers' packages at once: `npm install --no-save` removes what it was not told of.
  const names = drivers.map((driver) => `${driver.package}@${newest ? 'latest' : driver.version}`)
  const npm = join(dirname(process.execPath), 'npm')
  const args = ['install', '--no-save', '--no-audit', '--no-fund', ...names]
  const run = spawnSync(existsSync(npm) ? npm : 'npm', args, { cwd: directory, stdio: ['ignore', 2, 2] })
  if (run.status !== 0) throw new Error(`npm install ended with ${run.status ?? run.error?.message}`)
  for (const driver of wanted)
    if (driver.program(directory) === undefined) throw new Error(`${driver.host}: no executable for this platform`)
}

/** Version that an executable tells of itself. Throws when it tells none. */
export function versionOf(program: string): string {
  const command: [string, string[]] = program.endsWith('.js')
    ? [process.execPath, [program, '--version']]
    : [program, ['--version']]
  // A home of its own: some write there even to tell their version.
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(driveDirectory(), 'home') }
  const run = spawnSync(...command, { encoding: 'utf8', timeout: 30_000, env })
  const version = /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(run.stdout ?? '')?.[0]
  if (version === undefined) throw new Error(`${program} tells no version`)
  return version
}
