/**
 * The table of what each host enforces, from the registry and the receipts. `node scripts/hosts-table.ts` writes it into
 * the files that show it; `--print` prints it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { CapabilityKey, Host, Support } from '../src/hosts/host.ts'
import { HOSTS } from '../src/hosts/registry.ts'

/** Files that show the table, between two comments. */
export const SHOWN_IN = ['README.md', 'docs/hosts.md'] as const
const FROM = '<!-- hosts: written by scripts/hosts-table.ts -->'
const TO = '<!-- /hosts -->'

/** What a key means to a person. */
const MEANING: Readonly<Record<CapabilityKey, string>> = {
  'pre.deny': 'a denied call does not run',
  'pre.ask': 'an ask becomes a question to a person',
  print: 'an ask holds where nobody can answer (print mode)',
  subagents: 'calls of sub-agents are judged',
  mcp: 'calls of MCP tools are judged',
  'fail.crash': 'a hook that crashes stops the call',
  'fail.timeout': 'a hook that hangs stops the call',
  'fail.garbage': 'an answer that cannot be read stops the call',
  'pre.rewrite': 'the call’s input can be replaced',
  'rewrite.keepsPrompt': 'a replaced input still asks the person',
  'post.replace': 'the output that the model sees can be replaced',
  'post.context': 'a note can be added after a run',
}

/** What a receipt says of capabilities: key → the claims that came out. */
export interface Evidence {
  readonly host: string
  readonly version: string
  readonly date: string
  readonly file: string
  readonly claims: ReadonlyMap<string, ReadonlySet<Support>>
}

/** Reads the receipts: one a host and version. */
export function evidence(): readonly Evidence[] {
  return readdirSync('receipts')
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const receipt = JSON.parse(readFileSync(`receipts/${name}`, 'utf8'))
      const claims = new Map<string, Set<Support>>()
      for (const { claim, ok } of receipt.scenarios as { claim: string; ok: boolean }[]) {
        const match = /^(\S+) (yes|no|partial): /.exec(claim)
        if (!ok || match === null) continue
        const known = claims.get(match[1]!) ?? new Set()
        claims.set(match[1]!, known.add(match[2] as Support))
      }
      return { host: receipt.host, version: receipt.version, date: receipt.date, file: `receipts/${name}`, claims }
    })
}

const newestOf = (host: Host, all: readonly Evidence[]): Evidence | undefined =>
  all
    .filter((one) => one.host === host.id)
    .sort((a, b) => a.date.localeCompare(b.date))
    .at(-1)

/** The table in Markdown. A star marks what a receipt shows. */
export function hostsTable(): string {
  const all = evidence()
  const found = HOSTS.map((host) => ({ host, seen: newestOf(host, all) }))
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const cell = (host: Host, seen: Evidence | undefined, key: CapabilityKey) => {
    const { support } = host.capabilities[key]
    return support !== 'unknown' && seen?.claims.has(key) ? `${support} *` : support
  }
  const rows = (Object.keys(MEANING) as CapabilityKey[]).map((key) =>
    line([MEANING[key], ...found.map(({ host, seen }) => cell(host, seen, key))]),
  )
  return [
    line(['', ...found.map(({ host, seen }) => (seen ? `${host.title} ${seen.version}` : host.title))]),
    line(['---', ...found.map(() => '---')]),
    ...rows,
    line([
      'rests on',
      ...found.map(({ seen }) => (seen ? `receipt of ${seen.date}, where marked *` : 'contract only: not driven')),
    ]),
  ].join('\n')
}

/** The text with the table put in place. Throws where the file has no place for it. */
export function withTable(text: string, table: string): string {
  const [from, to] = [text.indexOf(FROM), text.indexOf(TO)]
  if (from < 0 || to < from) throw new Error(`a file that shows the table needs ${FROM} and ${TO}`)
  return `${text.slice(0, from)}${FROM}\n${table}\n${text.slice(to)}`
}

/** The table as a file shows it; empty where it shows none. */
export function shownTable(text: string): string {
  const [from, to] = [text.indexOf(FROM), text.indexOf(TO)]
  return from < 0 ? '' : text.slice(from + FROM.length, to).trim()
}

if (import.meta.main) {
  const table = hostsTable()
  if (process.argv.includes('--print')) process.stdout.write(`${table}\n`)
  else for (const file of SHOWN_IN) writeFileSync(file, withTable(readFileSync(file, 'utf8'), table))
}
