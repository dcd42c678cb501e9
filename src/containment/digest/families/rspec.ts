/** RSpec 3: the reports of the failures, the counts, and the list of failed examples. Files that did not load come first. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { anyLine, Block, calls, markOf, Report, Spare } from './report.ts'

const COUNTS =
  /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$/u
const FAILED = /^rspec (\S+?)(?:\[[\d:]+\])?(?: # (.*))?$/u
const NUMBERED = /^ {2}(\d+)(?:\.\d+)?\) (\S.*)$/u
const LOADING = /^An error occurred (?:while loading|in) (.+?)\.?(?: - Did you mean\?)?$/u
const PLACE = /^ *# (\.{0,2}\/[^\s:]+|[^\s:]+\.rb):\d+/u
const THROWN =
  /^ *(?:[A-Z]\w*(?:::\w+)*(?:Error|Exception|NotFound|Failure|Timeout|Interrupt)\w*|[A-Z]\w*(?:::[A-Z]\w*)+):$/u

class Rspec implements Reader {
  readonly #report = new Report()
  #section: 'start' | 'failures' | 'pending' | 'list' = 'start'
  #block: { block: Block; loading: boolean; told: boolean } | undefined
  readonly #headers = new Spare()
  #counts: { failures: number; errors: number; examples: number } | undefined
  /** Examples whose end was told on the way, one by one. */
  #told = 0
  #begun = false
  readonly #crosses = new Spare()

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') return true
    if (/^(?:Failures|Pending: .*|Failed examples|Randomized with seed|Finished in )/u.test(text)) {
      const section = text.startsWith('Failures:')
        ? 'failures'
        : text.startsWith('Pending:')
          ? 'pending'
          : text.startsWith('Failed examples')
            ? 'list'
            : 'start'
      if (section !== 'start' || !text.startsWith('Failures')) {
        this.#close()
        this.#section = section
        return true
      }
    }
    const counts = COUNTS.exec(text)
    if (counts !== null) {
      this.#close()
      this.#counts = { examples: Number(counts[1]), failures: Number(counts[2]), errors: Number(counts[4] ?? 0) }
      this.#report.verdict(n)
      return true
    }
    const loading = LOADING.exec(text)
    if (loading !== null) {
      this.#close()
      this.#report.failure(markOf(line), `loading ${loading[1]}`)
      this.#block = { block: new Block(), loading: true, told: false }
      return true
    }
    if (this.#section === 'list') {
      const failed = FAILED.exec(text)
      if (failed === null) return false
      this.#report.failure(markOf(line), failed[2] ?? failed[1]!)
      return true
    }
    const numbered = this.#section === 'failures' ? NUMBERED.exec(text) : null
    if (numbered !== null) {
      this.#close()
      this.#headers.add(line, numbered[2]!)
      this.#block = { block: new Block(), loading: false, told: false }
      return true
    }
    if (this.#block !== undefined) {
      this.#inBlock(this.#block, text, n)
      return true
    }
    if (this.#section === 'pending') return true
    return this.#onTheWay(line)
  }

  #onTheWay(line: Line): boolean {
    const { text } = line
    if (/^[.F*]+$/u.test(text)) {
      this.#told += text.length
      return true
    }
    const cross = /^ *(\S.*) \(FAILED - \d+\)$/u.exec(text)
    if (cross !== null) {
      this.#begun = true
      this.#crosses.add(line, cross[1]!)
      return true
    }
    if (/^Run options:/u.test(text)) this.#begun = true
    return /^No examples found|^Run options:|^All examples were filtered/u.test(text)
  }

  #inBlock(held: { block: Block; told: boolean }, text: string, n: number): void {
    const { block } = held
    const place = PLACE.exec(text)
    if (place !== null) {
      if (/^\.{0,2}\/?[^/]/u.test(place[1]!) && !/^\/(?:usr|opt|var)|\/gems\//u.test(place[1]!)) block.at(n)
      return
    }
    if (/^ *#/u.test(text)) return
    if (THROWN.test(text) || /^ {7}(?:expected|Expected)\b/u.test(text)) {
      if (!held.told) block.again(n)
      held.told = true
    } else if (held.told || block.said === undefined) block.say(n)
  }

  #close(): void {
    if (this.#block !== undefined) this.#report.block(this.#block.block, this.#block.loading ? 20 : 0)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#close()
    const counts = this.#counts
    const report = this.#report
    const dots = this.#told >= 20 && report.other <= report.parsed
    if (counts === undefined && this.#headers.size === 0 && !this.#begun && !dots) return undefined
    const listed = report.failures
    if (listed === 0 || listed < (counts?.failures ?? 0)) this.#headers.tell(report)
    if (counts === undefined && report.failures === 0) this.#crosses.tell(report)
    if (counts === undefined) report.partly('the output ends without the counts of RSpec: it is not complete')
    const bad = (counts?.failures ?? 0) + (counts?.errors ?? 0)
    if ((counts?.errors ?? 0) > 0) report.partial = true
    const crossed = counts === undefined && report.failures > 0
    const failed = bad > 0 || crossed ? true : counts !== undefined && counts.examples > 0 ? false : undefined
    return report.reading(failed, { head: 0, tail: counts === undefined ? 6 : 1 })
  }
}

export const rspec: Family = {
  id: 'rspec',
  detect: (probe: Probe) => anyLine(probe, COUNTS) || anyLine(probe, /^Failed examples:$/u) || calls(probe, 'rspec'),
  reader: () => new Rspec(),
}
