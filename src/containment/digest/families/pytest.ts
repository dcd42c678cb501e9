/**
 * pytest, 5 to 9: the session with its sections, quiet or verbose, with any style of traceback, alone or with workers.
 * The last summary line is the verdict; failures are the lines of the short summary, or the headers of their reports
 * where there is no summary.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { anyLine, Block, calls, foreign, markOf, Report, Spare } from './report.ts'
import { counted } from './words.ts'

const COUNT = String.raw`\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests (?:passed|failed|skipped))`
const FINAL = new RegExp(
  `^(?:=+ )?(${COUNT}(?:, ${COUNT})*|no tests (?:ran|collected)[^=]*?) in [\\d.:]+s(?: \\([\\d:]+\\))?(?: =+)?$`,
  'u',
)
const SECTION = /^={3,} (.+?) ={3,}$/u
const HEADER = /^_{3,} (.+?) _{3,}$/u
const CAPTURED = /^-{3,} .+ -{3,}$/u
const STOPPED = /^!{3,} (.+?) !{3,}$/u
const SUMMARY = /^(FAILED|ERROR|SUBFAILED(?:\[[^\]]*\]|\([^)]*\))*|PASSED|SKIPPED|XFAIL|XPASS|RERUN) (.+)$/u
const PLACE = /^(\S.*?):(\d+): ?(?:[A-Za-z_][\w.]*|in .+)?(?:: .*)?$/u
const FRAME = /^\s+File "([^"]+)", line \d+/u
const PROGRESS = /^(?:\S+ )?[.FEsxXR]+(?:\s+\[ *\d+%\])?$/u
const VERBOSE =
  /^(?:\[gw\d+\] \[ *\d+%\] )?(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)? ?(\S+::.+?)(?: (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)(?: \(.*\))?)?(?:\s+\[ *\d+%\])?$/u
const BANNER =
  /^(?:platform |rootdir: |configfile: |plugins: |cachedir: |testpaths: |collecting|collected \d|created: \d|\d+ workers? \[|timeout|Using --randomly|asyncio: |Test session starts)/u

type Section = 'start' | 'failures' | 'errors' | 'summary' | 'warnings' | 'else'

class Pytest implements Reader {
  readonly #report = new Report()
  #section: Section = 'start'
  #block: { block: Block; name: string; quoted: number } | undefined
  #captured = false
  /** Failures named by their reports or by the progress, for an output without a short summary. */
  readonly #headers = new Spare()
  readonly #progress = new Spare()
  #running: number | undefined
  #last: { said: string; n: number } | undefined
  #crash: { block: Block; order: 'first' | 'last' | undefined } | undefined
  #seen = false
  #summary = false
  #stopped = false
  /** A file whose tests were not even found. */
  #uncollected = false

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text === '') return true
    const c = text.charCodeAt(0)
    if (c === 0x3d /* = */ || (c >= 0x30 && c <= 0x39) || c === 0x6e) {
      const final = FINAL.exec(text)
      if (final !== null) {
        this.#close()
        this.#last = { said: final[1]!, n }
        this.#report.verdict(n)
        return true
      }
    }
    if (c === 0x3d) {
      const section = SECTION.exec(text)
      if (section !== null) return this.#enter(section[1]!)
    }
    if (c === 0x21 /* ! */) {
      const stopped = STOPPED.exec(text)
      if (stopped !== null) {
        this.#close()
        this.#stopped = true
        this.#section = 'else'
        this.#report.item('total', n, n, 5)
        this.#seen = true
        return true
      }
    }
    if (this.#fatal(line)) return true
    switch (this.#section) {
      case 'failures':
      case 'errors':
        return this.#inBlock(line)
      case 'summary':
        return this.#inSummary(line)
      case 'start':
        return this.#inProgress(line)
      case 'warnings': {
        const warning = /^ {2}\S.*?:\d+: (\w+: .+)$/u.exec(text)
        if (warning !== null) this.#report.often(warning[1]!, n, 5)
        return true
      }
      default:
        return true
    }
  }

  #enter(title: string): boolean {
    this.#close()
    this.#seen = true
    this.#section =
      title === 'FAILURES'
        ? 'failures'
        : title === 'ERRORS'
          ? 'errors'
          : title.startsWith('short test summary')
            ? 'summary'
            : title === 'test session starts'
              ? 'start'
              : title.startsWith('warnings summary')
                ? 'warnings'
                : 'else'
    return true
  }

  /** The interpreter died, or a worker or a time limit ended it: the message and the frames that follow. */
  #fatal(line: Line): boolean {
    const { text, n } = line
    if (/Fatal Python error: |\+{3,} Timeout \+{3,}$|^(?:\[gw\d+\] node down|worker '?gw\d+'? crashed)/u.test(text)) {
      if (this.#crash === undefined) {
        const block = new Block()
        block.say(n)
        this.#crash = { block, order: text.includes('Timeout') ? 'last' : 'first' }
      }
      return true
    }
    if (text.startsWith('INTERNALERROR> ')) {
      this.#seen = true
      this.#crash ??= { block: new Block(), order: undefined }
      if (/^INTERNALERROR> (?:[\w.]*(?:Error|Exception|Exit|Interrupt)\b|E )/u.test(text)) this.#crash.block.again(n)
      const frame = FRAME.exec(text.slice(14))
      if (frame !== null && !foreign(frame[1]!)) this.#crash.block.at(n)
      return true
    }
    const { order, block } = this.#crash ?? {}
    if (order === undefined || block === undefined) return false
    const frame = FRAME.exec(text)
    if (frame === null) return false
    if (!foreign(frame[1]!) && (order === 'last' || block.places.length < 2)) block.at(n)
    return true
  }

  #inBlock(line: Line): boolean {
    const { text, n } = line
    const header = HEADER.exec(text)
    if (header !== null && !/^_ _ _/u.test(text)) {
      this.#close()
      const name = header[1]!
      if (name.startsWith('ERROR collecting')) this.#uncollected = true
      const what = /^ERROR (?:collecting|at (?:setup|teardown) of) (.+)$/u.exec(name)
      this.#headers.add(line, what?.[1] ?? name)
      this.#block = { block: new Block(), name, quoted: 0 }
      this.#captured = false
      return true
    }
    if (CAPTURED.test(text)) {
      this.#captured = true
      return true
    }
    const block = this.#block
    // With one line a failure there is no header.
    if (block === undefined) {
      const place = PLACE.exec(text)
      if (place === null) return !/^\S/u.test(text)
      const bare = new Block()
      bare.at(n)
      this.#report.block(bare)
      return true
    }
    if (this.#captured) {
      if (text.startsWith('E ')) this.#captured = false
      else return true
    }
    if (text.startsWith('E ')) {
      if (block.block.said !== undefined && n > block.block.said.to + 1) block.block.again(n, text)
      else block.block.say(n, text)
    } else if (text.startsWith('> ')) block.quoted = n
    else if (/^ImportError while importing|^SyntaxError/u.test(text)) block.block.say(n)
    else {
      const place = PLACE.exec(text) ?? FRAME.exec(text)
      if (place !== null && !foreign(place[1]!)) block.block.at(n)
      else if (/^[A-Z][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Failed)\b|^Failed: /u.test(text))
        block.block.again(n)
    }
    return true
  }

  #close(): void {
    const held = this.#block
    this.#block = undefined
    if (held !== undefined) this.#report.block(held.block, held.name.startsWith('ERROR collecting') ? 20 : 0)
  }

  #inSummary(line: Line): boolean {
    const entry = SUMMARY.exec(line.text)
    // A message of several lines goes on below its entry.
    if (entry === null) return true
    this.#summary = true
    const [, kind, rest] = entry
    if (kind !== 'FAILED' && kind !== 'ERROR' && !kind!.startsWith('SUBFAILED')) return true
    const dash = rest!.indexOf(' - ')
    const name = dash < 0 ? rest! : rest!.slice(0, dash)
    if (kind === 'ERROR' && !name.includes('::')) this.#uncollected = true
    this.#report.failure(markOf(line, kind!.length + 1 + name.length), `${kind} ${name}`)
    return true
  }

  #inProgress(line: Line): boolean {
    const { text } = line
    if (BANNER.test(text)) {
      this.#seen ||= text.startsWith('platform ') || text.startsWith('collected ')
      return true
    }
    if (PROGRESS.test(text)) return true
    const verbose = VERBOSE.exec(text)
    if (verbose === null) {
      if (text.includes('::')) this.#running = line.n
      return false
    }
    const status = verbose[1] ?? verbose[3]
    if (status === undefined) this.#running = line.n
    if (status === 'FAILED' || status === 'ERROR') {
      this.#progress.add(line, verbose[2]!)
    }
    return true
  }

  end(): Reading | undefined {
    this.#close()
    const report = this.#report
    if (!this.#seen && this.#last === undefined) return undefined
    if (this.#crash !== undefined) report.block(this.#crash.block, 40)
    // Without a summary the headers of the reports name the failures, without reports the progress.
    if (!this.#summary) (this.#headers.size > 0 ? this.#headers : this.#progress).tell(report)
    const said = this.#last?.said
    const number = (word: RegExp) => Number(word.exec(said ?? '')?.[1] ?? 0)
    const failed = number(/(\d+) failed/u)
    const errors = number(/(\d+) errors?/u)
    const bad = failed + errors
    // What stopped the run, or kept a file from being read, hides what its tests would have said.
    if (this.#stopped || this.#crash !== undefined || this.#uncollected) report.partial = true
    if (said === undefined) {
      report.partly('the output ends without the summary of pytest: it is not complete')
      if (this.#running !== undefined) report.item('cause', this.#running, this.#running, 30)
    } else if (report.failures < bad)
      report.partly(`${counted(failed, 'failure')} and ${counted(errors, 'error')}, ${report.failures} of them named`)
    const ok = said === undefined || this.#crash !== undefined || this.#stopped ? undefined : false
    const ran = said !== undefined && /\d+ passed/u.test(said)
    return report.reading(bad > 0 ? true : ran ? ok : undefined, { head: 0, tail: said === undefined ? 8 : 2 })
  }
}

export const pytest: Family = {
  id: 'pytest',
  detect: (probe: Probe) =>
    calls(probe, 'pytest', 'py.test') ||
    anyLine(probe, /^=+ (?:test session starts|short test summary info) =+$/u) ||
    anyLine(probe, /^=+ .*\d+ (?:passed|failed|errors?|skipped|deselected)\b.* in [\d.:]+s.* =+$/u),
  reader: () => new Pytest(),
}
