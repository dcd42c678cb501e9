/** TypeScript's compiler, plain and pretty, with `--build` and `--watch` banners. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { Diagnostics } from './diagnostics.ts'
import { anyLine, calls, Report } from './report.ts'

const PLAIN = /^(?:(\S.*?)\((\d+),(\d+)\): )?(error|warning|message) (TS\d+): (.*)$/u
const PRETTY = /^(\S.*?):(\d+):(\d+) - (error|warning|message) (TS\d+): (.*)$/u
const FOUND = /^Found (\d+) errors?(?: in \d+ files?\.| in the same file, starting at: .*| in \S.*|\.)$/u
const TIMED = /^(?:\[?[\d:]+(?: [AP]M)?\]?(?: -)? )(?:Starting|File change|Found (\d+) errors?|Projects in this build)/u
const TABLE = /^(?:Errors {2}Files| *\d+ {2}\S+:\d+)$/u

class Tsc implements Reader {
  readonly #report = new Report()
  readonly #found = new Diagnostics(this.#report)
  #said: number | undefined

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') {
      // Pretty reports have a blank line between the message and the source.
      this.#found.goesOn(n)
      return true
    }
    if (text.charCodeAt(0) === 0x20 || text.charCodeAt(0) === 0x09) {
      this.#found.goesOn(n)
      return this.#found.open || TABLE.test(text)
    }
    const pretty = PRETTY.exec(text)
    const [, file, , , severity, code, message] = pretty ?? PLAIN.exec(text) ?? []
    if (severity !== undefined) {
      const end = text.length - message!.length - 2
      this.#found.add(line, {
        severity: severity === 'message' ? 'note' : (severity as 'error' | 'warning'),
        file,
        code,
        message: message!,
        end,
      })
      return true
    }
    const found = FOUND.exec(text) ?? TIMED.exec(text)
    if (found !== null) {
      this.#found.close()
      if (found[1] !== undefined) {
        this.#said = Number(found[1])
        this.#report.verdict(n)
      }
      return true
    }
    if (TABLE.test(text)) return true
    // Source lines of a pretty report begin with their number.
    if (this.#found.open && /^\d+ /u.test(text)) {
      this.#found.goesOn(n)
      return true
    }
    this.#found.close()
    return false
  }

  end(): Reading | undefined {
    const { errors, warnings } = this.#found
    if (errors + warnings === 0 && this.#said === undefined) return undefined
    if (this.#report.other > 20 && this.#report.other > 4 * this.#report.parsed && errors === 0) return undefined
    this.#found.end()
    if (this.#said !== undefined && this.#said !== errors)
      this.#report.fact(`the compiler counts ${this.#said} errors, the output has ${errors}`)
    const failed = errors > 0 || (this.#said ?? 0) > 0
    return this.#report.reading(failed ? true : this.#said === 0 ? false : undefined, { head: 0, tail: 1 })
  }
}

export const tsc: Family = {
  id: 'tsc',
  detect: (probe: Probe) => calls(probe, 'tsc', 'vue-tsc') || anyLine(probe, PLAIN) || anyLine(probe, PRETTY),
  reader: () => new Tsc(),
}
