/** Numbers that a digest states, counted once more by other means; and readers that are given spoiled or cut outputs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../../bytes.ts'
import { readShown } from '../../frame.ts'
import { shownText } from '../clean.ts'
import type { Line, Probe, Reading } from '../family.ts'
import { commandsOf, corpus, digestCase, type Expectation } from './corpus.testing.ts'
import { FAMILIES } from './index.ts'

/** Beside what every case has: texts that stand in lines of ours, or behind how often a line occurred. */
interface Told extends Expectation {
  readonly told?: readonly string[]
}

const CASES = corpus().map((one) => ({ ...one, expect: one.expect as Told }))

function linesOf(bytes: Uint8Array): Line[] {
  const lines: Line[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from)
    const to = end < 0 ? bytes.length : end
    const shown = to > from && bytes[to - 1] === 0x0d ? to - 1 : to
    lines.push({ n: lines.length + 1, text: shownText(bytes, from, Math.min(shown, from + 65_536)), from, to: shown })
    from = to + 1
  }
  return lines
}

/** What the family `id` reads in some bytes; undefined where it does not take them or stands down. */
function reading(id: string, expect: Expectation, bytes: Uint8Array): Reading | undefined {
  const family = FAMILIES.find((family) => family.id === id)!
  const lines = linesOf(bytes)
  const probe: Probe = {
    commands: commandsOf(expect.command),
    exit: expect.exit,
    signal: undefined,
    head: lines.slice(0, 40),
    tail: lines.slice(-80),
    bytes: bytesOf(bytes),
  }
  if (!family.detect(probe)) return undefined
  const reader = family.reader(probe)
  for (const line of lines) reader.line(line)
  const out = reader.end()
  if (out !== undefined) assert.equal(out.parsed + out.other, lines.length, 'every line is accounted for')
  return out
}

const factsOf = (reading: Reading): string[] =>
  reading.facts.map((fact) => (typeof fact === 'string' ? fact : fact.text))
const count = (text: string, like: RegExp): number => text.match(like)?.length ?? 0
const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** Counts another way; what comes out must be among the facts. An empty list: nothing is asked. */
type Recount = (text: string, expect: Expectation) => readonly string[]

