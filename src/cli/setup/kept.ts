/** What is left when no host is wired any more, told to the person who took the guard out. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { containmentState } from '../../containment/store/layout.ts'
import { runtimesIn } from '../../setup/runtime.ts'
import { quote } from '../../setup/wire/entries.ts'
import type { Io } from '../io.ts'
import { policyFile } from '../person/allow.ts'
import { LOCK } from './alone.ts'
import { homeOf, sourceOf } from './places.ts'

/** Can go: records of what was, and what is made anew. */
const SPARE: readonly (readonly [name: RegExp, what: string])[] = [
  [/^log(?:\.\d+\.jsonl|\.jsonl|\.lock)$/, 'log'],
  [/^(?:sessions|live|approvals|pause\.json)$/, 'sessions'],
  [/^(?:store|ledger\.jsonl)$/, 'captured output'],
  [/^redact\.key$/, 'key of its masks'],
  [/^digests\.jsonl$/, 'trust in digest profiles'],
  [/^(?:compile-cache|probes)$/, 'caches'],
]

/** Hold what exists nowhere else, where they hold anything: no command is given that removes them. */
const DEAR: ReadonlyMap<string, string> = new Map([
  ['snapshots', 'files that calls lost (sallyport undo list), which exist nowhere else'],
  ['managed', 'environments of managed agents and their credentials, which exist nowhere else'],
  ['backups', 'host settings as they were before setup, which exist nowhere else'],
  ['hosts', 'records of setup that cannot be read'],
])

/**
 * Lines that name every entry of the state directory, of the captures and of the program's copies, and the policy, and
 * how a person removes what can go. Nothing is removed unasked. Empty where nothing is left.
 */
export function keptLines(io: Io, state: string): string {
  // Store and ledger may have been led elsewhere; nothing else there is ours.
  const captures = containmentState(io.env, homeOf(io))
  const led = captures === state ? [] : namesIn(captures).filter((name) => /^(?:store|ledger\.jsonl)$/.test(name))
  const paths = [
    ...namesIn(state).flatMap((name) => (name === LOCK ? [] : [join(state, name)])),
    ...led.map((name) => join(captures, name)),
  ]
  const [spare, empty, stays, unknown]: [string[], string[], string[], string[]] = [[], [], [], []]
  for (const path of paths) {
    const dear = DEAR.get(basename(path))
    if (dear !== undefined && isEmpty(path)) empty.push(path)
    else if (dear !== undefined) stays.push(`stays: ${path}, ${dear}`)
    else if (kindOf(path) !== undefined) spare.push(path)
    else unknown.push(path)
  }
  const { to } = sourceOf(io)
  const copies = runtimesIn(to)
  unknown.push(...namesIn(to).flatMap((name) => (copies.includes(join(to, name)) ? [] : [join(to, name)])))
  const policy = policyFile(io)
  const policies = [policy, `${policy}.bak`].filter((path) => existsSync(path))
  const kinds = new Set(spare.map(kindOf))
  const named = [...new Set(SPARE.map(([, what]) => what))].filter((what) => kinds.has(what)).join(', ')
  const lines = [
    ...(spare.length > 0 ? [`what can go (${named}): rm -r ${spare.map(quote).join(' ')}`] : []),
    // Whatever has come there since, this cannot harm.
    ...(empty.length > 0 ? [`what is empty: rmdir ${empty.map(quote).join(' ')}`] : []),
    ...(unknown.length > 0
      ? [`stays: ${unknown.map(quote).join(' and ')}, not known to sallyport: look at each before you remove it`]
      : []),
    ...stays,
    // The others are gone by now.
    ...copies.map((dir) => `stays: ${dir}, a copy of this program that settings of a host still name`),
    ...(policies.length > 0 ? [`stays: ${policies.join(' and ')}, your policy`] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

const kindOf = (path: string): string | undefined => SPARE.find(([name]) => name.test(basename(path)))?.[1]

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).sort()
  } catch {
    return []
  }
}

/** False for what is no directory, or cannot be read. */
function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false
  }
}
