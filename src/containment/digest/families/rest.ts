/** Lines that a reader understood and need not show. What room is left shows them from the first on, as they came. */
import type { Item, Line } from '../family.ts'

/** Lines that are held by their places. */
const HELD = 1500
/** Below every item that says something. */
export const LAST = -300

export class Rest {
  readonly #lines: { readonly n: number; readonly from: number; readonly to: number }[] = []

  add({ n, from, to }: Line): void {
    if (this.#lines.length < HELD && to > from) this.#lines.push({ n, from, to })
  }

  /** In the order in which they came, without those that `shown` has; `last`: the weight of the first. */
  items(shown: ReadonlySet<number>, last = LAST): readonly Item[] {
    return this.#lines
      .filter(({ n }) => !shown.has(n))
      .map(({ n, from, to }, at) => ({
        kind: 'rare',
        span: { from: n, to: n },
        bytes: { from, to },
        weight: last - at / HELD,
      }))
  }
}