const RECOUNTS: Readonly<Record<string, Recount>> = {
  'git-status': (text) => {
    const untracked = /Untracked files:\n(?: .*\n)+((?:\t.*\n)+)/u.exec(text)?.[1]
    const short = count(text, /^\?\? |^\? /gmu)
    const n = untracked === undefined ? short : count(untracked, /\n/gu)
    return n === 0 ? [] : [`${n} untracked`]
  },
  'git-diff': (text, { command }) => {
    if (/--name-status|--stat$/.test(command)) return []
    const files = text.split(/^(?=diff -)/mu).filter((part) => part.startsWith('diff -'))
    let [added, removed] = [0, 0]
    for (const file of files) {
      const lines = file.split('\n')
      const body = lines
        .slice(lines.findIndex((line) => line.startsWith('@@')))
        .filter((line) => !line.startsWith('@@'))
      if (!lines.some((line) => line.startsWith('@@'))) continue
      const [plus, minus] = file.startsWith('diff --cc') ? [/^(?:\+[+ ]| \+)/u, /^(?:-[- ]| -)/u] : [/^\+/u, /^-/u]
      added += body.filter((line) => plus.test(line)).length
      removed += body.filter((line) => minus.test(line)).length
    }
    return [`${plural(files.length, 'file')}, ${added} added, ${removed} removed`]
  },
  'git-log': (text) => [plural(count(text, /^(?:[|\\/ ]*\* +)?commit [0-9a-f]{40}/gmu), 'commit')],
  grep: (text, { command }) => {
    if (/^(?:grep|rg) -[a-z]*c[a-z]* /u.test(command))
      return [
        plural(
          [...text.matchAll(/:(\d+)$/gmu)].reduce((sum, [, n]) => sum + Number(n), 0),
          'match',
          'matches',
        ),
      ]
    const words = count(text, /^grep: /gmu)
    if (/(?<!no-)heading|--group/u.test(command)) return [plural(count(text, /^\d+:/gmu), 'match', 'matches')]
    if (/-C/u.test(command)) return [plural(count(text, /^[\w./-]+?\.\w+:\d+:/gmu), 'match', 'matches')]
    return [plural(count(text, /^./gmu) - words, 'match', 'matches')]
  },
  listing: (text, { command }) => {
    if (/^tree/u.test(command)) {
      const summary = /(\d+) director(?:y|ies), (\d+) files?/u.exec(text)
      const roots = count(text, /^[^│├└\s\d][^│├└]*$|^\[ *\d+\] {2}\S+$/gmu)
      // A root counts as a folder of tree's own sum, not as an entry.
      return summary === null
        ? []
        : [
            plural(
              Number(summary[1]) + Number(summary[2]) - (roots > 0 ? roots : 1) + (roots > 1 ? 0 : 0),
              'entry',
              'entries',
            ),
          ]
    }
    const trouble = count(text, /^find: /gmu)
    if (/^ls -l/u.test(command))
      return [plural(count(text, /^[-dl][-rwx]{9} .* (?!\.{1,2}$)\S+$/gmu), 'entry', 'entries')]
    if (/^ls -R/u.test(command)) return [plural(count(text, /^(?!.*:$).+$/gmu), 'entry', 'entries')]
    return [plural(count(text, /^.+$/gmu) - trouble, 'entry', 'entries')]
  },
  table: (text, { command }) => {
    const lines = text.split('\n').filter((line) => /[^-+|=\s]/u.test(line))
    // A title stands above the header.
    return [plural(lines.length - (command.startsWith('aws ') ? 2 : 1), 'row')]
  },
  json: (text) => {
    try {
      const value = JSON.parse(text) as { items?: unknown[] } | unknown[]
      const list = Array.isArray(value) ? value : value.items
      return list === undefined || list.length < 5 ? [] : [plural(list.length, 'element')]
    } catch {
      return ['the JSON document ends in the middle']
    }
  },
  jsonl: (text) => [plural(count(text, /^\{.*\}$/gmu), 'JSON record')],
  csv: (text) => {
    let quotes = 0
    let records = 0
    for (const line of text.split('\n')) {
      if (line === '' && quotes % 2 === 0) continue
      quotes += count(line, /"/gu)
      if (quotes % 2 === 0) records++
    }
    return [plural(records - 1, 'record')]
  },
  sarif: (text) => {
    const log = JSON.parse(text) as { runs: { results: { ruleId: string }[] }[] }
    const results = log.runs.flatMap((run) => run.results)
    return [plural(results.length, 'result'), plural(new Set(results.map(({ ruleId }) => ruleId)).size, 'rule')]
  },
  junit: (text) => [`${plural(count(text, /<testcase[\s>]/gu), 'test')}`],
  html: (text) => [plural(count(text, /<a[\s>]/giu), 'link')],
  stack: (text) => {
    const chains = count(text, /^(?:The above exception was|During handling of)/gmu)
    const traces =
      count(text, /^Traceback /gmu) - chains + count(text, /^Exception in thread|^panic: |^thread '.*panicked/gmu)
    return traces > 0 ? [plural(traces, 'stack trace')] : []
  },
  progress: (text) => {
    const states = text.split('\n').flatMap((line) => {
      const parts = line.split('\r').filter((part) => part.replace(/\u001b\[[\d;?]*[A-Za-z]/gu, '').trim() !== '')
      return parts.length > 1 ? parts : []
    })
    return [`${states.length} states`]
  },
}

const has = (facts: readonly string[], what: string): boolean =>
  facts.some((fact) => new RegExp(`(?<!\\d)${what.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')}(?![\\w])`, 'u').test(fact))

describe('numbers of recorded outputs', () => {
  for (const { family, name, expect, bytes } of CASES) {
    const recount = RECOUNTS[expect.family]
    if (recount === undefined) continue
    it(`${family}/${name}`, () => {
      const { text } = digestCase(expect, bytes)
      const told = text.split('\n').filter((line) => {
        const shown = readShown(line)
        return shown.is === 'frame' || shown.times !== undefined
      })
      for (const part of expect.told ?? [])
        assert.ok(
          told.some((line) => line.includes(part)),
          `not told: ${part}\n${text}`,
        )
      const facts = factsOf(reading(expect.family, expect, bytes)!)
      for (const what of recount(new TextDecoder().decode(bytes), expect))
        assert.ok(has(facts, what), `${what}: ${facts.join('; ')}`)
    })
  }

  it('what a fact says of some lines is true of these lines', () => {
    let checked = 0
    for (const { name, expect, bytes } of CASES.filter(({ expect }) => RECOUNTS[expect.family] !== undefined)) {
      const lines = linesOf(bytes)
      for (const fact of reading(expect.family, expect, bytes)!.facts) {
        if (typeof fact === 'string' || fact.at.by !== 'lines') continue
        const { from, to } = fact.at
        const part = lines.slice(from - 1, to).map(({ text }) => text)
        const [one, other] = [...fact.text.matchAll(/\d+/gu)].map(([n]) => Number(n))
        if (/ matches in the file of line /u.test(fact.text))
          assert.equal(part.filter((text) => /:\d+:/u.test(text)).length, one, name)
        else if (/ added, \d+ removed in the file /u.test(fact.text)) {
          const body = part.slice(part.findIndex((text) => text.startsWith('@@')))
          const marked = (mark: string) => body.filter((text) => text.startsWith(mark)).length
          assert.deepEqual([marked('+'), marked('-')], [one, other], name)
        } else if (/ untracked$/u.test(fact.text)) assert.equal(part.length, one, name)
        else continue
        checked++
      }
    }
    assert.ok(checked >= 6, `${checked} facts were checked`)
  })

  it('how often a line occurred is how often it occurs', () => {
    for (const { expect, bytes } of CASES) {
      if (expect.family !== 'grep') continue
      const lines = linesOf(bytes).map(({ text }) => text)
      for (const line of digestCase(expect, bytes).text.split('\n')) {
        const shown = readShown(line)
        if (shown.is !== 'slice' || shown.times === undefined || /(?<!no-)heading|--group|-rhn/u.test(expect.command))
          continue
        const own = lines.filter((text) => text.startsWith(`${shown.text}:`)).length
        assert.equal(shown.times, own, line)
      }
    }
  })
})

/** Families whose records are lines: what is left of a cut output can be counted the same way. */
const BY_LINE = ['grep', 'csv', 'jsonl', 'table', 'git-log', 'junit', 'progress']

/** Commands that make a family hear an output. */
const COMMANDS = ['x', 'git log', 'grep -rn -C2 x', 'ls -l']

describe('outputs that are cut', () => {
  const own = CASES.filter(({ expect }) => RECOUNTS[expect.family] !== undefined)

  it('no reader throws or loses a line, whatever is missing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...own),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (one, a, b) => {
          const [from, to] = [Math.min(a, b), Math.max(a, b)].map((share) => Math.floor(share * one.bytes.length))
          reading(one.expect.family, one.expect, one.bytes.subarray(from, to))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('what is left is counted right', () => {
    const some = own.filter(({ expect }) => BY_LINE.includes(expect.family))
    fc.assert(
      fc.property(fc.constantFrom(...some), fc.double({ min: 0.2, max: 1, noNaN: true }), (one, share) => {
        const end = one.bytes.indexOf(0x0a, Math.floor(share * (one.bytes.length - 2)))
        const bytes = one.bytes.subarray(0, end + 1)
        const read = reading(one.expect.family, one.expect, bytes)
        if (read === undefined) return
        for (const what of RECOUNTS[one.expect.family]!(new TextDecoder().decode(bytes), one.expect))
          assert.ok(has(factsOf(read), what), `${one.name}: ${what}: ${factsOf(read).join('; ')}`)
      }),
      { numRuns: 120 },
    )
  })

  it('lines without end take no time out of all proportion', () => {
    const units = ['a', ' ', ':1', 'a.', '│   ', '<a ', '"', 'Error', 'a(b ', '{', '@@ ', ' a | ']
    for (const unit of units)
      for (const begin of ['', 'at ', '\t', '  File "']) {
        const bytes = Buffer.from(`${begin}${unit.repeat(30_000 / unit.length)}x\n`.repeat(5))
        for (const { id } of FAMILIES.filter(({ id }) => RECOUNTS[id] !== undefined))
          for (const command of COMMANDS) {
            const start = performance.now()
            reading(id, { command, family: id }, bytes)
            // A tenth of a second at most where nothing else runs; an expression that goes back and forth takes minutes.
            assert.ok(performance.now() - start < 20_000, `${id}: ${begin}${unit}…`)
          }
      }
  })

  it('a part of a line that is shown lies within the capture', () => {
    for (const { expect, bytes } of own) {
      const read = reading(expect.family, expect, bytes)
      const lines = linesOf(bytes)
      for (const { span, bytes: part } of read?.items ?? []) {
        if (part === undefined) continue
        assert.ok(part.from >= lines[span.from - 1]!.from && part.to <= lines[span.to - 1]!.to && part.to > part.from)
      }
    }
  })
})
