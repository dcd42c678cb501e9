/**
 * npm, pnpm and yarn: what they install and what they refuse. The code of the error with the lines behind it is the
 * cause; in the output of a script that failed the loud lines are.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { voiceOf } from '../loud.ts'
import { anyLine, calls, markOf, Report } from './report.ts'

const ERROR = /^npm (?:ERR!|error)(?: (.*))?$/u
const WARN = /^npm (?:WARN|warn) (\S+)(?: (.*))?$/u
const PNPM_ERROR = /^[\s\u2009]*(ERR_PNPM_\w+|ELIFECYCLE|ERR_\w+)[\s\u2009]+(\S.*)$/u
const PNPM_WARN = /^[\s\u2009]*WARN[\s\u2009]+(\S.*)$/u
const YARN = /^(error|warning|info|success|verbose) (\S.*)$/u
const DONE =
  /^(?:(?:added|removed|changed|up to date)\b.*|found 0 vulnerabilities|\d+ (?:\w+ severity )?vulnerabilit(?:y|ies)\b.*|Done in [\d.]+m?s.*|Already up to date|✨ .*|\d+ packages are looking for funding)$/u
const STEP =
  /^(?:> \S.*|\$ \S.*|\[\d\/\d\] \S.*|Progress: .*|Packages: .*|\++-*|(?:dev|peer|optional)?[dD]ependencies:|[+-] \S+ \S+.*|yarn (?:install|run|add) v.*|npm notice.*|Lockfile is up to date.*|Scope: .*| {2}run `npm.*|To address .*|Run `npm audit` .*)$/u
/** Loud lines of a script that are shown. */
const LOUD = 6

class Npm implements Reader {
  readonly #report = new Report()
  readonly #yarn: boolean
  #errors = 0
  #codeAt: number | undefined
  #loud = 0
  #parsed = 0
  #failed = false
  #done = false

  constructor(yarn: boolean) {
    this.#yarn = yarn
  }

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') return true
    const error = ERROR.exec(text)
    if (error !== null) {
      this.#npm(line, error[1] ?? '')
      return true
    }
    const warn = WARN.exec(text)
    if (warn !== null) {
      this.#parsed++
      this.#report.often(`${warn[1]} ${warn[1] === 'deprecated' ? '' : (warn[2] ?? '').replace(/\S+@\S+/gu, '')}`, n, 2)
      return true
    }
    const refused = PNPM_ERROR.exec(text)
    if (refused !== null) {
      this.#failed = true
      this.#parsed++
      this.#report.failure(markOf(line), text.trim())
      this.#report.item('cause', n, n, 10)
      return true
    }
    const warned = PNPM_WARN.exec(text)
    if (warned !== null) {
      this.#report.often(warned[1]!, n, 2)
      return true
    }
    const yarn = this.#yarn ? YARN.exec(text) : null
    if (yarn !== null) {
      this.#parsed++
      if (yarn[1] === 'error') {
        this.#failed = true
        this.#report.failure(markOf(line), text)
        this.#report.item('cause', n, n, 10)
      } else if (yarn[1] === 'warning') this.#report.often(yarn[2]!.replace(/"[^"]*"/gu, '""'), n, 2)
      return true
    }
    if (DONE.test(text)) {
      this.#parsed++
      if (/^(?:added|removed|changed|up to date|Done|Already|✨)/u.test(text)) {
        this.#done = true
        this.#report.verdict(n)
      } else this.#report.item('total', n, n, 1)
      return true
    }
    return STEP.test(text)
  }

  #npm(line: Line, said: string): void {
    const { n } = line
    this.#failed = true
    this.#parsed++
    this.#errors++
    if (/^code \S/u.test(said) || (this.#errors === 1 && /^Missing script/u.test(said))) {
      this.#codeAt ??= n
      this.#report.failure(markOf(line), said)
    } else if (this.#codeAt !== undefined && n <= this.#codeAt + 3 && said !== '')
      this.#report.item('cause', n, n, 20 - (n - this.#codeAt))
    else if (/^(?:A complete log|\s*npm run|For a full report)/u.test(said)) this.#report.item('total', n, n, -1)
    else if (this.#loud < LOUD && voiceOf(said).loud >= 3 && this.#loud++ < LOUD) this.#report.item('cause', n, n, 10)
  }

  end(): Reading | undefined {
    const report = this.#report
    if (this.#parsed === 0 || report.other > 2 * report.parsed + 20) return undefined
    return report.reading(this.#failed ? true : this.#done ? false : undefined, { head: 0, tail: 2 })
  }
}

export const npm: Family = {
  id: 'npm',
  detect: (probe: Probe) =>
    calls(probe, 'npm', 'pnpm', 'yarn', 'yarnpkg', 'npx') ||
    anyLine(probe, /^npm (?:ERR!|error) code |^[\s\u2009]*ERR_PNPM_|^yarn (?:install|run) v\d/u),
  reader: (probe: Probe) =>
    new Npm(calls(probe, 'yarn', 'yarnpkg') || probe.head.some(({ text }) => /^yarn (?:\w+ )?v\d/u.test(text))),
}
