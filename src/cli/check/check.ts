/** `sallyport check`: one command, or a file of cases. Nothing is ever run. */
import { buildRecord } from '../../record/record.ts'
import { EXIT, type Io } from '../io.ts'
import { judgeCase } from './case.ts'
import { type CaseLine, type CaseRow, readCases, runCases } from './cases.ts'
import type { ReportFlags } from './reports.ts'
import { BadInput, type CheckFlags, directory, lineOf, prepare } from './subject.ts'
import { ticketLine } from './ticket.ts'

export interface CheckCommandFlags extends CheckFlags {
  readonly cases?: string
  readonly worlds?: string
  readonly reports?: string
  readonly face?: string
  readonly kind?: string
  readonly host?: string
  readonly json?: boolean
}

const CODES = { pass: 0, ask: 10, deny: 11 } as const

/** Runs the verb; returns its exit code: 0 pass, 10 ask, 11 deny; for a file of cases or reports 0 or 1. */
export function check(flags: CheckCommandFlags, words: readonly string[], io: Io): number | Promise<number> {
  try {
    misplaced(flags)
    if (flags.reports !== undefined) return checkReported({ ...flags, reports: flags.reports }, io)
    if (flags.cases !== undefined) return checkCases(flags.cases, flags, io)
    const command = lineOf(words)
    const { subject, world } = prepare(command, flags, io)
    const { verdict, policy, facts, spent } = judgeCase(subject, world)
    io.err(ticketLine(flags, io, 'check'))
    if (flags.json) {
      io.out(`${JSON.stringify(buildRecord({ verdict, policy, facts, call: command, ms: spent.ms, seed: command }))}\n`)
    } else {
      io.out(`${verdict.decision}${verdict.decision === 'pass' ? '' : `  ${verdict.rule}: ${verdict.reason}`}\n`)
      if (verdict.safer !== undefined && verdict.decision !== 'pass') io.out(`safer: ${verdict.safer}\n`)
      for (const error of policy.errors)
        io.err(`sallyport check: ${error.file}${error.line === undefined ? '' : `:${error.line}`}: ${error.message}\n`)
    }
    return CODES[verdict.decision]
  } catch (error) {
    return refused(error, io)
  }
}

/** Options that say nothing about a single command, nor about cases. */
const OF_REPORTS = ['face', 'kind', 'host'] as const

function misplaced(flags: CheckCommandFlags): void {
  const name = flags.reports === undefined ? OF_REPORTS.find((one) => flags[one] !== undefined) : undefined
  if (name !== undefined) throw new BadInput(`--${name} goes with --reports`)
}

function refused(error: unknown, io: Io): number {
  if (!(error instanceof BadInput)) throw error
  io.err(`sallyport check: ${error.message}\n`)
  return EXIT.usage
}

async function checkReported(flags: ReportFlags, io: Io): Promise<number> {
  const { checkReports } = await import('./reports.ts')
  return checkReports(flags, io).catch((error: unknown) => refused(error, io))
}

function checkCases(file: string, flags: CheckCommandFlags, io: Io): number {
  if (flags.worlds === undefined) throw new BadInput('--cases needs --worlds DIR, the directory of the frozen worlds')
  directory(io, flags.worlds)
  let rows: CaseRow[]
  try {
    rows = readCases(file)
  } catch (error) {
    const missing = error instanceof Error && 'code' in error
    throw new BadInput(
      missing ? `the case file ${file} cannot be read` : error instanceof Error ? error.message : String(error),
    )
  }
  const lines = runCases(rows, flags.worlds)
  if (flags.json) for (const line of lines) io.out(`${JSON.stringify(line)}\n`)
  else io.out(table(rows, lines))
  return lines.every((line) => line.verdict === line.expected) ? EXIT.ok : EXIT.problem
}

const DECISIONS = ['deny', 'ask', 'pass'] as const

/** Expected against given, then the misses by family. */
function table(rows: readonly CaseRow[], lines: readonly CaseLine[]): string {
  const out: string[] = ['expected    given deny   given ask  given pass       error']
  for (const expected of DECISIONS) {
    const of = lines.filter((line) => line.expected === expected)
    const cells = [...DECISIONS, 'error' as const].map((verdict) =>
      String(of.filter((line) => line.verdict === verdict).length).padStart(12),
    )
    out.push(expected.padEnd(10) + cells.join(''))
  }
  const misses = lines.flatMap((line, i) => (line.verdict === line.expected ? [] : [{ line, row: rows[i]! }]))
  const hit = lines.length - misses.length
  out.push('', `${hit} of ${lines.length} as expected`)
  const families = [...new Set(misses.map(({ row }) => row.family))].sort()
  for (const family of families) {
    out.push('', `${family}:`)
    for (const { line, row } of misses.filter((miss) => miss.row.family === family)) {
      const what = row.command === undefined ? 'a tool call' : JSON.stringify(row.command)
      out.push(
        `  ${line.id}  ${line.expected} but ${line.verdict}  ${what}${line.rule === 'none' && line.verdict !== 'error' ? '' : `  ${line.rule}: ${line.reason}`}`,
      )
    }
  }
  return `${out.join('\n')}\n`
}
