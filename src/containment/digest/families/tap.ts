/**
 * TAP, 12 to 14, from any producer, with subtests by indent and YAML below a result. Only the innermost result of a
 * failure is one; todo and skipped results are none.
 */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { frame } from './js-frames.ts'
import { anyLine, Block, type Mark, markOf, Report } from './report.ts'
import { counted } from './words.ts'

const RESULT = /^( *)(ok|not ok)\b(?: (\d+))?(?: -)?(?: (.*?))?$/u
const DIRECTIVE = / # (?:TODO|SKIP)\b/iu
const PLAN = /^( *)(\d+)\.\.(\d+)(?: |$)/u
const TOTAL = /^# (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) +(\d+)/u

interface Open {
  readonly mark: Mark
  readonly name: string
  readonly indent: number
  readonly block: Block
  /** Results inside braces stand behind their head. */
  readonly braces: boolean
}

class Tap implements Reader {
  readonly #report = new Report()
  #open: Open | undefined
  readonly #braces: { open: Open | undefined; failed: boolean }[] = []
  #yaml: { indent: number; key: string } | undefined
  #plan: number | undefined
  #top = 0
  #results = 0
  #bad = 0
  #version = false
  #first: number | undefined
  #bail = false
  /** Whether the producer counts its own results. */
  #counted: number | undefined

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') return true
    if (this.#yaml !== undefined) {
      this.#inYaml(this.#yaml, text, n)
      return true
    }
    if (/^TAP version \d+$/u.test(text)) {
      this.#version = true
      return true
    }
    const result = RESULT.exec(text)
    if (result !== null) return this.#result(line, result)
    if (/^ *---/u.test(text) && this.#results > 0) {
      this.#yaml = { indent: text.length - text.trimStart().length, key: '' }
      return true
    }
    if (/^ *\}$/u.test(text) && this.#braces.length > 0) return this.#endBraces()
    const plan = PLAN.exec(text)
    if (plan !== null) {
      if (plan[1] === '') this.#plan = Number(plan[3])
      return true
    }
    if (/^ *Bail out!/u.test(text)) {
      this.#bail = true
      this.#report.item('cause', n, n, 40)
      return true
    }
    if (/^ *#/u.test(text)) return this.#comment(line)
    const open = this.#open
    // Some producers put the message below the result without any marks.
    if (open !== undefined && text.length - text.trimStart().length > open.indent) {
      if (!frame(open.block, text, n)) open.block.say(n)
      return true
    }
    return false
  }

  #result(line: Line, [, indent, word, number, rest = '']: readonly (string | undefined)[]): boolean {
    this.#close()
    this.#results++
    const depth = indent!.length
    if (depth === 0) this.#top++
    const braces = rest.endsWith(' {') || rest === '{'
    const failed = word === 'not ok' && !DIRECTIVE.test(rest)
    const name = rest.replace(/ # time=[\d.]+m?s(?: \{)?$| \{$/u, '')
    const open: Open | undefined = failed
      ? {
          mark: markOf(line),
          name: `${number ?? ''} ${name}`,
          indent: depth,
          block: new Block(),
          braces,
        }
      : undefined
    if (braces) {
      this.#braces.push({ open, failed: false })
      if (this.#braces.length > 64) this.#braces.shift()
    } else this.#open = open
    return true
  }

  #endBraces(): boolean {
    this.#close()
    const ended = this.#braces.pop()
    const parent = this.#braces.at(-1)
    if (ended?.open !== undefined && !ended.failed) this.#name(ended.open)
    if (parent !== undefined && (ended?.failed || ended?.open !== undefined)) parent.failed = true
    return true
  }

  #inYaml(yaml: { indent: number; key: string }, text: string, n: number): void {
    const indent = text.length - text.trimStart().length
    if (indent === yaml.indent && text.trimStart() === '...') {
      this.#yaml = undefined
      return
    }
    // Where the end of the YAML is gone a result at its depth, or above it, ends it.
    if (indent <= yaml.indent && RESULT.test(text)) {
      this.#yaml = undefined
      this.#read({ n, text, from: 0, to: 0 })
      return
    }
    const open = this.#open
    if (open === undefined) return
    const key = indent === yaml.indent ? /^ *(\w+):/u.exec(text)?.[1] : undefined
    if (key !== undefined) yaml.key = key
    if (key === 'failureType' && text.includes('subtestsFailed')) this.#open = undefined
    else if (key === 'location' || key === 'at') frame(open.block, text.replace(/["']/gu, ''), n) || open.block.at(n)
    else if (key === 'error' || key === 'message') open.block.say(n)
    else if ((key === 'expected' || key === 'actual' || key === 'found' || key === 'wanted') && !/:\s*$/u.test(text))
      this.#report.item('detail', n)
    else if (yaml.key === 'error' || yaml.key === 'message') open.block.say(n)
    else if (yaml.key === 'stack') frame(open.block, text, n)
    else if (/^ *message: /u.test(text)) open.block.say(n)
  }

  #comment(line: Line): boolean {
    const { text, n } = line
    const total = TOTAL.exec(text)
    if (total !== null) {
      this.#close()
      this.#first ??= n
      if (total[1] === 'fail' || total[1] === 'cancelled') this.#counted = (this.#counted ?? 0) + Number(total[2])
      if (total[1] !== 'duration_ms') this.#report.verdict(this.#first, n)
      return true
    }
    if (/^# Looks like /u.test(text)) {
      this.#close()
      this.#report.item('total', n, n, 9)
      return true
    }
    if (/^ *# Subtest: /u.test(text)) {
      this.#close()
      return true
    }
    const open = this.#open
    if (open === undefined) return false
    if (/^ *# +at \S+ line \d+\.$/u.test(text)) open.block.at(n)
    else if (!/^ *# +Failed test/u.test(text)) open.block.say(n)
    return true
  }

  #name(open: Open): void {
    this.#bad++
    this.#report.failure(
      open.mark,
      `${open.indent} ${open.name} ${open.braces ? open.mark.n : ''}`,
      0,
      0,
      open.name.replace(/^\d* (?=.)/u, ''),
    )
    this.#report.block(open.block)
  }

  #close(): void {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return
    this.#name(open)
    const parent = this.#braces.at(-1)
    if (parent !== undefined) parent.failed = true
  }

  end(): Reading | undefined {
    this.#close()
    while (this.#braces.length > 0) this.#endBraces()
    const report = this.#report
    if (this.#results === 0 || (!this.#version && this.#plan === undefined)) return undefined
    if (report.other > 4 * report.parsed) return undefined
    if (this.#plan !== undefined && this.#plan !== this.#top)
      report.partly(`the plan names ${counted(this.#plan, 'test')}, the output has the results of ${this.#top}`)
    else if (this.#plan === undefined) report.partly('the output has no plan: it may not be complete')
    if (!report.ended) report.fact(`${counted(this.#results, 'result')}, ${counted(this.#bad, 'failure')}`)
    if (this.#bail) report.partial = true
    const failed = this.#bad > 0 || this.#bail || (this.#counted ?? 0) > 0
    const whole = this.#plan !== undefined && this.#plan === this.#top
    return report.reading(failed ? true : whole ? false : undefined, { head: 0, tail: report.ended ? 0 : 3 })
  }
}

export const tap: Family = {
  id: 'tap',
  detect: (probe: Probe) =>
    anyLine(probe, /^TAP version \d+$/u) ||
    (anyLine(probe, /^1\.\.\d+(?: |$)/u) && anyLine(probe, /^(?:not )?ok\b(?: \d+| -)/u)),
  reader: () => new Tap(),
}
