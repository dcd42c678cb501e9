/** What the last probe of a host on this machine found, kept for doctor, and what it tells beside the receipts. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostId } from '../core/call.ts'
import { isAfter } from '../hosts/versions.ts'
import type { Check } from './plugin-doctor.ts'
import type { ReceiptHead } from './receipts.ts'
import { writeWhole } from './tree.ts'
import type { WireRow } from './wire/row.ts'

/** One scenario of a probe. */
export interface ProbedFinding {
  readonly id: string
  /** Capability, support and what should come out. */
  readonly claim: string
  /** Absent: not tried. */
  readonly holds?: boolean
  /** The call ran. */
  readonly ran?: boolean
}

export interface Probed {
  readonly v: 1
  readonly host: HostId
  /** What the program said of itself. */
  readonly version: string
  /** When, as ISO 8601. */
  readonly at: string
  readonly findings: readonly ProbedFinding[]
}

const fileOf = (state: string, host: string): string => join(state, 'probes', `${host}.json`)

/** Keeps a probe in place of the one before. Throws where it cannot be written. */
export function writeProbed(state: string, probed: Probed): void {
  mkdirSync(join(state, 'probes'), { recursive: true, mode: 0o700 })
  writeWhole(fileOf(state, probed.host), `${JSON.stringify(probed, undefined, 2)}\n`, 0o600)
}

/** The last probe of a host; undefined where there is none that can be read. */
export function readProbed(state: string, host: string): Probed | undefined {
  try {
    const read = JSON.parse(readFileSync(fileOf(state, host), 'utf8')) as Partial<Probed>
    const { v, version, at, findings } = read
    const whole = v === 1 && read.host === host && typeof version === 'string' && typeof at === 'string'
    return whole && Array.isArray(findings) && findings.every(isFinding) ? (read as Probed) : undefined
  } catch {
    return undefined
  }
}

const isFinding = (one: unknown): boolean =>
  typeof (one as ProbedFinding | null)?.id === 'string' && typeof (one as ProbedFinding).claim === 'string'

const isSame = (a: string, b: string): boolean => a === b || (!isAfter(a, b) && !isAfter(b, a))

/** A version of a host against what is known: the range of its hooks, the receipts, and a probe here. One clause and its level. */
export function versionCheck(
  title: string,
  { host, least, leastOf }: Pick<WireRow, 'host' | 'least' | 'leastOf'>,
  now: string,
  receipt: ReceiptHead | undefined,
  probed: Probed | undefined,
): Check {
  const check = (level: Check['level'], detail: string): Check => ({ name: 'version', level, detail })
  if (least !== undefined && (leastOf?.test(now) ?? true) && isAfter(least, now))
    return check('fail', `${title} is ${now}, older than ${least}, from which on its hooks are known to hold`)
  if (receipt === undefined) return check('ok', `${title} is ${now}, no version of it was driven: contract only`)
  if (isSame(now, receipt.version)) return check('ok', `${title} is ${now}, driven: ${receipt.version}`)
  if (probed !== undefined && isSame(now, probed.version))
    return check('ok', `${title} is ${now}, driven: ${receipt.version}, and probed here on ${probed.at.slice(0, 10)}`)
  const side = isAfter(now, receipt.version) ? 'newer' : 'older'
  return check(
    'warn',
    `${title} is ${now}, ${side} than the one version that receipts cover (${receipt.version}): it may enforce other things; sallyport probe ${host} tries them`,
  )
}

/** The last probe against the table; undefined where there is none. `now`: the version that is here. */
export function probeCheck(title: string, host: HostId, now: string, probed: Probed | undefined): Check | undefined {
  if (probed === undefined) return undefined
  const check = (level: Check['level'], detail: string): Check => ({ name: 'probe', level, detail })
  const day = probed.at.slice(0, 10)
  if (!isSame(now, probed.version))
    return check(
      'warn',
      `the last probe, on ${day}, was of ${title} ${probed.version}; sallyport probe ${host} tries ${now}`,
    )
  const tried = probed.findings.filter(({ holds }) => holds !== undefined)
  const differs = tried.filter(({ holds }) => holds === false)
  if (differs.length === 0)
    return check('ok', `probed on ${day}: ${tried.length} of ${tried.length} scenarios came out as the table says`)
  const told = differs.map(({ id, claim }) => `${id} (the table says: ${claim})`).join('; ')
  return check(
    differs.some(isHole) ? 'fail' : 'warn',
    `probed on ${day}: ${title} ${now} differs from the table in ${differs.length} of ${tried.length} scenarios: ${told}`,
  )
}

/** A call ran that was refused, or asked about where nobody could answer. */
const isHole = ({ id, ran }: ProbedFinding): boolean =>
  ran === true && (/(?:^|-)(?:deny|ask)(?:-|$)/.test(id) || id === 'two-hooks')
