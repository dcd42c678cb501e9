/** PHPUnit, 8 to 12, with its default and testdox reports: numbered errors and failures by section, then the counts. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { anyLine, Block, markOf, Report } from './report.ts'

const SECTION = /^There (?:was|were) \d+ (.+?)(?: tests?| errors?| failures?)?:$/u
const NUMBERED = /^(\d+)\) (\S.*)$/u
const COUNTS = /^Tests: (\d+), Assertions: \d+(?:, [\w ]+: \d+)*\.$/u
const OK = /^OK \((\d+) tests?, \d+ assertions?\)$/u
const WORD = /^(?:ERRORS!|FAILURES!|WARNINGS!|OK, but .*|No tests executed!)$/u
const PLACE = /^(?: *│ )?(\/?\S+\.php):\d+$/u
const CROSS = /^ ✘ (\S.*?)(?: \[[\d.]+ ms\])?$/u
const FATAL = /^(?:PHP )?(?:Fatal error|Parse error): /u

class Phpunit implements Reader {
  readonly #report = new Report()
  #bad = false
  #block: Block | undefined
  #subject = ''
  #word: number | undefined
  #counts: { failed: boolean; tests: number } | undefined
  #banner = false
  #fatal = false
  /** Tests whose end was told on the way. */
  #told = 0

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '' || text === '--') return true
    if (/^PHPUnit \d+\.\d+/u.test(text)) {
      this.#banner = true
      return true
    }
    if (FATAL.test(text)) {
      if (!this.#fatal) this.#report.item('cause', n, n, 30)
      this.#fatal = true
      return true
    }
    const section = text.startsWith('There ') ? SECTION.test(text) : false
    if (section) {
      this.#close()
      this.#bad = / (?:errors?|failures?|PHPUnit errors?|test runner errors?):$/u.test(text)
      return true
    }
    if (WORD.test(text)) {
      this.#close()
      this.#word = n
      if (text.startsWith('No tests')) this.#report.verdict(n)
      return true
    }
    const ok = OK.exec(text)
    const counts = ok === null ? COUNTS.exec(text) : null
    if (ok !== null || counts !== null) {
      this.#close()
      this.#counts = {
        tests: Number((ok ?? counts)![1]),
        failed: counts !== null && /(?:Errors|Failures): [1-9]/u.test(text),
      }
      this.#report.verdict(this.#word !== undefined && n === this.#word + 1 ? this.#word : n, n)
      return true
    }
    const numbered = NUMBERED.exec(text)
    if (numbered !== null) {
      this.#close()
      if (this.#bad) {
        this.#report.failure(markOf(line), numbered[2]!)
        this.#block = new Block()
      }
      return true
    }
    const cross = CROSS.exec(text)
    if (cross !== null) {
      this.#close()
      this.#report.failure(markOf(line), `${this.#subject} ${cross[1]}`)
      this.#block = new Block()
      return true
    }
    if (/^ [✔↩☢∅⚠] /u.test(text)) {
      this.#told++
      this.#close()
      return true
    }
    if (
      /^(?:Time: |Runtime: |Configuration: |Random Seed: |Summary of |[.FEWRISDNP]+(?: +\d+ \/ \d+ \( *\d+%\))?$)/u.test(
        text,
      )
    ) {
      if (/^[.FEWRISDNP]+(?: |$)/u.test(text)) this.#told += text.length
      this.#close()
      return true
    }
    const block = this.#block
    if (block !== undefined) {
      const place = PLACE.exec(text)
      if (place !== null) {
        if (!/\/vendor\/|^\/usr\//u.test(place[1]!)) block.at(n)
      } else if (!/^ *│ *$/u.test(text) && block.places.length === 0) block.say(n)
      if (/^\S/u.test(text) && place === null && block.places.length > 0) {
        this.#close()
        this.#subject = text
      }
      return true
    }
    // Testdox names the class above its tests.
    if (/^[A-Z]\S*(?: \([\w\\]+\))?$/u.test(text)) {
      this.#subject = text
      return true
    }
    return this.#fatal && /^(?:Stack trace:|#\d+ |Next |\s+thrown in )/u.test(text)
  }

  #close(): void {
    if (this.#block !== undefined) this.#report.block(this.#block)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#close()
    const counts = this.#counts
    if (counts === undefined && !this.#banner) return undefined
    if (
      counts === undefined &&
      this.#word === undefined &&
      (this.#report.failures > 0 || this.#fatal || this.#told > 1)
    )
      this.#report.partly('the output ends without the counts of PHPUnit: it is not complete')
    else if (counts === undefined && this.#word === undefined) return undefined
    const failed = counts?.failed || this.#fatal ? true : (counts?.tests ?? 0) > 0 ? false : undefined
    return this.#report.reading(failed, { head: 0, tail: counts === undefined ? 6 : 1 })
  }
}

export const phpunit: Family = {
  id: 'phpunit',
  detect: (probe: Probe) => anyLine(probe, /^PHPUnit \d+\.\d+\.\d+ by /u) || anyLine(probe, OK),
  reader: () => new Phpunit(),
}
