/**
 * jest, 24 to 30, with its default and verbose reports. Each `●` block is a failure; a suite that did not run is one
 * too, named by its file.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { frame } from './js-frames.ts'
import { anyLine, Block, calls, type Mark, markOf, Report, Spare } from './report.ts'

const FILE = /^(?: (?=\S+ {1,2}\S+(?: \(|$)))?(PASS|FAIL) {1,2}(\S.*?)(?: \([\d.]+ m?s\))?$/u
/** The same with a name that only scripts have. */
const RAN = /^(?:PASS|FAIL) {1,2}\S+\.[cm]?[jt]sx?\b|^ (?:PASS|FAIL) {1,2}\S+\.[cm]?[jt]sx?(?: \(|$)/u
const BULLET = /^ {2}● +(\S.*)$/u
const SUITES = /^Test Suites: (?:(\d+) failed, )?.*\d+ total$/u
const TESTS = /^Tests: {7}(?:(\d+) failed, )?.*\d+ total$/u
const LISTED = /^\s+[✓✕○✎] /u
const NOT_RUN = 'Test suite failed to run'

interface Held {
  readonly block: Block
  readonly suite: boolean
  diff: boolean
}

class Jest implements Reader {
  readonly #report = new Report()
  #held: Held | undefined
  #file: { readonly mark: Mark; readonly path: string; told: boolean } | undefined
  readonly #crosses = new Spare()
  #suites: { n: number; failed: number } | undefined
  #tests: { n: number; failed: number } | undefined
  #files = 0
  #summary = false

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text === '') return true
    const c = text.charCodeAt(0)
    // In colours the word has a blank on each side.
    if (c !== 0x20 || FILE.test(text)) return this.#flush(line)
    const bullet = BULLET.exec(text)
    if (bullet !== null) return this.#bullet(line, bullet[1]!)
    if (this.#held !== undefined) {
      this.#inBlock(this.#held, text, n)
      return true
    }
    if (LISTED.test(text)) {
      if (text.trimStart().startsWith('✕')) this.#crosses.add(line, text.trim())
      return true
    }
    return false
  }

  /** A line without indent. */
  #flush(line: Line): boolean {
    const { text, n } = line
    const file = FILE.exec(text)
    if (file !== null) {
      this.#close()
      this.#files++
      this.#file = file[1] === 'FAIL' ? { mark: markOf(line), path: file[2]!, told: false } : undefined
      return true
    }
    const suites = SUITES.exec(text)
    if (suites !== null) {
      this.#close()
      this.#suites = { n, failed: Number(suites[1] ?? 0) }
      return true
    }
    const tests = TESTS.exec(text)
    if (tests !== null) {
      this.#tests = { n, failed: Number(tests[1] ?? 0) }
      return true
    }
    if (/^(?:Snapshots|Time): {2,}|^Ran all test suites/u.test(text)) return true
    if (text === 'Summary of all failing tests') {
      this.#close()
      this.#summary = true
      return true
    }
    // A threshold that is not met fails a run in which every test passed.
    if (/^Jest: /u.test(text)) {
      this.#close()
      this.#report.item('cause', n, n, 30)
      return true
    }
    if (/^No tests found/u.test(text)) {
      this.#report.item('cause', n, n, 30)
      this.#files++
      return true
    }
    if (
      /^(?: › |Snapshot Summary|A worker process has failed|Jest did not exit|Force exiting|Jest has detected)/u.test(
        text,
      )
    ) {
      this.#report.item('rare', n, n, 5)
      return true
    }
    if (this.#held === undefined) return false
    this.#inBlock(this.#held, text, n)
    return true
  }

  #bullet(line: Line, title: string): boolean {
    this.#close()
    if (title === 'Console') return true
    const file = this.#file
    const suite = title === NOT_RUN
    const report = this.#report
    const name = suite ? `suite ${file?.path ?? title}` : `${file?.path ?? ''} ${title}`
    // At the end of a long run all failures are told again.
    if (this.#summary && report.has(name)) return true
    // A file that could not be run hides what its tests would have said.
    if (suite) report.partial = true
    if (suite && file !== undefined) report.failure(file.mark, name)
    else {
      report.failure(markOf(line), name)
      if (file !== undefined && !file.told) report.item('detail', file.mark.n, file.mark.n, 5)
    }
    if (file !== undefined) file.told = true
    this.#held = { block: new Block(), suite, diff: false }
    return true
  }

  #inBlock(held: Held, text: string, n: number): void {
    const { block } = held
    if (/^\s+at /u.test(text)) {
      frame(block, text, n)
      return
    }
    // Frames of the source text, with the line in question among its neighbours.
    if (/^\s+>?\s*\d* \|/u.test(text)) return
    if (/^ {4}(?:Expected\b.*: |Received\b.*: )/u.test(text)) {
      if (text.startsWith('    Received') && block.said?.to === n - 1) block.say(n)
      else block.again(n)
    } else if (/^ {4}[-+] (?:Expected|Received|Snapshot) {2}[-+]/u.test(text)) {
      held.diff = true
      block.again(n)
    } else if (held.diff && /^ {4}[-+] /u.test(text)) {
      held.diff = block.said === undefined || n <= block.said.to + 1
      if (!held.diff) block.again(n)
      else block.say(n)
    } else if (/^ {4}(?:[A-Z]\w*Error: |Cause:)/u.test(text) && held.suite) block.again(n)
    else block.say(n)
  }

  #close(): void {
    if (this.#held !== undefined) this.#report.block(this.#held.block, this.#held.suite ? 20 : 0)
    this.#held = undefined
  }

  end(): Reading | undefined {
    this.#close()
    const report = this.#report
    const suites = this.#suites
    const tests = this.#tests
    if (suites === undefined && this.#files === 0) return undefined
    if (report.failures === 0) this.#crosses.tell(report)
    if (suites === undefined) {
      if (report.failures === 0 && this.#files < 2) return undefined
      report.partly('the output ends without the summary of jest: it is not complete')
    } else report.verdict(suites.n, tests?.n === suites.n + 1 ? tests.n : suites.n)
    const failed = (suites?.failed ?? 0) + (tests?.failed ?? 0) > 0
    return report.reading(suites === undefined ? undefined : failed, { head: 0, tail: suites === undefined ? 8 : 1 })
  }
}

export const jest: Family = {
  id: 'jest',
  detect: (probe: Probe) =>
    anyLine(probe, SUITES) ||
    (calls(probe, 'jest') && !/^[{[<]/u.test(probe.head[0]?.text ?? '')) ||
    (anyLine(probe, RAN) && probe.head.filter(({ text }) => RAN.test(text)).length > 1),
  reader: () => new Jest(),
}
