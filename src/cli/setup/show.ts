/** Checks as lines. */
import type { Check } from '../../setup/plugin-doctor.ts'
import type { Io } from '../io.ts'

const SIGN: Readonly<Record<Check['level'], string>> = { ok: 'ok', warn: 'warn', fail: 'FAIL' }

/** One line a check. */
export function showChecks(checks: readonly Check[], io: Pick<Io, 'out'>): void {
  for (const { level, name, detail } of checks) io.out(`  ${SIGN[level].padEnd(4)} ${name}: ${detail}\n`)
}
