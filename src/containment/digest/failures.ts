/** What failures are called, so that one that is told twice counts once. */

/** The name in a line that tells of a failure: without the mark in front, and without times and rates behind. */
export function failureName(text: string): string {
  return text
    .replace(/^\s*(?:FAIL(?:ED|URE)?:?|ERROR:?|not ok \d+(?: -)?|[✗✖✘×⨯●]|--- FAIL:|----|\d+\))\s+/u, '')
    .replace(
      /(?:\s*(?:\.\.\.|-|:)?\s*\b(?:FAILED|FAIL|ERROR)\s*)?(?:\[\s*\d+%\]|\(?[\d.]+ ?m?s\)?|stdout ----)?\s*$/u,
      '',
    )
    .trim()
}

/** Names longer than this are compared within each other. */
const TELLING = 6
/** More names than these are only compared as a whole. */
const FEW = 300

export class FailureNames {
  readonly #names = new Set<string>()

  add(name: string): void {
    this.#names.add(name)
  }

  /** `exact`: the name is what the tool calls it, and no line that holds it. */
  has(name: string, exact: boolean): boolean {
    if (this.#names.has(name)) return true
    if (exact || this.#names.size > FEW) return false
    for (const known of this.#names) if (isTail(known, name) || isTail(name, known)) return true
    return false
  }
}

/** Whether `shorter` ends `longer`, or all but a remark behind it: `a.test.ts > sums`, `a.py::test_b - assert 1 == 2`. */
function isTail(longer: string, shorter: string): boolean {
  if (shorter.length < TELLING || shorter.length >= longer.length) return false
  const at = longer.indexOf(shorter)
  if (at < 0 || (at > 0 && /[\p{L}\p{N}_]/u.test(longer[at - 1]!))) return false
  const behind = longer.slice(at + shorter.length)
  return behind === '' || /^(?: - |: | \()/.test(behind)
}
