/**
 * vitest, 1 to 4, with its default, verbose and dot reports. Each ` FAIL ` header is a failure, suites that did not run
 * and errors that no test caught among them.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { frame, THROWN } from './js-frames.ts'
import { anyLine, Block, markOf, Report, Spare } from './report.ts'

const BANNER = /^ (?:RUN|DEV) {2}v\d/u
const RULE = /^⎯+(?: (.+?) ⎯+|\[\d+\/\d+\]⎯)?$/u
const FAIL = /^ (?:FAIL|ERROR) {2}(\S.*)$/u
const FILES = /^ {1,2}Test Files {2}(.*)$/u
const TESTS = /^ +Tests {2}(.*)$/u
const LISTED = /^ *(?:[✓↓×❯·-]|□) \S/u

class Vitest implements Reader {
  readonly #report = new Report()
  #block: Block | undefined
  #suites = false
  #unhandled = false
  readonly #crosses = new Spare()
  #seen = false
  #ended = false
  #files = 0
  #failed = false

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text === '') return true
    if (BANNER.test(text)) {
      this.#seen = true
      return true
    }
    const rule = text.startsWith('⎯') ? RULE.exec(text) : null
    if (rule !== null) return this.#rule(line, rule[1])
    const fail = text.startsWith(' FAIL') || text.startsWith(' ERROR') ? FAIL.exec(text) : null
    if (fail !== null) {
      const name = fail[1]!
      const one = this.#block
      // Several headers stand over one error.
      if (one === undefined || one.said !== undefined) {
        this.#close()
        this.#block = new Block()
      }
      this.#report.failure(markOf(line), name)
      return true
    }
    if (this.#summary(text, n)) return true
    if (this.#block !== undefined) {
      this.#inBlock(this.#block, line)
      return true
    }
    if (LISTED.test(text)) {
      if (/^ +× /u.test(text)) this.#crosses.add(line, text.trim())
      return true
    }
    if (/^No test files found/u.test(text)) {
      this.#report.item('cause', n, n, 30)
      return true
    }
    return /^ {5}→ |^ {3}(?:Start at|Duration) {2}/u.test(text)
  }

  #rule(line: Line, title: string | undefined): boolean {
    this.#close()
    if (title === undefined) return true
    this.#suites = title.startsWith('Failed Suites')
    // A file that could not be run hides what its tests would have said.
    if (this.#suites) this.#report.partial = true
    if (/^Unhandled Errors?$/u.test(title)) this.#unhandled = true
    else if (this.#unhandled) {
      this.#block = new Block()
      this.#report.failure(markOf(line), `${title} ${line.n}`, 0, 0, title)
    }
    this.#seen = true
    return true
  }

  #summary(text: string, n: number): boolean {
    if (text.charCodeAt(0) !== 0x20) return false
    if (FILES.test(text)) {
      this.#close()
      this.#ended = true
      this.#failed ||= /\bfailed\b/u.test(text)
      this.#files = n
      this.#report.verdict(n)
      return true
    }
    if (this.#ended && TESTS.test(text)) {
      this.#failed ||= /\bfailed\b/u.test(text)
      if (n === this.#files + 1) this.#report.verdict(this.#files, n)
      return true
    }
    if (this.#ended && /^ +Errors {2}\d+ errors?$/u.test(text)) {
      this.#failed = true
      this.#report.item('total', n, n, 5)
      return true
    }
    return false
  }

  #inBlock(block: Block, { text, n }: Line): void {
    if (frame(block, text, n)) return
    if (/^\s+\d*\|/u.test(text) || /^ +\d+ +\| /u.test(text)) return
    if (THROWN.test(text) || /^Caused by: /u.test(text)) {
      if (block.said === undefined) block.say(n, text)
      return
    }
    if (block.said === undefined || /^[-+] (?!Expected|Received)|^\S.*: ERROR: /u.test(text)) block.say(n)
  }

  #close(): void {
    if (this.#block !== undefined)
      this.#report.block(this.#block, this.#suites ? 20 : this.#unhandled && this.#block.said !== undefined ? 10 : 0)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#close()
    if (!this.#seen && !this.#ended) return undefined
    const report = this.#report
    if (report.failures === 0) this.#crosses.tell(report)
    if (!this.#ended && report.failures === 0 && report.other > report.parsed) return undefined
    if (!this.#ended) report.partly('the output ends without the summary of vitest: it is not complete')
    return report.reading(this.#ended ? this.#failed : undefined, { head: 0, tail: this.#ended ? 1 : 8 })
  }
}

export const vitest: Family = {
  id: 'vitest',
  detect: (probe: Probe) => anyLine(probe, BANNER) || anyLine(probe, /^ Test Files {2}\d/u),
  reader: () => new Vitest(),
}
