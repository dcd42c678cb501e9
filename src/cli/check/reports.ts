/** `sallyport check --reports`: replays cases from public reports. A line a case, then a table by face. */
import { dirname, join, resolve } from 'node:path'
import { EXIT, type Io } from '../io.ts'
import { type Outcome, replayHost } from './reports-guard.ts'
import { type Face, type ReportRow, readReports } from './reports-read.ts'
import { BadInput, directory } from './subject.ts'

export interface ReportFlags {
  readonly reports: string
  readonly face?: string
  readonly kind?: string
  readonly host?: string
  readonly worlds?: string
  readonly json?: boolean
}

export interface ReportLine {
  readonly id: string
  readonly face: Face
  /** null: a part that the row needs is not built. */
  readonly ok: boolean | null
  readonly expected: unknown
  readonly got: unknown
  readonly why_not?: string
}

const FACES: readonly Face[] = ['guard', 'containment', 'hooks']
const KINDS: readonly string[] = ['lint', 'host', 'egress', 'sandbox']

/** Runs the replay. Exit code: 0, 1 where a row misses; throws `BadInput` where a row or a flag is wrong. */
export async function checkReports(flags: ReportFlags, io: Io): Promise<number> {
  const file = resolve(io.cwd, flags.reports)
  const rows = chosen(read(file), flags)
  const worlds = flags.worlds === undefined ? join(dirname(file), 'worlds') : directory(io, flags.worlds)
  const lines: ReportLine[] = []
  for (const row of rows) {
    const line = await replay(row, worlds)
    lines.push(line)
    io.out(`${JSON.stringify(line)}\n`)
  }
  if (!flags.json) io.out(table(rows, lines))
  return lines.some(({ ok }) => ok === false) ? EXIT.problem : EXIT.ok
}

/** Replays one row. What breaks is a miss. */
export async function replay(row: ReportRow, worlds: string): Promise<ReportLine> {
  const base = { id: row.id, face: row.face, expected: row.expect }
  let outcome: Outcome
  try {
    outcome = await outcomeOf(row, worlds)
  } catch (error) {
    outcome = { got: null, misses: [error instanceof Error ? error.message : String(error)] }
  }
  if ('notRun' in outcome) return { ...base, ok: null, got: null, why_not: outcome.notRun }
  const { got, misses } = outcome
  return { ...base, ok: misses.length === 0, got, ...(misses.length === 0 ? {} : { why_not: misses.join('; ') }) }
}

async function outcomeOf(row: ReportRow, worlds: string): Promise<Outcome> {
  if (row.face === 'containment') {
    const { replayOutput } = await import('./reports-containment.ts')
    return replayOutput(row)
  }
  if (row.face === 'guard' || row.kind === 'host') return replayHost(row, worlds)
  if (row.kind === 'lint') {
    const { replayLint } = await import('./reports-lint.ts')
    return replayLint(row)
  }
  if (row.kind === 'egress') {
    const { replayEgress } = await import('./reports-egress.ts')
    return replayEgress(row)
  }
  const { replaySandbox } = await import('./reports-sandbox.ts')
  return replaySandbox(row)
}

function read(file: string): readonly ReportRow[] {
  try {
    const rows = readReports(file)
    if (rows.length > 0) return rows
  } catch (error) {
    const missing = error instanceof Error && 'code' in error
    throw new BadInput(
      missing ? `the file ${file} cannot be read` : error instanceof Error ? error.message : String(error),
    )
  }
  throw new BadInput(`the file ${file} holds no rows`)
}

/** Rows that the flags name; all where there is none. */
function chosen(rows: readonly ReportRow[], { face, kind, host }: ReportFlags): readonly ReportRow[] {
  const faces = listOf('--face', face, FACES)
  const kinds = listOf('--kind', kind, KINDS)
  const hosts = host?.split(',').map((one) => one.trim())
  return rows.filter(
    (row) =>
      (faces === undefined || faces.includes(row.face)) &&
      (kinds === undefined || ('kind' in row && kinds.includes(row.kind))) &&
      (hosts === undefined || ('host' in row && row.host !== undefined && hosts.includes(row.host))),
  )
}

function listOf(flag: string, given: string | undefined, known: readonly string[]): readonly string[] | undefined {
  const list = given?.split(',').map((one) => one.trim())
  const strange = list?.find((one) => !known.includes(one))
  if (strange !== undefined) throw new BadInput(`${flag} ${JSON.stringify(strange)} is none of ${known.join(', ')}`)
  return list
}

const VERDICTS = ['deny', 'ask', 'pass'] as const

/** By face, expected verdicts against given ones where there are any, then the misses and what was not run. */
function table(rows: readonly ReportRow[], lines: readonly ReportLine[]): string {
  const out = ['', 'face          rows   right    miss  not run']
  for (const face of FACES) {
    const of = lines.filter((line) => line.face === face)
    if (of.length === 0) continue
    const cells = [of.length, ...[true, false, null].map((ok) => of.filter((line) => line.ok === ok).length)]
    out.push(face.padEnd(12) + cells.map((cell, i) => String(cell).padStart(i === 0 ? 6 : 8)).join(''))
  }
  const judged = lines.filter(({ ok, expected }) => ok !== null && verdictOf(expected) !== undefined)
  if (judged.length > 0) {
    out.push('', 'expected    given deny   given ask  given pass        none')
    for (const expected of VERDICTS) {
      const of = judged.filter((line) => verdictOf(line.expected) === expected)
      const cells = [...VERDICTS, undefined].map((given) => of.filter((line) => verdictOf(line.got) === given).length)
      out.push(expected.padEnd(10) + cells.map((cell) => String(cell).padStart(12)).join(''))
    }
  }
  for (const [title, ok] of [
    ['missed', false],
    ['not run', null],
  ] as const) {
    const of = lines.flatMap((line, i) => (line.ok === ok ? [{ line, row: rows[i]! }] : []))
    if (of.length > 0) out.push('', `${title}:`)
    for (const { line, row } of of) out.push(`  ${line.id}  ${line.why_not}  (${row.source})`)
  }
  return `${out.join('\n')}\n`
}

const verdictOf = (value: unknown): string | undefined => {
  const verdict = (value as { verdict?: unknown } | null)?.verdict
  return typeof verdict === 'string' ? verdict : undefined
}
