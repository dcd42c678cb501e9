/**
 * Python's unittest, 2.7 to 3.13: the progress, then a report for each error and failure, then the counts. A module that
 * could not be imported is an error like the others, and comes first.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { anyLine, Block, calls, foreign, markOf, Report, Spare } from './report.ts'
import { counted } from './words.ts'

const HEADER = /^(ERROR|FAIL|UNEXPECTED SUCCESS): (\S.*)$/u
const RAN = /^Ran (\d+) tests? in [\d.]+s$/u
const RESULT = /^(OK|FAILED|NO TESTS RAN)(?: \(([\w =,]+)\))?$/u
const PROGRESS = /^[.EFsxu]+$/u
const VERBOSE = /(?:^|\.\.\. )(?:ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$|^\w+ \([\w.]+\)/u
const FRAME = /^ {2}File "([^"]+)", line \d+/u
const THROWN = /^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Failure|Timeout)?(?:: |$)/u

class Unittest implements Reader {
  readonly #report = new Report()
  #rule = false
  #block: { block: Block; imports: boolean; traced: boolean } | undefined
  #ran: { n: number; tests: number } | undefined
  #result: { n: number; said: string; detail: string } | undefined
  #running: number | undefined
  #crash: Block | undefined
  #seen = false
  /** Tests whose end was told on the way. */
  #told = 0
  readonly #crosses = new Spare()

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text === '') return true
    if (/^={70}$/u.test(text)) {
      this.#close()
      this.#rule = true
      return true
    }
    if (this.#rule) {
      const header = HEADER.exec(text)
      if (header !== null) return this.#header(line, header[2]!)
    }
    this.#rule = false
    const ran = RAN.exec(text)
    if (ran !== null) {
      this.#close()
      this.#ran = { n, tests: Number(ran[1]) }
      this.#report.verdict(n)
      return true
    }
    const result = this.#ran === undefined ? null : RESULT.exec(text)
    if (result !== null && n <= this.#ran!.n + 2) {
      this.#result = { n, said: result[1]!, detail: result[2] ?? '' }
      this.#report.verdict(this.#ran!.n, n)
      return true
    }
    if (/^-{70}$/u.test(text)) return true
    if (text.includes('Fatal Python error: ')) {
      this.#crash = new Block()
      this.#crash.say(n)
      return true
    }
    const frame = FRAME.exec(text)
    if (this.#crash !== undefined) {
      if (frame !== null && !foreign(frame[1]!) && this.#crash.places.length < 2) this.#crash.at(n)
      return frame !== null || text.startsWith('Current thread')
    }
    const held = this.#block
    if (held !== undefined) {
      if (text.startsWith('Traceback ')) held.traced = true
      else if (frame !== null) {
        if (!foreign(frame[1]!)) held.block.at(n)
      } else if (THROWN.test(text) && held.traced) held.block.again(n, text)
      else if (/^[-+] /u.test(text)) held.block.say(n)
      else if (/^(?:ImportError|SyntaxError)\b/u.test(text)) held.block.again(n)
      return true
    }
    if (PROGRESS.test(text)) {
      this.#told += text.length
      return true
    }
    if (VERBOSE.test(text)) {
      this.#seen ||= /^\w+ \([\w.]+\)/u.test(text)
      if (/ \.\.\. (?:ok|FAIL|ERROR)$/u.test(text)) this.#told++
      if (/^\w+ \([\w.]+\).* \.\.\. (?:FAIL|ERROR)$/u.test(text))
        this.#crosses.add(line, text.slice(0, text.lastIndexOf(' ... ')))
      this.#running = / \.\.\. $|^\w+ \([\w.]+\)$/u.test(text) ? n : undefined
      return true
    }
    return false
  }

  #header(line: Line, name: string): boolean {
    this.#rule = false
    // A file that could not be read stands for all of its tests.
    if (name.includes('_FailedTest')) this.#report.partial = true
    this.#report.failure(markOf(line), name)
    this.#block = { block: new Block(), imports: name.includes('unittest.loader.'), traced: false }
    return true
  }

  #close(): void {
    if (this.#block !== undefined) this.#report.block(this.#block.block, this.#block.imports ? 20 : 0)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#close()
    const report = this.#report
    const { tests } = this.#ran ?? { tests: 0 }
    const result = this.#result
    const begun = this.#seen && (this.#crash !== undefined || this.#told > 1)
    const dots = this.#told >= 20 && report.other <= report.parsed
    if (this.#ran === undefined && report.failures === 0 && !begun && !dots) return undefined
    if (this.#ran === undefined && report.failures === 0) this.#crosses.tell(report)
    if (this.#crash !== undefined) report.block(this.#crash, 40)
    if (result === undefined) {
      report.partly('the output ends without the result of unittest: it is not complete')
      if (this.#running !== undefined) report.item('cause', this.#running, this.#running, 30)
    }
    const count = (what: RegExp) => Number(what.exec(result?.detail ?? '')?.[1] ?? 0)
    const bad = count(/(?:^|[^\w ] ?)failures=(\d+)/u) + count(/errors=(\d+)/u) + count(/unexpected successes=(\d+)/u)
    if (report.failures < bad) report.partly(`${counted(bad, 'failure')}, ${report.failures} of them named`)
    const crossed = result === undefined && report.failures > 0
    const failed = result?.said === 'FAILED' || crossed ? true : result?.said === 'OK' && tests > 0 ? false : undefined
    return report.reading(failed, { head: 0, tail: result === undefined ? 6 : 1 })
  }
}

export const unittest: Family = {
  id: 'unittest',
  detect: (probe: Probe) => anyLine(probe, RAN) || calls(probe, 'unittest'),
  reader: () => new Unittest(),
}
