/**
 * The SDK in another version, installed by the ordinary npm client into a cache outside of the repository:
 * `node test/managed/sdk-install.ts`. Tests that find none are listed as not run.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { driveDirectory } from '../../src/cli/probe/rig/scratch.ts'

/** The newest version that runs on Node 20. */
export const OLDER = '2.32.0'

/** Where it lies; its `node_modules` may be absent. */
export const olderSdk = (): string => join(driveDirectory(), `genai-${OLDER}`)

if (import.meta.main) {
  const directory = olderSdk()
  if (!existsSync(join(directory, 'node_modules', '@google', 'genai'))) {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'package.json'), '{"private":true}\n')
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', `@google/genai@${OLDER}`]
    const run = spawnSync('npm', args, { cwd: directory, stdio: ['ignore', 2, 2] })
    if (run.status !== 0) {
      process.stderr.write(`sdk-install: npm ended with ${run.status ?? run.error?.message}\n`)
      process.exitCode = 1
    }
  }
}
