/**
 * mocha, 6 to 11: reports that end with the counts and the numbered failures (spec, dot, min, list, nyan, progress). The
 * counts are the verdict, each numbered report a failure.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { frame, THROWN } from './js-frames.ts'
import { anyLine, Block, calls, markOf, Report, Spare } from './report.ts'
import { counted } from './words.ts'

const PASSING = /^ {2}(\d+) passing(?: \([\d.]+ ?m?[sh]?\))?$/u
const PENDING = /^ {2}\d+ pending$/u
const FAILING = /^ {2}(\d+) failing$/u
const NUMBERED = /^ {2}(\d+)\) (.*)$/u
const LISTED = /^ +(?:[✓✔√-] |\d+\) )\S|^ {2}[.!,]+$/u
const RUN = /^ ?(?:✖ ERROR: | ?Exception during run: )(.*)$/u

class Mocha implements Reader {
  readonly #report = new Report()
  #ended = false
  #failing: number | undefined
  #seen = 0
  #block: Block | undefined
  #titles: string[] | undefined
  #diff = false
  #run: Block | undefined
  #listed = 0
  readonly #crosses = new Spare()

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') return true
    const run = RUN.exec(text)
    if (run !== null && this.#run === undefined && !this.#ended) {
      this.#run = new Block()
      this.#run.say(n)
      return true
    }
    if (this.#run !== undefined) {
      if (!frame(this.#run, text, n) && THROWN.test(text)) this.#run.again(n)
      return true
    }
    if (text.startsWith('  ')) {
      if (PASSING.test(text)) {
        this.#ended = true
        this.#report.verdict(n)
        return true
      }
      if (this.#ended && this.#failing === undefined) {
        const failing = FAILING.exec(text)
        if (failing !== null) this.#failing = Number(failing[1])
        if (failing !== null || PENDING.test(text)) {
          this.#report.item('total', n, n, failing === null ? 0 : 9)
          return true
        }
      }
    }
    if (this.#failing === undefined) {
      if (!LISTED.test(text)) return false
      this.#listed += /^ {2}[.!,]+$/u.test(text) ? text.length - 2 : 1
      const cross = /^ +\d+\) (\S.*)$/u.exec(text)
      if (cross !== null) this.#crosses.add(line, cross[1]!)
      return true
    }
    const numbered = this.#titles === undefined ? NUMBERED.exec(text) : null
    if (numbered !== null && Number(numbered[1]) === this.#seen + 1) {
      this.#close()
      this.#seen++
      this.#block = new Block()
      this.#diff = false
      this.#titles = [numbered[2]!]
      this.#title(line, numbered[2]!)
      return true
    }
    if (this.#titles !== undefined) {
      this.#titles.push(text.trim())
      this.#title(line, text)
      return true
    }
    this.#inBlock(text, n)
    return true
  }

  /** Titles of the suites and of the test stand one a line; the last ends with a colon. */
  #title(line: Line, text: string): void {
    const titles = this.#titles!
    if (!text.endsWith(':') && titles.length < 40) return
    this.#report.failure(markOf(line), titles.join(' › '))
    this.#titles = undefined
  }

  #inBlock(text: string, n: number): void {
    const block = this.#block
    if (block === undefined || frame(block, text, n)) return
    if (/^ {6}\+ expected - actual$/u.test(text)) {
      this.#diff = true
      return
    }
    if (this.#diff ? /^ {6}[-+]/u.test(text) : block.said === undefined)
      block.say(n, THROWN.test(text.trimStart()) ? text : undefined)
    else if (!this.#diff && /\S !== \S/u.test(text) && block.said !== undefined) block.again(n)
  }

  #close(): void {
    if (this.#block !== undefined) this.#report.block(this.#block)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#close()
    const report = this.#report
    if (this.#run !== undefined) {
      report.block(this.#run, 30)
      report.partial = true
    } else if (!this.#ended) {
      // Titles of suites are nobody's, and there are fewer of them than of tests.
      if (this.#listed < 2 || report.other > report.parsed) return undefined
      this.#crosses.tell(report)
      report.partly('the output ends without the counts of mocha: it is not complete')
      return report.reading(report.failures > 0 ? true : undefined, { head: 0, tail: 6 })
    }
    const failing = this.#failing ?? 0
    if (report.failures < failing) report.partly(`${counted(failing, 'failure')}, ${report.failures} of them named`)
    const failed = failing > 0 || this.#run !== undefined
    return report.reading(failed, { head: 0, tail: this.#run === undefined ? 0 : 4 })
  }
}

export const mocha: Family = {
  id: 'mocha',
  detect: (probe: Probe) =>
    anyLine(probe, PASSING) ||
    ((calls(probe, 'mocha', '_mocha') || anyLine(probe, RUN)) &&
      !/^(?:TAP version|[{[<]|1\.\.\d)/u.test(probe.head[0]?.text ?? '')),
  reader: () => new Mocha(),
}
