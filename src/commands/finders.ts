/** Programs that print where another one lies: what they print may be run (`$(nvs which 20) x.js`, `$(npm bin)/eslint`). */
import { exact, textOf, type Value } from '../core/value.ts'
import type { Invocation } from './doing.ts'

/** The verb, and the program where it is always the same; else the word behind the verb names it. */
const FINDERS: Readonly<Record<string, readonly (readonly [verb: string, program?: string])[]>> = {
  nvs: [['which', 'node']],
  nvm: [['which', 'node']],
  fnm: [['which', 'node']],
  n: [
    ['bin', 'node'],
    ['which', 'node'],
  ],
  pyenv: [['which']],
  rbenv: [['which']],
  nodenv: [['which']],
  goenv: [['which']],
  asdf: [['which']],
  mise: [['which']],
  volta: [['which']],
  rustup: [['which']],
  xcrun: [['--find'], ['-f']],
  corepack: [['which']],
}

/** Where package managers keep the programs of a project. */
const BIN: Readonly<Record<string, string>> = {
  'npm bin': 'node_modules/.bin',
  'yarn bin': 'node_modules/.bin',
  'pnpm bin': 'node_modules/.bin',
}

/** What such a call prints; undefined for any other. */
export function printedBy(call: Invocation): Value | undefined {
  const words = call.args.map((arg) => textOf(arg.value))
  const bin = words.length === 1 ? BIN[`${call.base} ${words[0]}`] : undefined
  if (bin !== undefined) return call.cwd === undefined ? undefined : exact(`${call.cwd}/${bin}\n`)
  const rows = Object.hasOwn(FINDERS, call.base) ? FINDERS[call.base] : undefined
  const row = rows?.find(([word]) => words[0] === word)
  const name = row?.[1] ?? (words.length === 2 ? words[1] : undefined)
  if (row === undefined || name === undefined || !/^[\w.+-]+$/.test(name)) return undefined
  // Whichever version it is: the program of that name, wherever the finder keeps it.
  return exact(`${name}\n`)
}
