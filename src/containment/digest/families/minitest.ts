/** minitest 5, and Rails above it: numbered failures and errors, then the counts. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { anyLine, Block, markOf, Report, Spare } from './report.ts'

const COUNTS = /^(\d+) (?:runs|tests), (\d+) assertions, (\d+) failures, (\d+) errors, (\d+) skips$/u
const NUMBERED = /^ *(\d+)\) (Error|Failure|Skipped):$/u
const NAME = /^(\S+#\S.*?)(?: \[(.+)\])?:$/u
const VERBOSE = /^\S+#\S.* = [\d.]+ s = [.FES]$/u
const PLACE = /^ {4}(\S.*?):\d+:in /u

class Minitest implements Reader {
  readonly #report = new Report()
  #block: Block | undefined
  #next: { skipped: boolean } | undefined
  #counts: { bad: number; runs: number } | undefined
  #running = false
  readonly #crosses = new Spare()

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') return true
    const numbered = NUMBERED.exec(text)
    if (numbered !== null) {
      this.#close()
      this.#next = { skipped: numbered[2] === 'Skipped' }
      return true
    }
    const next = this.#next
    if (next !== undefined) {
      this.#next = undefined
      const name = NAME.exec(text)
      if (name !== null) {
        if (!next.skipped) {
          this.#report.failure(markOf(line), name[1]!)
          this.#block = new Block()
        }
        return true
      }
    }
    const counts = COUNTS.exec(text)
    if (counts !== null) {
      this.#close()
      this.#counts = { runs: Number(counts[1]), bad: Number(counts[3]) + Number(counts[4]) }
      this.#report.verdict(n)
      return true
    }
    if (text === '# Running:') this.#running = true
    if (/^\S+#\S.* = [\d.]+ s = [FE]$/u.test(text))
      this.#crosses.add(line, text.slice(0, text.lastIndexOf(' = ', text.length - 6)))
    if (VERBOSE.test(text) || /^[.FES]+$|^Run options:|^# Running|^Finished in |^You have skipped/u.test(text))
      return true
    const block = this.#block
    if (block === undefined) return false
    const place = PLACE.exec(text)
    if (place === null) block.say(n)
    else if (!/^<internal|\/gems\/|^\/usr\//u.test(place[1]!)) block.at(n)
    return true
  }

  #close(): void {
    if (this.#block !== undefined) this.#report.block(this.#block)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#close()
    const counts = this.#counts
    if (counts === undefined) {
      const report = this.#report
      if (!this.#running) return undefined
      if (report.failures === 0) this.#crosses.tell(report)
      report.partly('the output ends without the counts of minitest: it is not complete')
      return report.reading(report.failures > 0 ? true : undefined, { head: 0, tail: 6 })
    }
    const failed = counts.bad > 0 ? true : counts.runs > 0 ? false : undefined
    return this.#report.reading(failed, { head: 0, tail: 1 })
  }
}

export const minitest: Family = {
  id: 'minitest',
  detect: (probe: Probe) => anyLine(probe, COUNTS) || anyLine(probe, /^# Running:$/u),
  reader: () => new Minitest(),
}
