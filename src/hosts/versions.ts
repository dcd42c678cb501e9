/** What a host enforces in the version that is there. */
import type { Capability, CapabilityKey, Host } from './host.ts'

/**
 * The capabilities of a host in `version`. Where the version is not known it is taken for a current one, which is what the
 * table describes.
 */
export function capabilitiesOf(host: Host, version: string | undefined): Readonly<Record<CapabilityKey, Capability>> {
  const older = (version === undefined ? [] : (host.older ?? [])).filter(({ below }) => isAfter(below, version!))
  // The oldest says the most.
  const fromNew = [...older].sort((a, b) => (isAfter(a.below, b.below) ? -1 : 1))
  return Object.assign({}, host.capabilities, ...fromNew.map(({ capabilities }) => capabilities))
}

/** Whether version `a` comes after `b`; by numbers, what stands behind them does not count. */
export function isAfter(a: string, b: string): boolean {
  const [left, right] = [numbersOf(a), numbersOf(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

const numbersOf = (version: string): readonly number[] =>
  (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number)
