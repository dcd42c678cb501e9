import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAddress } from '../../address.ts'
import { readShown } from '../../frame.ts'
import { shownText } from '../clean.ts'
import { statusOf } from '../digest.ts'
import { type Case, corpus, digestCase, HANDLE } from './corpus.testing.ts'
import { FAMILIES } from './index.ts'

const CASES = corpus()

/** What a terminal would show of all lines, and every state of those that overwrote themselves. */
const terminal = (bytes: Uint8Array): string => {
  const lines: string[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from)
    const to = end < 0 ? bytes.length : end
    lines.push(shownText(bytes, from, to))
    for (
      let at = from, cut = bytes.indexOf(0x0d, at);
      cut >= 0 && cut < to;
      at = cut + 1, cut = bytes.indexOf(0x0d, at)
    )
      lines.push(shownText(bytes, at, cut))
    from = to + 1
  }
  return lines.join('\n')
}

/** Failures that the digest counts and does not show, with the address where they are. */
function counted(text: string): number {
  const found = /^\[ctx (\d+) more failures? not shown: ctx get (\S+ --lines \d+:\d+)\]$/mu.exec(text)
  if (found === null) return 0
  assert.ok('handle' in parseAddress(found[2]!), found[2])
  return Number(found[1])
}

/** Every shown line is a slice of the capture or a line of ours. */
function assertNothingInvented(text: string, raw: string): void {
  for (const line of text.split('\n')) {
    const shown = readShown(line)
    assert.ok(shown.is === 'frame' || raw.includes(shown.text) || raw.includes(line), `invented: ${line}`)
  }
}

const named = ({ family, name }: Case): string => `${family}/${name}`

