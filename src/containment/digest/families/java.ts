/**
 * Java builds: javac alone, below Maven or below Gradle; the tests that surefire and Gradle run; and what the build
 * tools say of the build itself. What is told again at the end of a build counts once.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { Diagnostics } from './diagnostics.ts'
import { anyLine, Block, calls, markOf, Report, Spare } from './report.ts'
import { counted } from './words.ts'

const JAVAC =
  /^(?::\w+)?((?:[A-Za-z]:)?[^\s:]+\.(?:java|kts?|groovy|scala)):(\d+): (error|warning): (?:\[([\w-]+)\] )?(.*)$/u
const JAVAC_ALONE = /^(error|warning): (?:\[([\w-]+)\] )?(.*)$/u
const JAVAC_COUNT = /^(\d+) (?:error|warning)s?$/u
const MARK = /^\[(INFO|WARNING|ERROR|FATAL|DEBUG)\] ?(.*)$/u
const MAVEN = /^((?:[A-Za-z]:)?[^\s:]\S*\.(?:java|kt|groovy|scala)):\[(\d+),(\d+)\] (?:(error|warning): )?(.*)$/u
const TESTS = /^Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(, Time elapsed: .*)?$/u
const STARTED = /^(\S.*?) (?:-- )? ?Time elapsed: [\d.]+ s(?:ec)? +<<< (FAILURE|ERROR)!/u
const RESULT = /^ {2,}(\S.*)$/u
const BUILD = /^BUILD (SUCCESS|FAILURE|SUCCESSFUL|FAILED)\b/u
const GRADLE_TEST = /^(\S.* > \S.*) (FAILED|PASSED|SKIPPED)$/u
const GRADLE_TASK = /^(?:> Task )?:([\w:.-]+)(?: (FAILED|UP-TO-DATE|NO-SOURCE|SKIPPED|FROM-CACHE))?$/u
const GRADLE_COUNT = /^\d+ tests? completed(?:, \d+ failed)?(?:, \d+ skipped)?$/u
const THROWN = /^(?:Caused by: )?(?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception|Failure|Throwable|Failed)\w*(?:: |$)/u
const AT = /^\s+at (\S+)\(.*\)$/u
const TOOLS =
  /^(?:java|javax|jdk|sun|kotlin|groovy|scala|junit|org\.junit|org\.gradle|org\.apache\.maven|org\.codehaus|org\.hamcrest|org\.opentest4j|org\.assertj)[./]|^java\.base\//u
const BOILERPLATE =
  /^(?:To see the full|Re-run Maven|For more information|\[Help \d+\]|-> \[Help|Please refer to|After correcting|There are test failures)/u

class Java implements Reader {
  readonly #report = new Report()
  readonly #found = new Diagnostics(this.#report)
  #block: Block | undefined
  readonly #headers = new Spare()
  /** Under which words of surefire's results the lines stand. */
  #results = false
  #ended = false
  #tests: { n: number; failed: number } | undefined
  #why: { from: number; kind: 'cause' | 'detail'; lines: number } | undefined
  #goal: number | undefined
  #failed: boolean | undefined
  #seen = false
  /** A build tool has begun to work, and says at its end what came of it. */
  #begun = false

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') {
      if (this.#why !== undefined && this.#why.lines > 0) this.#why = undefined
      if (this.#block?.said !== undefined) this.#closeBlock()
      return true
    }
    const mark = text.startsWith('[') ? MARK.exec(text) : null
    if (mark !== null) return this.#maven(line, mark[1]!, mark[2]!)
    const javac = text.includes(': ') ? (JAVAC.exec(text) ?? null) : null
    if (javac !== null) {
      const [, file, , severity, code, message] = javac
      this.#closeBlock()
      this.#seen = true
      const end = text.length - message!.length - 2
      this.#found.add(line, { severity: severity as 'error' | 'warning', file, code, message: message!, end })
      return true
    }
    if (this.#why !== undefined) return this.#reason(this.#why, text, n)
    if (this.#block !== undefined && !GRADLE_TEST.test(text) && this.#inBlock(this.#block, text, n)) return true
    if (this.#gradle(line)) return true
    const alone = JAVAC_ALONE.exec(text)
    if (alone !== null) {
      this.#found.add(line, {
        severity: alone[1] as 'error' | 'warning',
        file: undefined,
        code: alone[2],
        message: alone[3]!,
        end: text.length,
      })
      return true
    }
    if (JAVAC_COUNT.test(text)) {
      this.#found.close()
      this.#seen = true
      this.#report.item('total', n, n, 5)
      return true
    }
    if (this.#found.open) {
      this.#found.goesOn(n)
      return true
    }
    return /^Picked up |^Note: .*(?:deprecated|unchecked)/u.test(text)
  }

  #maven(line: Line, level: string, said: string): boolean {
    const { n, text } = line
    this.#seen = true
    if (/^(?:Scanning for projects|Building .*|-+< .* >-+|Running \S+)/u.test(said)) this.#begun = true
    const build = BUILD.exec(said)
    if (build !== null) {
      this.#endBuild(build[1]!, n)
      return true
    }
    const tests = TESTS.exec(said)
    if (tests !== null) {
      this.#closeBlock()
      this.#results = false
      if (tests[5] === undefined) {
        const failed = Number(tests[2]) + Number(tests[3])
        this.#tests = { n, failed: (this.#tests?.failed ?? 0) + failed }
        this.#report.item('total', n, n, failed > 0 ? 20 : 10)
      }
      return true
    }
    if (level === 'INFO' || level === 'DEBUG') {
      if (/ FAILURE \[/u.test(said)) this.#report.item('total', n, n, 8)
      if (said !== '') this.#closeBlock()
      this.#results = false
      return true
    }
    if (level === 'WARNING') {
      this.#report.often(said.replace(/\d+/gu, '0'), n, 1)
      return true
    }
    const started = STARTED.exec(said)
    if (started !== null) {
      this.#closeBlock()
      this.#block = new Block()
      this.#headers.add(line, started[1]!.trim())
      return true
    }
    if (/^(?:Failures|Errors|Flakes): *$|^(?:Failed tests|Tests in error): *$/u.test(said)) {
      this.#closeBlock()
      this.#results = true
      return true
    }
    const result = this.#results ? RESULT.exec(said) : null
    if (result !== null) {
      const name = /^([\w$.]+(?:\[[^\]]*\])?)(?::\d+)?/u.exec(result[1]!)?.[0] ?? result[1]!
      this.#report.failure(markOf(line, text.indexOf(name) + name.length), result[1]!)
      return true
    }
    const found = MAVEN.exec(said)
    if (found !== null) {
      if (!this.#ended) {
        const severity = found[4] === 'warning' ? 'warning' : 'error'
        const end = text.length - found[5]!.length - 1
        this.#found.add(line, { severity, file: found[1], code: undefined, message: found[5]!, end })
      }
      return true
    }
    if (said === '' || BOILERPLATE.test(said)) return true
    if (/^Failed to execute goal|^The (?:build|project|goal)|^Non-|^Some problems/u.test(said)) {
      this.#goal ??= n
      return true
    }
    if (!/^COMPILATION ERROR|^ {2}(?:symbol|location):/u.test(said)) this.#report.item('detail', n, n, 1)
    return true
  }

  /** Gradle's own lines. */
  #gradle(line: Line): boolean {
    const { text, n } = line
    const build = BUILD.exec(text)
    if (build !== null) {
      this.#endBuild(build[1]!, n)
      return true
    }
    if (/^\* (?:What went wrong|Where):$/u.test(text)) {
      this.#found.close()
      this.#closeBlock()
      this.#why = { from: n, kind: 'cause', lines: 0 }
      this.#seen = true
      return true
    }
    if (/^\* |^FAILURE: |^Run with |^> (?:Get more help|Run with)|^\d+ actionable tasks?:/u.test(text)) return true
    const task = GRADLE_TASK.exec(text)
    if (task !== null) {
      this.#begun = true
      this.#found.close()
      this.#closeBlock()
      if (task[2] === 'FAILED') this.#report.item('total', n, n, 8)
      return true
    }
    const test = GRADLE_TEST.exec(text)
    if (test !== null) {
      this.#closeBlock()
      this.#seen = true
      if (test[2] === 'FAILED') {
        this.#report.failure(markOf(line), test[1]!)
        this.#block = new Block()
      }
      return true
    }
    if (GRADLE_COUNT.test(text)) {
      this.#closeBlock()
      this.#report.item('total', n, n, 20)
      return true
    }
    return text === ' FAILED' || /^[<=-]+> \d+%/u.test(text)
  }

  #reason(why: { from: number; lines: number }, text: string, n: number): boolean {
    why.lines++
    // Where Gradle only repeats that the compiler found errors these lead.
    if (why.lines <= 6) this.#report.item('cause', n, n, 5 - why.lines)
    return text !== ''
  }

  #inBlock(block: Block, text: string, n: number): boolean {
    const at = AT.exec(text)
    if (at !== null) {
      if (!TOOLS.test(at[1]!)) block.at(n)
      return true
    }
    if (/^\s+\.\.\. \d+ more$/u.test(text)) return true
    if (THROWN.test(text.trimStart())) {
      if (block.said === undefined) block.say(n, text)
      else if (text.trimStart().startsWith('Caused by')) this.#report.item('cause', n, n, 1)
      return true
    }
    if (block.places.length === 0) block.say(n)
    return block.places.length === 0
  }

  #endBuild(word: string, n: number): void {
    this.#found.close()
    this.#closeBlock()
    this.#why = undefined
    this.#ended = true
    this.#seen = true
    this.#failed = word.startsWith('FAIL')
    this.#report.verdict(n)
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#report.block(this.#block)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#closeBlock()
    const report = this.#report
    const { errors, warnings } = this.#found
    if (!this.#seen && errors + warnings === 0) return undefined
    if (
      !this.#ended &&
      !this.#begun &&
      errors + warnings === 0 &&
      report.failures + this.#headers.size === 0 &&
      this.#tests === undefined &&
      this.#goal === undefined
    )
      return undefined
    this.#found.end(0)
    if (report.failures === errors) this.#headers.tell(report)
    if (this.#goal !== undefined) report.item(report.failures > 0 ? 'total' : 'cause', this.#goal, this.#goal, 9)
    const bad = this.#tests?.failed ?? 0
    if (bad > report.failures) report.partly(`${counted(bad, 'failed test')}, ${report.failures} of them named`)
    if (this.#begun && !this.#ended)
      report.partly('the output ends without the result of the build: it is not complete')
    report.ran = this.#tests === undefined ? 0 : 1
    const failed = this.#failed ?? (errors > 0 || bad > 0 || this.#goal !== undefined ? true : undefined)
    return report.reading(failed, { head: 0, tail: 0 })
  }
}

export const java: Family = {
  id: 'java',
  detect: (probe: Probe) =>
    calls(probe, 'javac', 'mvn', 'mvnw', 'gradle', 'gradlew') ||
    anyLine(probe, JAVAC) ||
    anyLine(probe, /^(?:\[INFO\] )?BUILD (?:SUCCESS|FAILURE|FAILED|SUCCESSFUL)\b/u),
  reader: () => new Java(),
}
