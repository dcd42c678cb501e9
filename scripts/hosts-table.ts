/**
 * The table of what each host enforces and the page of hosts, from the registry, the receipts and the rows of setup.
 * `node scripts/hosts-table.ts` writes them into the files that show them; `--print` prints the table.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import type { CapabilityKey, Host, Older, Support } from '../src/hosts/host.ts'
import { HOSTS } from '../src/hosts/registry.ts'
import { WIRE_ROWS } from '../src/setup/wire/rows.ts'
import { NOTES } from './hosts-notes.ts'

/** Files that show the table, between two comments. */
export const SHOWN_IN = ['README.md', 'docs/hosts.md'] as const
/** The page that is written whole. */
export const PAGE = 'docs/hosts.md'
const FROM = '<!-- hosts: written by scripts/hosts-table.ts -->'
const TO = '<!-- /hosts -->'

/** The columns: a word for each, and what it means to a person. */
const COLUMNS: Readonly<Record<CapabilityKey, readonly [head: string, meaning: string]>> = {
  'pre.deny': ['deny', 'a denied call does not run'],
  'pre.ask': ['ask', 'an ask becomes a question to a person'],
  print: ['print', 'an ask holds where nobody can answer (print mode)'],
  subagents: ['sub-agents', 'calls of sub-agents are judged'],
  mcp: ['MCP', 'calls of MCP tools are judged'],
  'fail.crash': ['crash', 'a hook that crashes stops the call'],
  'fail.timeout': ['hang', 'a hook that hangs stops the call'],
  'fail.garbage': ['garbage', 'an answer that cannot be read stops the call'],
  'pre.rewrite': ['replaced input', 'the call’s input can be replaced'],
  'rewrite.keepsPrompt': ['still asks', 'a replaced input still asks the person'],
  'post.replace': ['replaced output', 'the output that the model sees can be replaced'],
  'post.context': ['note', 'a note can be added after a run'],
}

/** What a receipt says of capabilities: key → the claims that came out. */
export interface Evidence {
  readonly host: string
  readonly version: string
  readonly date: string
  readonly file: string
  readonly claims: ReadonlyMap<string, ReadonlySet<Support>>
  readonly scenarios: number
}

/** Reads the receipts: one a host. */
export function evidence(): readonly Evidence[] {
  return globSync('receipts/*/*.json')
    .sort()
    .map((file) => {
      const receipt = JSON.parse(readFileSync(file, 'utf8'))
      const scenarios = receipt.scenarios as { claim: string; ok: boolean }[]
      const claims = new Map<string, Set<Support>>()
      for (const { claim, ok } of scenarios) {
        const match = /^(\S+) (yes|no|partial): /.exec(claim)
        if (!ok || match === null) continue
        const known = claims.get(match[1]!) ?? new Set()
        claims.set(match[1]!, known.add(match[2] as Support))
      }
      const { host, version, date } = receipt
      return { host, version, date, file: file.replaceAll('\\', '/'), claims, scenarios: scenarios.length }
    })
}

const newestOf = (host: Host, all: readonly Evidence[]): Evidence | undefined =>
  all
    .filter((one) => one.host === host.id)
    .sort((a, b) => a.date.localeCompare(b.date))
    .at(-1)

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The table in Markdown, one row a host. A star marks what a receipt shows. */
export function hostsTable(): string {
  const all = evidence()
  const keys = Object.keys(COLUMNS) as CapabilityKey[]
  const cell = (host: Host, seen: Evidence | undefined, key: CapabilityKey) => {
    const { support } = host.capabilities[key]
    return support !== 'unknown' && seen?.claims.has(key) ? `${support} *` : support
  }
  const rows = HOSTS.map((host) => {
    const seen = newestOf(host, all)
    const title = seen ? `${host.title} ${seen.version}` : `${host.title} (contract only)`
    return row([title, ...keys.map((key) => cell(host, seen, key))])
  })
  return [row(['', ...keys.map((key) => COLUMNS[key][0])]), row(['---', ...keys.map(() => '---')]), ...rows].join('\n')
}

/** The whole of `docs/hosts.md`. */
export function hostsPage(): string {
  const all = evidence()
  return [
    '# What each host enforces',
    '',
    '<!-- This page is written by scripts/hosts-table.ts: change the registry, the receipts or scripts/hosts-notes.ts. -->',
    '',
    'A guard is as strong as the host that asks it. A star marks what a [receipt](receipts.md) shows: the real host, driven offline against a',
    'scripted model, with our hook registered. The rest is what contracts and reports say. *Contract only* means that nothing of a host was driven.',
    '',
    FROM,
    hostsTable(),
    TO,
    '',
    ...Object.entries(COLUMNS).map(([key, [head, meaning]]) => `- *${head}* (\`${key}\`): ${meaning}`),
    '',
    'The names in brackets are those of doctor, `ctx wrap detect` and the receipts. *partial*: under the conditions that the host’s section names;',
    '*unknown*: no receipt and no source tells.',
    ...HOSTS.flatMap((host) => section(host, newestOf(host, all))),
    '',
  ].join('\n')
}

function section(host: Host, seen: Evidence | undefined): readonly string[] {
  const notes = NOTES[host.id]
  if (notes === undefined) throw new Error(`scripts/hosts-notes.ts says nothing of ${host.id}`)
  const wired = WIRE_ROWS.find((one) => one.host === host.id)
  const least = wired?.least ?? notes.least
  const uncovered = wired?.uncovered ?? notes.uncovered ?? []
  const places = (wired?.files ?? []).flatMap(({ settings }) =>
    Object.entries(settings).map(
      ([scope, { dir, file }]) => `\`${dir.replace('$config/', '~/.config/')}/${file}\` (${scope})`,
    ),
  )
  return [
    '',
    `## ${host.title}`,
    '',
    seen === undefined
      ? '*Contract only*: nothing here was driven.'
      : `Driven: version ${seen.version} on ${seen.date}, ${seen.scenarios} scenarios.`,
    `${notes.way}${least === undefined ? '' : ` Oldest version worth guarding: ${least}.`}`,
    ...(places.length > 0 ? [`\`sallyport setup --host ${host.id}\` writes ${places.join(' or ')}.`] : []),
    '',
    ...notes.notes.map((note) => `- ${note}`),
    ...(host.older ?? []).map(({ below, capabilities }) => `- Before ${below}: ${differences(capabilities)}.`),
    ...(uncovered.length > 0 ? ['', 'Not covered:', '', ...uncovered.map((one) => `- ${one}`)] : []),
  ]
}

/** What is otherwise in older versions. */
const differences = (capabilities: Older['capabilities']): string =>
  (Object.keys(COLUMNS) as CapabilityKey[])
    .flatMap((key) => {
      const support = capabilities[key]?.support
      return support === undefined ? [] : [`*${COLUMNS[key][0]}* ${support}`]
    })
    .join(', ')

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
  else {
    writeFileSync(PAGE, hostsPage())
    for (const file of SHOWN_IN) writeFileSync(file, withTable(readFileSync(file, 'utf8'), table))
  }
}
