/** CTest: one line a test, then the share that passed and the list of those that failed. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { anyLine, Block, markOf, Report, Spare } from './report.ts'

const TEST = /^ *\d+\/\d+ Test +#\d+: (\S.*?) \.*(?: +(Passed)|(?:\*\*\*|Exception: )\s*(\S.*?)) +[\d.]+ sec$/u
const START = /^ +Start +\d+: /u
const SHARE = /^\d+% tests passed, (\d+) tests? failed out of (\d+)$/u
const LISTED = /^\s+\d+ - (\S.*) \((?:Failed|Timeout|SEGFAULT|Exception|.*)\)(?:\s+\S.*)?$/u
const FRAME =
  /^(?:Test project |UpdateCTestConfiguration|Constructing a list|Done constructing|Updating test list|Checking test|Total Test time|The following tests (?:FAILED|did not run):|Errors while running|Output from these|Use "--rerun|Label Time|Internal ctest)/u

class Ctest implements Reader {
  readonly #report = new Report()
  #block: Block | undefined
  #list = false
  readonly #failures = new Spare()
  #share: { failed: number; all: number } | undefined
  #tests = 0

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') return true
    const test = TEST.exec(text)
    if (test !== null) {
      this.#close()
      this.#tests++
      if (test[2] === undefined) {
        this.#failures.add(line, test[1]!)
        this.#block = new Block()
      }
      return true
    }
    if (START.test(text)) {
      this.#close()
      return true
    }
    const share = SHARE.exec(text)
    if (share !== null) {
      this.#close()
      this.#share = { failed: Number(share[1]), all: Number(share[2]) }
      this.#report.verdict(n)
      return true
    }
    if (FRAME.test(text)) {
      this.#list = text.startsWith('The following tests FAILED')
      return true
    }
    const listed = this.#list ? LISTED.exec(text) : null
    if (listed !== null) {
      this.#report.failure(markOf(line), listed[1]!)
      return true
    }
    // With its output on failure a test speaks below its line.
    this.#block?.say(n)
    return this.#block !== undefined
  }

  #close(): void {
    if (this.#block !== undefined) this.#report.block(this.#block)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#close()
    const report = this.#report
    const share = this.#share
    if (this.#tests === 0 && share === undefined) return undefined
    this.#failures.tell(report)
    if (share === undefined) report.partly('the output ends without the summary of CTest: it is not complete')
    const failed = share === undefined ? undefined : share.failed > 0 ? true : share.all > 0 ? false : undefined
    return report.reading(failed, { head: 0, tail: share === undefined ? 6 : 0 })
  }
}

export const ctest: Family = {
  id: 'ctest',
  detect: (probe: Probe) => anyLine(probe, SHARE) || anyLine(probe, TEST),
  reader: () => new Ctest(),
}
