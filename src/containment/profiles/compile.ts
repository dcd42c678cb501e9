/** From a profile to a family that digests read with. */
import type { Family, Item, Line, Probe, Reader, Reading } from '../digest/family.ts'
import type { Count, Keep, Profile } from './profile.ts'

/** Items of one output; further lines are understood and not listed, so that memory stays small. */
const MOST_ITEMS = 4_000

/** A family, and the tokens that its digests take where nobody says. */
export interface UserFamily extends Family {
  readonly budget?: number
}

/** The family of a profile. Each line is counted once, as understood or as other. */
export function familyOf(profile: Profile): UserFamily {
  return {
    id: `user-${profile.id}`,
    ...(profile.budget.tokens === undefined ? {} : { budget: profile.budget.tokens }),
    detect: (probe) => detects(profile, probe),
    reader: () => new ProfileReader(profile),
  }
}

function detects({ detect: { commands, lines } }: Profile, { commands: ran, head, tail }: Probe): boolean {
  const begins = ([program, ...words]: readonly string[]) =>
    ran.some((one) => one.program === program && words.every((word, i) => one.args[i] === word))
  return commands.some(begins) || lines.some((line) => [...head, ...tail].some(({ text }) => line.test(text)))
}

/** A block of lines that a `keep` began. */
interface Open {
  readonly keep: Keep
  readonly first: Line
  readonly name: string | undefined
  last: number
}

class ProfileReader implements Reader {
  readonly #profile: Profile
  readonly #items: Item[] = []
  readonly #counts = new Map<Count, number>()
  readonly #folded: ({ readonly first: number; times: number } | undefined)[] = []
  #parsed = 0
  #other = 0
  #failed: boolean | undefined
  #open: Open | undefined

  constructor(profile: Profile) {
    this.#profile = profile
  }

  line(line: Line): void {
    const { text } = line
    const { count, failed, passed } = this.#profile
    for (const one of count) this.#add(one, text)
    if (failed.some((one) => one.test(text))) this.#failed = true
    else if (this.#failed !== true && passed.some((one) => one.test(text))) this.#failed = false
    if (this.#goesOn(line) || this.#begins(line) || this.#folds(line) || count.some((one) => one.line.test(text)))
      this.#parsed++
    else this.#other++
  }

  #add(count: Count, text: string): void {
    const groups = count.line.groups(text)
    if (groups === undefined) return
    const given = count.sum === undefined ? 1 : Number((groups[count.sum] ?? '').replaceAll(',', ''))
    const sum = (this.#counts.get(count) ?? 0) + (Number.isFinite(given) ? given : 0)
    this.#counts.set(count, sum)
  }

  /** Whether the line belongs to the block that is open. */
  #goesOn(line: Line): boolean {
    const open = this.#open
    if (open === undefined) return false
    const { keep, first } = open
    const full = line.n - first.n >= keep.lines
    // A line that begins a block of its own ends the one before it.
    if (full || keep.until?.test(line.text) || this.#profile.keep.some((one) => one.line.test(line.text))) {
      this.#close()
      return false
    }
    open.last = line.n
    return true
  }

  #begins(line: Line): boolean {
    const keep = this.#profile.keep.find((one) => one.line.test(line.text))
    if (keep === undefined) return false
    const { name } = keep
    const groups = name === undefined ? undefined : keep.line.groups(line.text)
    const called = name?.replace(/\$([0-9])/g, (_, digit: string) => groups?.[Number(digit)] ?? '')
    this.#open = { keep, first: line, name: called, last: line.n }
    if (keep.lines === 1) this.#close()
    return true
  }

  #close(): void {
    const open = this.#open
    this.#open = undefined
    if (open === undefined || this.#items.length >= MOST_ITEMS) return
    const { keep, first, name, last } = open
    const { weight, as: kind } = keep
    const more = weight === 0 ? {} : { weight }
    if (kind !== 'failure') {
      this.#items.push({ kind, span: { from: first.n, to: last }, ...more })
      return
    }
    this.#items.push({ kind, span: { from: first.n, to: first.n }, ...more, ...(name ? { name } : {}) })
    if (last > first.n) this.#items.push({ kind: 'detail', span: { from: first.n + 1, to: last }, ...more })
  }

  #folds({ text, n }: Line): boolean {
    const at = this.#profile.fold.findIndex((one) => one.line.test(text))
    if (at === -1) return false
    const known = this.#folded[at]
    if (known === undefined) this.#folded[at] = { first: n, times: 1 }
    else known.times++
    return true
  }

  end(): Reading | undefined {
    this.#close()
    if (this.#parsed === 0) return undefined
    const { budget, count, fold } = this.#profile
    const facts = count.map((one) => `${this.#counts.get(one) ?? 0} ${one.as}`)
    const items = [...this.#items]
    for (const [i, folded] of this.#folded.entries()) {
      if (folded === undefined) continue
      const { as } = fold[i]!
      if (as !== undefined) facts.push(`${folded.times} ${as} folded`)
      items.push({ kind: 'example', span: { from: folded.first, to: folded.first }, times: folded.times })
    }
    const { head, tail } = budget
    return {
      parsed: this.#parsed,
      other: this.#other,
      ...(this.#failed === undefined ? {} : { failed: this.#failed }),
      facts,
      items,
      ...(head === undefined && tail === undefined ? {} : { ends: { head: head ?? 0, tail: tail ?? 0 } }),
    }
  }
}
