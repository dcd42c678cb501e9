/**
 * cargo and rustc: compiler errors with the line that names their place, test binaries with their failures, and the
 * sentences of cargo that say what did not work.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { Diagnostics } from './diagnostics.ts'
import { anyLine, Block, calls, markOf, Report, Spare } from './report.ts'
import { counted } from './words.ts'

const DIAGNOSTIC = /^(error|warning)(?:\[(\w+)\])?: (.*)$/u
const SHORT = /^(\S+?):(\d+):(\d+): (error|warning)(?:\[(\w+)\])?: (.*)$/u
const GOES_ON = /^ *(?:-->|\d* *\||= |::: |\.\.\.)|^(?:help|note): |^ +\|$/u
/** Sentences that count or close. */
const CLOSING =
  /^error: (?:could not compile|aborting due to|test failed, to rerun|doctest failed, to rerun|\d+ targets? failed|process didn't exit)|^warning: .* generated \d+ warnings?|^warning: build failed, waiting|^(?:error|warning): \d+ warnings? emitted|^(?:warning|error): unused manifest key/u
const STEP =
  /^ +(?:Compiling|Checking|Finished|Running|Doc-tests|Blocking|Updating|Downloading|Downloaded|Locking|Adding|Fresh|Dirty|Removed|Documenting|Executable|Building|Generated|Replacing|Installing) /u
const RUNNING = /^running (\d+) tests?$/u
const TEST = /^test (.+?) \.\.\. (ok|FAILED|ignored|bench:|error:)?(?:, .*| .*)?$/u
const QUIET_FAILED = /^(.+?) --- FAILED$/u
const RESULT = /^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/u
const HEADER = /^---- (.+?) (?:stdout|stderr) ----$/u
const PANIC = /panicked at /u

class Cargo implements Reader {
  readonly #report = new Report()
  readonly #found = new Diagnostics(this.#report)
  #block: { block: Block; panic: number } | undefined
  #list = false
  #binary = 0
  #running: number | undefined
  readonly #progress = new Spare()
  #sum = { passed: 0, failed: 0, ignored: 0, results: 0 }
  #verdict = false
  #bad = false
  #seen = false
  #cause: Block | undefined

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text === '') {
      this.#found.close()
      return true
    }
    const c = text.charCodeAt(0)
    if (this.#block !== undefined && !HEADER.test(text) && text !== 'failures:' && !RESULT.test(text)) {
      this.#inBlock(this.#block, text, n)
      return true
    }
    if (c === 0x20) {
      if (this.#list) {
        this.#report.failure(markOf(line), `${this.#binary} ${text.trim()}`, 0, 0, text.trim())
        return true
      }
      if (STEP.test(text)) {
        this.#found.close()
        this.#seen = true
        return true
      }
      if (this.#cause !== undefined && /\((?:signal|exit status|exit code): /u.test(text)) this.#cause.again(n)
      if (GOES_ON.test(text) || this.#found.open) {
        if (/^ *--> /u.test(text)) this.#found.placed(line)
        else this.#found.goesOn(n)
        return true
      }
      return this.#cause !== undefined
    }
    this.#list = false
    return this.#flush(line)
  }

  /** A line without indent. */
  #flush(line: Line): boolean {
    const { text, n } = line
    const test = text.startsWith('test ') ? TEST.exec(text) : null
    if (text.startsWith('test result: ')) return this.#result(text, n)
    if (test !== null) {
      this.#running = test[2] === undefined || test[2] === 'error:' ? n : undefined
      const failed = test[2] === 'FAILED'
      if (failed) this.#progress.add(line, `${this.#binary} ${plainName(test[1]!)}`)
      if (test[2] === 'error:') this.#cause = new Block()
      return true
    }
    const quiet = QUIET_FAILED.exec(text)
    if (quiet !== null) {
      this.#progress.add(line, `${this.#binary} ${plainName(quiet[1]!)}`)
      return true
    }
    if (RUNNING.test(text)) {
      this.#binary++
      this.#seen = true
      return true
    }
    if (text === 'failures:') {
      this.#closeBlock()
      this.#list = true
      return true
    }
    const header = HEADER.exec(text)
    if (header !== null) {
      this.#closeBlock()
      this.#list = false
      this.#block = { block: new Block(), panic: 0 }
      return true
    }
    if (CLOSING.test(text)) {
      this.#found.close()
      this.#seen = true
      if (text.startsWith('error')) {
        this.#bad = true
        this.#cause ??= new Block()
        if (/^error: (?:could not compile|aborting)/u.test(text)) this.#end(n)
        else this.#report.item('total', n, n, 3)
      }
      return true
    }
    if (this.#diagnostic(line)) return true
    if (PANIC.test(text)) {
      const block = new Block()
      this.#block = { block, panic: n }
      block.say(n)
      return true
    }
    if (GOES_ON.test(text)) {
      this.#found.goesOn(n)
      return true
    }
    return /^(?:Caused by:|For more information about|Some errors have detailed|[.ia]+ \d+\/\d+$|[.Fi]+$|all doctests ran in)/u.test(
      text,
    )
  }

  #diagnostic(line: Line): boolean {
    const { text } = line
    const short = SHORT.exec(text)
    const [severity, code, message, file] =
      short !== null ? [short[4], short[5], short[6], short[1]] : (DIAGNOSTIC.exec(text)?.slice(1) ?? [])
    if (severity === undefined) return false
    this.#seen ||= code?.startsWith('E') ?? false
    const end = short !== null ? text.length - message!.length - 2 : text.length
    this.#found.add(line, { severity: severity as 'error' | 'warning', file, code, message: message!, end })
    return true
  }

  #result(text: string, n: number): boolean {
    const result = RESULT.exec(text)
    if (result === null) return false
    this.#closeBlock()
    this.#list = false
    this.#running = undefined
    this.#seen = true
    const sum = this.#sum
    sum.results++
    sum.passed += Number(result[2])
    sum.failed += Number(result[3])
    sum.ignored += Number(result[4])
    if (result[1] === 'FAILED') {
      this.#end(n)
      this.#bad = true
    } else this.#report.item('total', n, n, -sum.results)
    return true
  }

  /** The first bad word is the last word. */
  #end(n: number): void {
    if (this.#verdict) this.#report.item('total', n, n, 5)
    else this.#report.verdict(n)
    this.#verdict = true
  }

  #inBlock(held: { block: Block; panic: number }, text: string, n: number): void {
    const { block } = held
    if (PANIC.test(text)) {
      block.again(n)
      held.panic = n
    } else if (/^(?:stack backtrace:|note: run with|note: Some details)/u.test(text)) held.panic = -1
    else if (held.panic > 0) block.say(n)
    else if (held.panic === 0 && (/^Error: /u.test(text) || block.said === undefined)) block.again(n)
    else if (/^note: panic did not|^ +panic message: |^ *expected substring: /u.test(text)) block.say(n)
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#report.block(this.#block.block)
    this.#block = undefined
  }

  end(): Reading | undefined {
    this.#closeBlock()
    const report = this.#report
    const { errors } = this.#found
    if (!this.#seen) return undefined
    this.#found.end(1)
    this.#progress.tell(report)
    const { passed, failed, ignored, results } = this.#sum
    if (results > 1)
      report.fact(`${passed} passed, ${failed} failed, ${ignored} ignored in ${counted(results, 'test run')}`)
    if (this.#running !== undefined) report.item('cause', this.#running, this.#running, 30)
    report.ran = results
    if (this.#binary > results) report.partly('a test run has no result: it is not complete')
    if (this.#cause?.said !== undefined) report.block(this.#cause, 20)
    const bad = errors > 0 || failed > 0 || this.#bad
    return report.reading(bad ? true : results > 0 ? false : undefined, { head: 0, tail: 2 })
  }
}

/** A test that should panic has a word behind its name in the progress alone. */
const plainName = (name: string): string => name.replace(/ - should panic$/u, '')

export const cargo: Family = {
  id: 'cargo',
  detect: (probe: Probe) =>
    (calls(probe, 'cargo', 'rustc') && !/^\{/u.test(probe.head[0]?.text ?? '')) ||
    anyLine(probe, RESULT) ||
    anyLine(probe, /^error: could not compile `|^error\[E\d{4}\]: /u),
  reader: () => new Cargo(),
}
