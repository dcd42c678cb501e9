/** Replays a tool call of a report in a sandbox of its own, against local upstreams whose log is the judge. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AllowEntry, Environments, ToolOutcome } from '../../managed/contract.ts'
import { createCredentials } from '../../managed/credentials/credentials.ts'
import { startLab } from '../../managed/egress/lab.ts'
import { openEnvironments } from '../../managed/sandbox/environments.ts'
import type { Outcome } from './reports-guard.ts'
import type { SandboxRow } from './reports-read.ts'

const CLOCK = {
  now: () => Date.now(),
  after(ms: number, then: () => void) {
    const timer = setTimeout(then, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** Runs the row's tool with scratch state that is removed afterwards. Not run where no sandbox can be made. */
export async function replaySandbox(row: SandboxRow): Promise<Outcome> {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-report-'))
  const home = join(dir, 'home')
  const before = process.env['HOME']
  try {
    for (const [path, content] of Object.entries(row.home ?? {})) {
      const file = join(home, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
    if (row.home !== undefined) process.env['HOME'] = home
    return await replayIn(row, dir, home)
  } finally {
    if (before === undefined) delete process.env['HOME']
    else process.env['HOME'] = before
    rmSync(dir, { recursive: true, force: true })
  }
}

async function replayIn(row: SandboxRow, dir: string, home: string): Promise<Outcome> {
  const credentials = createCredentials({
    dir: join(dir, 'credentials'),
    clock: CLOCK,
    request: async () => ({ ok: false, why: 'No token endpoint.', refused: false, timedOut: false }),
  })
  if (row.credential !== undefined) await credentials.create(row.credential)
  const allowlist = row.allow?.map((entry): AllowEntry => (typeof entry === 'string' ? { domain: entry } : entry))
  const domains = (allowlist ?? []).map(({ domain }) => domain).filter((domain) => !domain.includes('*'))
  const lab = await startLab({
    hosts: [...new Set(domains)].flatMap((domain) => [`${domain}:443`, `${domain}:80`]),
    secrets: credentials,
  })
  let environments: Environments | undefined
  try {
    try {
      environments = await openEnvironments({
        state: join(dir, 'state'),
        egress: lab.egress,
        credentials,
        clock: CLOCK,
        report: () => {},
      })
    } catch (error) {
      return { notRun: error instanceof Error ? error.message : String(error) }
    }
    const network = allowlist === undefined ? {} : { network: { allowlist } }
    const { id } = await environments.create({ sources: row.sources, ...network })
    const args = JSON.parse(JSON.stringify(row.args).replaceAll('{home}', JSON.stringify(home).slice(1, -1)))
    const outcome = await environments.tool(id, row.tool, args, new AbortController().signal)
    return {
      got: { ...outcome, upstream_saw: lab.seen.length > 0 },
      misses: missesOf(row, outcome, lab.seen.length > 0),
    }
  } finally {
    await environments?.close()
    await lab.close()
  }
}

function missesOf({ expect }: SandboxRow, { output, isError }: ToolOutcome, saw: boolean): string[] {
  const misses: string[] = []
  for (const word of expect.output_has ?? [])
    if (!output.includes(word)) misses.push(`the output lacks ${JSON.stringify(word)}`)
  for (const word of expect.output_lacks ?? [])
    if (output.includes(word)) misses.push(`the output holds ${JSON.stringify(word)}`)
  if (expect.is_error !== undefined && expect.is_error !== isError) misses.push(`is_error is ${isError}`)
  if (expect.upstream_saw !== undefined && expect.upstream_saw !== saw)
    misses.push(saw ? 'a request reached an upstream' : 'no request reached an upstream')
  return misses
}
