/**
 * go test, build and vet. A package that did not build fails before any test; a panic, a fatal error and a timeout are
 * named with the first frame in the project's own code.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { anyLine, Block, foreign, markOf, Report } from './report.ts'
import { counted } from './words.ts'

const RESULT = /^( *)--- (PASS|FAIL|SKIP|BENCH): (\S+)(?: \([\d.]+s\))?$/u
const PACKAGE = /^(ok {2}|FAIL|\? {3})\t(\S+)(?:\t| )(.*)$/u
const RUN = /^=== (?:RUN|PAUSE|CONT|NAME) +(\S*)/u
const BUILD = /^# (\S+)(?: \[(\S+)\])?$/u
const ERROR = /^(?:vet: )?((?:\.{0,2}\/)?[^\s:]+\.(?:go|s|c|h|mod|work)):(\d+)(?::(\d+))?: (.*)$/u
const SAID = /^ +(\S+\.go):(\d+): /u
const FATAL = /^(?:panic: |fatal error: |SIG[A-Z]+: |unexpected fault address|WARNING: DATA RACE|\*\*\* Test killed)/u
const FRAME = /^\t(\S+\.(?:go|s)):\d+(?: \+0x[0-9a-f]+)?(?: fp=.*)?$/u

class Go implements Reader {
  readonly #report = new Report()
  #test: Block | undefined
  /** In verbose output a test speaks before its result. */
  #name = ''
  readonly #spoken = new Map<string, Block>()
  #crash: { block: Block; running: boolean } | undefined
  #builds: { n: number; errors: number } | undefined
  #errors = 0
  /** Failed tests of the package that is being read. */
  #named = 0
  #packages = { ok: 0, failed: 0, empty: 0 }
  #broken: number[] = []
  #results = 0
  /** A package has begun and has no result yet: its tests have. */
  #open = false
  #fail: number | undefined
  #seen = false

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text === '') return true
    const result = text.includes('--- ') ? RESULT.exec(text) : null
    if (result !== null) return this.#result(line, result)
    const c = text.charCodeAt(0)
    if (c === 0x46 || c === 0x6f || c === 0x3f) {
      const done = PACKAGE.exec(text)
      if (done !== null) return this.#package(line, done)
      if (text === 'FAIL') {
        this.#fail = n
        this.#closeTest()
        return true
      }
    }
    if (FATAL.test(text)) return this.#fatal(line)
    if (this.#crash !== undefined) return this.#inCrash(this.#crash, text, n)
    const run = RUN.exec(text)
    if (run !== null) {
      this.#seen = true
      this.#open = true
      this.#closeTest()
      this.#name = run[1]!
      return true
    }
    const build = BUILD.exec(text)
    if (build !== null) {
      this.#closeTest()
      this.#builds = { n, errors: 0 }
      return true
    }
    if (this.#builds !== undefined) return this.#inBuild(this.#builds, line)
    if (/^(?:PASS|exit status \d+|coverage: |signal: |goos: |goarch: |pkg: |cpu: |Benchmark\S+\s+\d+)/u.test(text)) {
      if (/^exit status|^signal: /u.test(text)) this.#report.item('total', n, n, -1)
      return true
    }
    const error = ERROR.exec(text)
    if (error !== null) {
      this.#error(line)
      return true
    }
    const test = this.#test ?? this.#spoken.get(this.#name)
    if (SAID.test(text)) {
      if (test === undefined) {
        const block = new Block()
        block.say(n)
        if (this.#name !== '' && this.#spoken.size < 1000) this.#spoken.set(this.#name, block)
      } else test.say(n)
      return true
    }
    if (test?.said !== undefined && /^ {4,}|^\t/u.test(text)) {
      test.say(n)
      return true
    }
    return test !== undefined && /^\s/u.test(text)
  }

  #result(line: Line, [, , word, name]: readonly string[]): boolean {
    this.#closeTest()
    this.#crash = undefined
    this.#builds = undefined
    this.#seen = true
    this.#open = true
    this.#results++
    if (word === 'FAIL') {
      this.#named++
      this.#report.failure(markOf(line), `${this.#packages.ok + this.#packages.failed} ${name}`, 0, 0, name)
      this.#test = this.#spoken.get(name!) ?? new Block()
    }
    this.#spoken.delete(name!)
    this.#name = ''
    return true
  }

  #package(line: Line, [, word, , rest]: readonly string[]): boolean {
    const { n, text } = line
    this.#closeTest()
    this.#closeCrash()
    this.#builds = undefined
    this.#seen = true
    this.#open = false
    const packages = this.#packages
    if (word === 'FAIL') {
      packages.failed++
      const broken = /^\[(?:build|setup) failed\]/u.test(rest!)
      // A package none of whose tests is named as failed failed itself.
      if (broken || this.#named === 0) this.#report.failure(markOf(line), text.replace(/\t[\d.]+s$/u, ''))
      else this.#report.item('total', n, n, 1)
      if (broken && this.#broken.length < 200) this.#broken.push(n)
    } else if (word === '?   ') packages.empty++
    else {
      packages.ok++
      if (rest!.includes('no tests to run')) this.#report.item('total', n, n, 2)
    }
    this.#named = 0
    return true
  }

  #fatal(line: Line): boolean {
    const { text, n } = line
    this.#seen = true
    this.#closeTest()
    this.#builds = undefined
    // A panic that was recovered is told again on its way out.
    if (this.#crash !== undefined && /^panic: /u.test(text)) {
      if (this.#crash.block.said?.to === n - 1) this.#crash.block.say(n)
      return true
    }
    this.#closeCrash()
    const block = new Block()
    block.say(n)
    this.#crash = { block, running: text.includes('test timed out') }
    return true
  }

  #inCrash(crash: { block: Block; running: boolean }, text: string, n: number): boolean {
    const { block } = crash
    const frame = FRAME.exec(text)
    if (frame !== null) {
      // The line above a frame names its function.
      if (!foreign(frame[1]!) && frame[1] !== '_testmain.go' && block.places.length === 0) {
        block.at(n - 1)
        block.at(n)
      }
      return true
    }
    if (crash.running && /^(?:running tests:|\t\S+ \([\d.]+[a-zµ]+\))$/u.test(text)) block.say(n)
    else if (/^(?:\tpanic: |\[signal |\[recovered\])/u.test(text)) block.say(n)
    else if (text === 'exit status 2' || /^exit status \d+$/u.test(text)) this.#report.item('total', n, n, -1)
    return true
  }

  #inBuild(builds: { n: number; errors: number }, line: Line): boolean {
    const { text, n } = line
    if (/^(?:\t| {4,})/u.test(text) && builds.errors > 0) return true
    if (ERROR.test(text) || /^(?:package |no required module|imports |cannot find |too many errors)/u.test(text)) {
      if (this.#errors === 0) this.#report.item('detail', builds.n, builds.n, 9)
      builds.errors++
      this.#error(line)
      return true
    }
    this.#builds = undefined
    return this.#read({ ...line, n })
  }

  #error(line: Line): void {
    this.#closeTest()
    this.#errors++
    if (this.#errors === 1) this.#report.item('cause', line.n, line.n, 30)
    this.#report.failure(markOf(line), line.text, 0, 50)
  }

  #closeTest(): void {
    if (this.#test !== undefined) this.#report.block(this.#test)
    this.#test = undefined
  }

  #closeCrash(): void {
    if (this.#crash !== undefined) this.#report.block(this.#crash.block, 40)
    this.#crash = undefined
  }

  end(): Reading | undefined {
    this.#closeTest()
    this.#closeCrash()
    const report = this.#report
    const { ok, failed, empty } = this.#packages
    const packages = ok + failed + empty
    if (packages === 0 && this.#results === 0 && this.#errors === 0) return undefined
    if (packages === 0 && !this.#seen && report.other > report.parsed) return undefined
    for (const n of this.#broken) report.item('total', n, n, 9)
    if (this.#fail !== undefined) report.verdict(this.#fail)
    if (packages > 1)
      report.fact(
        `${counted(packages, 'package')}: ${failed} failed, ${ok} ok${empty > 0 ? `, ${empty} without tests` : ''}` +
          (this.#broken.length > 0 ? `; ${counted(this.#broken.length, 'package')} did not build` : ''),
      )
    if (this.#seen && packages === 0)
      report.partly('the output ends before any package has its result: it is not complete')
    else if (this.#open) report.partly('the output ends before the last package has its result: it is not complete')
    // Tests of a package that was not built did not run.
    if (this.#broken.length > 0) report.partial = true
    report.ran = packages
    const bad = failed > 0 || this.#errors > 0 || report.failures > 0
    return report.reading(bad ? true : ok > 0 && !this.#open ? false : undefined, { head: 0, tail: 1 })
  }
}

export const go: Family = {
  id: 'go',
  detect: (probe: Probe) =>
    (probe.commands.some(
      ({ program, args }) => program === 'go' && /^(?:test|build|vet|run|install)$/u.test(args[0] ?? ''),
    ) ||
      anyLine(probe, PACKAGE) ||
      anyLine(probe, /^--- (?:PASS|FAIL|SKIP): Test\S* \([\d.]+s\)$/u)) &&
    !/^\{/u.test(probe.head[0]?.text ?? ''),
  reader: () => new Go(),
}
