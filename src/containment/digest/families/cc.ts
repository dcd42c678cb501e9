/** C and C++ builds: gcc, clang, their linkers, make, ninja and CMake, alone or one inside the other. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { Diagnostics } from './diagnostics.ts'
import { anyLine, calls, Report, Spare } from './report.ts'

const DIAGNOSTIC =
  /^((?:[A-Za-z]:)?[^\s:]+):(\d+)(?::(\d+))?: ((?:fatal )?error|warning|note|sorry, unimplemented|internal compiler error): (.*)$/u
const FLAG = / \[(-W[\w+=-]+)(?:,-Werror)?\]$/u
const DRIVER =
  /^(?:\S*[\\/])?(?:[\w.+-]*(?:gcc|g\+\+|cc1(?:plus)?|clang(?:\+\+)?|cc|c\+\+|collect2|ld(?:\.\w+)?|as|ar)(?:-\d+)?): ((?:fatal )?error|warning): (.*)$/u
const LINKER =
  /^(?:\S*[\\/]?ld(?:\.\w+)?: )?(?:(.+?):(?:\(\.[\w.+]+\):|\d+:)? )?(undefined reference to .*|multiple definition of .*|cannot find -l\S+.*|undefined symbol: .*|first defined here)$/u
const LOOSE = /undefined (?:reference|symbol)|multiple definition|cannot find -l|first defined here/u
const MAKE = /^(?:g?make|mingw32-make)(?:\[\d+\])?: (\*\*\* )?(.*)$/u
const MAKEFILE = /^([^\s:]+):(\d+): \*\*\* (.*)$/u
const NINJA_STEP = /^\[\d+\/\d+\] \S/u
const CMAKE = /^CMake (Error|Warning|Deprecation Warning)(?: \(dev\))?(?: at (\S+?):(\d+) \(.*\))?:(?: (.*))?$/u
const CONTEXT =
  /^(?:In file included from |In member function|.*?: (?:In (?:function|member function|constructor|instantiation|substitution|lambda)|At (?:global scope|top level)|required from)|\s+from \S+:\d+)/u
const COMMAND =
  /^\s*(?:cd \S+ && )?(?:\S*\/)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|ar|ranlib|cmake|ccache|libtool|as)(?:-\d+)? .*\S/u
const STEP = /^(?:\[ *\d+%\] |-- |Scanning dependencies of|Consolidate compiler generated|Linking \S+ )/u
const COUNT = /^\d+ (?:errors?|warnings?)(?: and \d+ (?:errors?|warnings?))? generated\.$/u

class Cc implements Reader {
  readonly #report = new Report()
  readonly #found = new Diagnostics(this.#report)
  readonly #spare = new Spare()
  #stops: number[] = []
  #failed: number[] = []
  #steps = 0
  #cmake: { n: number; error: boolean; said: number } | undefined

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text === '') return true
    const c = text.charCodeAt(0)
    if (c === 0x20 || c === 0x09) return this.#indented(line)
    if (this.#cmake !== undefined) this.#endCmake()
    const found = text.includes(':') ? DIAGNOSTIC.exec(text) : null
    if (found !== null) {
      const [, file, , , word, message] = found
      const flag = FLAG.exec(message!)
      const severity = word === 'warning' ? 'warning' : word === 'note' ? 'note' : 'error'
      if (severity === 'note') {
        this.#found.goesOn(n)
        return true
      }
      const end = text.length - message!.length - 2
      this.#found.add(line, { severity, file, code: flag?.[1], message: message!.replace(FLAG, ''), end })
      return true
    }
    if (this.#tool(line)) return true
    if (CONTEXT.test(text)) {
      this.#found.close()
      return true
    }
    if (COUNT.test(text)) {
      this.#found.close()
      this.#report.item('total', n, n, 2)
      return true
    }
    // Old clangs print source lines without a number.
    if (this.#found.open && !STEP.test(text) && !NINJA_STEP.test(text) && !COMMAND.test(text)) {
      this.#found.goesOn(n)
      return true
    }
    this.#found.close()
    if (NINJA_STEP.test(text) || STEP.test(text)) {
      this.#steps++
      if (text.startsWith('-- Configuring incomplete')) this.#report.verdict(n)
      return true
    }
    return COMMAND.test(text)
  }

  #indented(line: Line): boolean {
    const { text, n } = line
    if (this.#cmake !== undefined) {
      this.#cmake.said = n
      return true
    }
    if (this.#found.open) {
      this.#found.goesOn(n)
      return true
    }
    if (CONTEXT.test(text) || COMMAND.test(text)) return true
    return this.#tool({ ...line, text: text.trimStart() })
  }

  /** What linkers, make, ninja and CMake say themselves. */
  #tool(line: Line): boolean {
    const { text, n } = line
    // Most lines of a build are steps and commands: no colon, nothing to match.
    const colon = text.includes(': ')
    const driver = colon ? DRIVER.exec(text) : null
    if (driver !== null) {
      const severity = driver[1] === 'warning' ? 'warning' : 'error'
      if (/ld returned \d+ exit status|linker command failed|treated as errors/u.test(text)) {
        this.#found.close()
        this.#report.item('total', n, n, 2)
      } else
        this.#found.add(line, { severity, file: undefined, code: undefined, message: driver[2]!, end: text.length })
      return true
    }
    const linker = LOOSE.test(text) ? LINKER.exec(text) : null
    if (linker !== null) {
      if (!text.endsWith('first defined here'))
        this.#found.add(line, {
          severity: 'error',
          file: linker[1],
          code: undefined,
          message: linker[2]!,
          end: text.length,
        })
      return true
    }
    const make = MAKE.exec(text)
    if (make !== null) {
      this.#found.close()
      if (make[1] !== undefined) this.#stop(line)
      this.#steps++
      return true
    }
    if (MAKEFILE.test(text) || /^ninja: (?:error|fatal|build stopped)/u.test(text)) {
      this.#found.close()
      this.#stop(line)
      return true
    }
    if (/^ninja: /u.test(text)) {
      this.#steps++
      return true
    }
    if (/^FAILED: /u.test(text)) {
      this.#found.close()
      if (this.#failed.length < 60) this.#failed.push(n)
      return true
    }
    const cmake = CMAKE.exec(text)
    if (cmake !== null) {
      this.#found.close()
      this.#cmake = { n, error: cmake[1] === 'Error', said: n }
      if (cmake[1] === 'Error') this.#stop(line)
      else this.#report.often(text, n, 2)
      return true
    }
    return /^\S*ld(?:\.\w+)?: .*: in function /u.test(text)
  }

  #stop(line: Line): void {
    // The first and the last are needed, and some between them.
    if (this.#stops.length < 60) this.#stops.push(line.n)
    else this.#stops[59] = line.n
    this.#spare.add(line, line.text)
  }

  #endCmake(): void {
    const { n, error, said } = this.#cmake!
    this.#cmake = undefined
    if (error) this.#report.item('cause', n, Math.min(said, n + 8), 15)
  }

  end(): Reading | undefined {
    if (this.#cmake !== undefined) this.#endCmake()
    const report = this.#report
    const { errors, warnings } = this.#found
    const stops = this.#stops
    if (errors + warnings + stops.length + this.#failed.length + this.#steps === 0) return undefined
    if (errors + stops.length === 0 && report.other > report.parsed) return undefined
    this.#found.end(0)
    const last = stops.at(-1)
    if (last !== undefined) report.verdict(last)
    // Without an error of a compiler the sentence of the build tool is all that there is.
    if (errors === 0) {
      this.#spare.tell(report)
      const first = stops[0]
      if (first !== undefined) report.item('cause', Math.max(1, first - 1), first, 9)
    } else for (const n of stops) report.item('total', n, n, -1)
    for (const n of this.#failed) report.item('detail', n, n, 1)
    return report.reading(errors + stops.length > 0 ? true : undefined, { head: 0, tail: 2 })
  }
}

export const cc: Family = {
  id: 'cc',
  detect: (probe: Probe) =>
    calls(probe, 'gcc', 'g++', 'cc', 'c++', 'clang', 'clang++', 'make', 'gmake', 'ninja', 'cmake') ||
    anyLine(probe, DIAGNOSTIC) ||
    anyLine(probe, /^(?:g?make(?:\[\d+\])?: \*\*\* |ninja: build stopped|CMake Error )/u),
  reader: () => new Cc(),
}
