/**
 * The SDK in another version, and Node 22, installed by the ordinary npm client into a cache outside of the repository:
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

const NODE_22 = '22.23.3'
/** A package of npm that holds nothing but the program. */
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`

/** Node 22 as a user may have it; may be absent. */
export const node22 = (): string =>
  join(driveDirectory(), `node-${NODE_22}`, 'node_modules', NODE_PACKAGE, 'bin', 'node')

function install(directory: string, name: string, version: string): void {
  if (existsSync(join(directory, 'node_modules', name))) return
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"private":true}\n')
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`]
  const run = spawnSync('npm', args, { cwd: directory, stdio: ['ignore', 2, 2] })
  if (run.status === 0) return
  process.stderr.write(`sdk-install: npm ended with ${run.status ?? run.error?.message} for ${name}\n`)
  process.exitCode = 1
}

if (import.meta.main) {
  install(olderSdk(), '@google/genai', OLDER)
  install(join(driveDirectory(), `node-${NODE_22}`), NODE_PACKAGE, NODE_22)
}
