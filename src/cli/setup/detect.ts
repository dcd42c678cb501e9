/** `ctx wrap detect`: every host that is known, whether it is here or not. */
import { PRICES, type Price } from '../../containment/ledger/prices.ts'
import type { HostId } from '../../core/call.ts'
import { HOSTS } from '../../hosts/registry.ts'
import { capabilitiesOf } from '../../hosts/versions.ts'
import { detect } from '../../setup/detect.ts'
import { KNOWN } from '../../setup/hosts.ts'
import { lastReceipt } from '../../setup/receipts.ts'
import { readRecord } from '../../setup/record.ts'
import { EXIT, type Io } from '../io.ts'
import { aboutOf, stateOf } from './places.ts'

/** Whose models a host uses of itself, by how their names begin. Hosts that take any model have none. */
const MODELS: Readonly<Partial<Record<HostId, string>>> = {
  claude: 'claude-',
  codex: 'gpt-',
  gemini: 'gemini-',
  antigravity: 'gemini-',
}

interface Row {
  readonly host: HostId
  readonly title: string
  readonly program: string | null
  readonly version: string | null
  readonly wired: readonly string[]
  readonly capabilities: Readonly<Record<string, string>>
  readonly receipt: { readonly version: string; readonly date: string } | null
  readonly prices: readonly Price[]
}

export function detectVerb({ json = false }: { readonly json?: boolean }, io: Io): number {
  const about = aboutOf(io)
  const state = stateOf(io)
  const rows = HOSTS.map((host): Row => {
    const known = KNOWN.find((one) => one.host === host)
    const found = known === undefined ? undefined : detect(known.row, about.at)
    const models = MODELS[host.id]
    return {
      host: host.id,
      title: host.title,
      program: found?.program ?? null,
      version: found?.version ?? null,
      wired: (readRecord(state, host.id)?.wired ?? []).map(({ scope, root }) => root ?? scope),
      capabilities: Object.fromEntries(
        Object.entries(capabilitiesOf(host, found?.version)).map(([key, { support }]) => [key, support]),
      ),
      receipt: lastReceipt(about.root, host.id) ?? null,
      prices: models === undefined ? [] : PRICES.filter(({ match }) => match.startsWith(models)),
    }
  })
  if (json) io.out(`${JSON.stringify({ v: 1, hosts: rows }, undefined, 2)}\n`)
  else for (const row of rows) io.out(linesOf(row))
  return EXIT.ok
}

function linesOf({ host, title, program, version, wired, capabilities, receipt, prices }: Row): string {
  const found = program === null ? 'not found' : `${version ?? 'unknown version'} at ${program}`
  const able = Object.entries(capabilities).map(([key, support]) => `${key} ${support}`)
  const lines = [
    `${host}: ${title}, ${found}; ${wired.length === 0 ? 'not wired' : `wired for ${wired.join(', ')}`}`,
    `  ${able.join(', ')}`,
    `  ${receipt === null ? 'contract only: not driven' : `driven: ${receipt.version} on ${receipt.date}`}`,
  ]
  const [first] = prices
  if (first !== undefined)
    lines.push(
      `  dollars per million tokens of input: ${prices.map(({ match, input }) => `${match} ${input}`).join(', ')} (${first.source}, ${first.date})`,
    )
  return `${lines.join('\n')}\n`
}
