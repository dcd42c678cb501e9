/** What each host shows of a long result by itself, as data. A cap that is too large would book savings that are none. */
import type { HostCap } from './row.ts'

interface CapRow {
  readonly host: string
  /** Whether the row is for commands that fail; hosts may show less of them. */
  readonly failed?: boolean
  /** Bytes up to which a result is shown whole. */
  readonly whole: number
  /** Bytes that are shown of a longer one. */
  readonly preview: number
  readonly kind: HostCap['kind']
  readonly source: string
}

/** The first row that fits holds. */
export const CAPS: readonly CapRow[] = [
  {
    host: 'claude',
    failed: true,
    whole: 10_000,
    preview: 10_000,
    kind: 'measured',
    source: 'receipt:claude/2.1.332.json, contain-allowed',
  },
  {
    host: 'claude',
    whole: 30_000,
    preview: 2_000,
    kind: 'assumed',
    source: 'https://github.com/anthropics/claude-code/issues/17944',
  },
  {
    host: 'codex',
    whole: 10_240,
    preview: 10_240,
    kind: 'assumed',
    source: 'https://github.com/openai/codex/issues/6544',
  },
]

/** For hosts of which nobody has told: the cap that most of them have, and no preview. */
const UNKNOWN: Omit<CapRow, 'host'> = { whole: 30_000, preview: 30_000, kind: 'assumed', source: 'none' }

/** What `host` would have shown at most of a result of `bytes` bytes. `exit`: that of the command, where there was one. */
export function hostCapOf(host: string, bytes: number, exit?: number): HostCap {
  const failed = exit !== undefined && exit !== 0
  const row = CAPS.find((one) => one.host === host && (one.failed ?? failed) === failed) ?? UNKNOWN
  return { bytes: bytes <= row.whole ? row.whole : row.preview, kind: row.kind }
}
