/**
 * Node's own test runner, 18 to 26, with its spec and dot reports. The `failing tests` at the end name the failures;
 * where an output was cut before them, the crosses on the way do.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { frame, THROWN, THROWN_AT } from './js-frames.ts'
import { anyLine, Block, markOf, Report, Spare } from './report.ts'
import { counted } from './words.ts'

const COUNT = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+)(?:\.\d+)?$/u
const MARK = /^( *)([✔✖▶﹣⚠]) (.*?)(?: \([\d.]+ms\))?(?: # .*)?$/u
const AT = /^test at (\S.*):\d+:\d+$/u

class NodeTest implements Reader {
  readonly #report = new Report()
  #counts = new Map<string, number>()
  #first: number | undefined
  #section = false
  #at: Line | undefined
  /** A cross whose message was not read yet: a suite that only has failed tests in it is no failure. */
  #cross: { line: Line; name: string; at: Line | undefined; block: Block } | undefined
  readonly #crosses = new Spare()
  #marks = 0
  #thrown: Block | undefined

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') return true
    const c = text.charCodeAt(0)
    if (c === 0x2139 /* ℹ */) {
      const count = COUNT.exec(text)
      if (count === null) return false
      this.#close()
      this.#first ??= n
      this.#counts.set(count[1]!, Number(count[2]))
      if (count[1] !== 'duration_ms') this.#report.verdict(this.#first, n)
      return true
    }
    if (text === '✖ failing tests:' || text === 'Failed tests:') {
      this.#close()
      this.#section = true
      return true
    }
    const mark = MARK.exec(text)
    if (mark !== null) return this.#mark(line, mark)
    if (this.#section) return this.#inSection(line)
    return this.#onTheWay(line)
  }

  #mark(line: Line, [, indent, sign, name]: readonly string[]): boolean {
    this.#marks++
    if (this.#section) {
      // What a failure prints may hold such a sign, deeper in the line.
      if (indent !== '') return true
      this.#close()
      if (sign === '✖') {
        const block = new Block()
        if (this.#at !== undefined) block.at(this.#at.n)
        this.#cross = { line, name: name!, at: this.#at, block }
      }
      this.#at = undefined
      return true
    }
    this.#flush()
    if (sign === '✖') this.#crosses.add(line, name!)
    return true
  }

  #inSection(line: Line): boolean {
    const { text, n } = line
    if (AT.test(text)) {
      this.#close()
      this.#at = line
      return true
    }
    const cross = this.#cross
    if (cross === undefined) return true
    if (frame(cross.block, text, n)) return true
    if (cross.block.said === undefined && /^ {2}'\d+ subtests? failed'$/u.test(text)) this.#cross = undefined
    else if (cross.block.said === undefined || /^ {2}(?:\S.* !== \S|[-+] {2,}\S)/u.test(text)) {
      if (cross.block.said === undefined) cross.block.say(n, text.endsWith(':') ? undefined : text)
      else if (n > cross.block.said.to + 1 && cross.block.said.to < cross.line.n + 4) cross.block.again(n)
      else cross.block.say(n)
    }
    return true
  }

  /** What a test file printed, or what stopped it: an error that nobody caught. */
  #onTheWay({ text, n }: Line): boolean {
    if (THROWN_AT.test(text)) {
      this.#flush()
      this.#thrown = new Block()
      this.#thrown.at(n)
      return true
    }
    if (THROWN.test(text)) {
      this.#thrown ??= new Block()
      this.#thrown.again(n)
      return true
    }
    return this.#thrown !== undefined && frame(this.#thrown, text, n)
  }

  /** A stopped file's error belongs to the cross that follows it. */
  #flush(): void {
    if (this.#thrown?.said !== undefined) this.#report.block(this.#thrown, 20)
    this.#thrown = undefined
  }

  #close(): void {
    this.#flush()
    const cross = this.#cross
    this.#cross = undefined
    if (cross === undefined) return
    this.#report.failure(markOf(cross.line), `${cross.name} ${cross.at?.text ?? cross.line.n}`, 0, 0, cross.name)
    this.#report.block(cross.block)
  }

  end(): Reading | undefined {
    this.#close()
    const report = this.#report
    const counts = this.#counts
    const ended = counts.has('pass') && counts.has('fail')
    if (!ended && this.#marks < 2) return undefined
    const bad = (counts.get('fail') ?? 0) + (counts.get('cancelled') ?? 0)
    if (!this.#section) this.#crosses.tell(report)
    if (!ended && report.failures === 0 && report.other > report.parsed) return undefined
    if (ended && report.failures < bad) report.partly(`${counted(bad, 'failure')}, ${report.failures} of them named`)
    if (!ended && !this.#section)
      report.partly('the output ends without the counts of the test runner: it is not complete')
    return report.reading(ended ? bad > 0 : report.failures > 0 ? true : undefined, { head: 0, tail: ended ? 1 : 6 })
  }
}

export const nodeTest: Family = {
  id: 'node-test',
  detect: (probe: Probe) =>
    anyLine(probe, COUNT) ||
    anyLine(probe, /^✖ failing tests:$/u) ||
    (probe.commands.some(({ program, args }) => program === 'node' && args.includes('--test')) &&
      !/^(?:TAP version|<\?xml)/u.test(probe.head[0]?.text ?? '')),
  reader: () => new NodeTest(),
}
