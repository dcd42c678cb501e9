/** A real tokenizer (o200k), kept outside the repository: the product does without. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Counts tokens; undefined where the tokenizer cannot be had. */
export function tokenizer(place: string): ((text: string) => number) | undefined {
  if (!installed(place, 'gpt-tokenizer@4')) return undefined
  const { countTokens } = createRequire(join(place, 'x.js'))('gpt-tokenizer/encoding/o200k_base')
  return countTokens
}

/** Installs a package into a cache, unless it is there; what it would run then is left out: it may wait for the network. */
export function installed(place: string, what: string): boolean {
  const name = what.replace(/@[^@/]*$/, '')
  if (existsSync(join(place, 'node_modules', name))) return true
  mkdirSync(place, { recursive: true })
  spawnSync('npm', ['i', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', place, what], { stdio: 'ignore' })
  return existsSync(join(place, 'node_modules', name))
}