describe('recorded outputs', () => {
  for (const one of CASES)
    it(named(one), () => {
      const { expect, bytes } = one
      const raw = terminal(bytes)
      const digest = digestCase(expect, bytes)
      const { text } = digest
      assert.equal(digest.status, statusOf(expect.exit, expect.signal))
      if (expect.family !== '*') assert.equal(digest.family, expect.family)
      for (const part of expect.show ?? []) {
        assert.ok(raw.includes(part), `the output has no ${part}`)
        assert.ok(text.includes(part), `missing: ${part}\n${text}`)
      }
      for (const part of expect.told ?? []) assert.ok(text.includes(part), `not said: ${part}\n${text}`)
      for (const part of expect.never ?? []) assert.ok(!text.includes(part), `must not be shown: ${part}\n${text}`)
      const failures = expect.failures ?? []
      const missing = failures.filter((failure) => !text.includes(failure))
      if (missing.length > 0)
        assert.ok(counted(text) >= missing.length, `neither shown nor counted: ${missing.join(', ')}\n${text}`)
      assertNothingInvented(text, raw)
      const [first, ...body] = text.split('\n')
      assert.match(first!, /^\[ctx (?:exit|killed) /u)
      assert.ok(Buffer.byteLength(body.join('\n').trimEnd()) <= bytes.length, 'larger than the output')
    })

  it('every listed family has recorded outputs of its own', () => {
    const heard = new Set(CASES.map(({ expect }) => expect.family))
    assert.deepEqual(
      FAMILIES.map(({ id }) => id).filter((id) => !heard.has(id)),
      [],
    )
  })
})

/** Numbers in [0, 1) that follow from a seed. */
function* numbers(seed: number): Generator<number, never> {
  for (let a = seed; ; ) {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    yield ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

type Spoil = (lines: readonly string[], random: () => number, others: readonly string[]) => readonly string[]

const SPOILS: Readonly<Record<string, Spoil>> = {
  'cut at the end': (lines, random) => lines.slice(0, Math.floor(random() * lines.length)),
  'cut at the start': (lines, random) => lines.slice(Math.floor(random() * lines.length)),
  'cut in the middle': (lines, random) => {
    const at = Math.floor(random() * lines.length)
    return [...lines.slice(0, at), ...lines.slice(at + 1 + Math.floor((random() * lines.length) / 2))]
  },
  shuffled: (lines, random) => {
    const out = [...lines]
    for (let i = out.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1))
      ;[out[i], out[j]] = [out[j]!, out[i]!]
    }
    return out
  },
  'interleaved with another': (lines, random, others) => {
    const out: string[] = []
    let other = 0
    for (const line of lines) {
      if (random() < 0.4 && other < others.length) out.push(others[other++]!)
      out.push(line)
    }
    return out
  },
}

/** Words by which a line of ours would call a failed run a good one, or the reverse. */
const SUCCESS = /\b(?:all (?:tests )?passed|success(?:ful(?:ly)?)?|no (?:errors|failures))\b/iu

describe('spoiled outputs', () => {
  for (const [how, spoil] of Object.entries(SPOILS))
    it(`${how}: the end of the run is told as it was, nothing is invented`, () => {
      const next = numbers(4711)
      const random = () => next.next().value
      const texts = CASES.map(({ bytes }) => new TextDecoder('latin1').decode(bytes.subarray(0, 24_000)).split('\n'))
      CASES.forEach((one, at) => {
        const others = texts[Math.floor(random() * texts.length)]!
        const exit = random() < 0.3 ? 0 : 1
        // Every second output: the others have their turn with the next way to spoil.
        if ((at + how.length) % 2 === 0) return
        const bytes = Buffer.from(spoil(texts[at]!, random, others).join('\n'), 'latin1')
        const digest = digestCase({ ...one.expect, exit }, bytes)
        assert.equal(digest.status, exit === 0 ? 'ok' : 'failed')
        assert.ok(digest.text.startsWith(`[ctx exit ${exit} `), digest.text)
        assertNothingInvented(digest.text, terminal(bytes))
        for (const line of digest.text.split('\n').slice(1))
          if (exit === 1 && readShown(line).is === 'frame' && SUCCESS.test(line))
            assert.match(line, /the output speaks of success, the end of the run of failure/u, named(one))
      })
    })

  /** Runners whose last words end every run. */
  const ENDING = [
    ...['pytest', 'unittest', 'jest', 'vitest', 'mocha', 'node-test', 'tap', 'rspec', 'minitest', 'phpunit', 'ctest'],
    ...['junit', 'java'],
  ]
  /** Compilers alone, and builds that were told to be quiet, have no last words. */
  const SILENT = /^(?:javac-|maven-.*-q$)/
  for (const family of ENDING)
    it(`${family} without its last words is called incomplete, or nobody's`, () => {
      for (const one of CASES) {
        if (one.family !== family || one.bytes.length < 2500 || SILENT.test(one.name)) continue
        const lines = new TextDecoder('latin1').decode(one.bytes).split('\n')
        for (const share of [0.3, 0.6, 0.8]) {
          const bytes = Buffer.from(lines.slice(0, Math.floor(lines.length * share)).join('\n'), 'latin1')
          const digest = digestCase({ ...one.expect, exit: 1 }, bytes)
          if (digest.family !== family || !/^\[ctx .* left out/mu.test(digest.text)) continue
          assert.match(
            digest.text,
            /^\[ctx .*(?:not complete|may not be complete|the plan names|of them named)/mu,
            `${named(one)} ${share}`,
          )
        }
      }
    })

  it('the same bytes give the same text', () => {
    for (const { expect, bytes } of CASES.filter((_, at) => at % 3 === 0))
      assert.equal(digestCase(expect, bytes).text, digestCase(expect, new Uint8Array(bytes)).text)
  })

  it('the address of every left out part is of the capture', () => {
    for (const { expect, bytes } of CASES.filter((_, at) => at % 3 === 1))
      for (const address of digestCase(expect, bytes, 300).addresses) assert.ok(address.startsWith(HANDLE), address)
  })
})
