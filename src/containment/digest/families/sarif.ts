/**
 * SARIF 2.1.0: results of static analysis as JSON. Results are counted by level and by rule; the first result of each rule
 * is shown by its own lines: message, rule, file and line.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { Blocks, BOUND } from './blocks.ts'
import type { At } from './census.ts'
import { JsonScan, type Scalar, type Watcher } from './json-scan.ts'
import { counted } from './words.ts'

/** Rules and files that are told apart. */
const RULES = 1024
const FILES = 4096
/** Levels of the standard; a result without one is a warning (3.27.10). */
const LEVELS = ['error', 'warning', 'note', 'none'] as const

interface Rule {
  count: number
  error: boolean
  /** Where the first result says what it is about, in the order of reading. */
  readonly first: readonly At[]
  readonly id: At | undefined
}

/** One result while it is read. */
interface Result {
  level: string
  rule: string
  places: { message?: At; rule?: At; uri?: At; line?: At }
}

class Results implements Watcher {
  readonly rules = new Map<string, Rule>()
  readonly files = new Set<string>()
  readonly levels = new Map<string, number>()
  /** Fields of the log itself. */
  version = ''
  schema = false
  runs = 0
  results = 0
  readonly #keys: (string | undefined)[] = []
  #result: Result | undefined

  get #path(): string {
    return this.#keys.map((key) => key ?? '*').join('/')
  }

  open(_is: 'array' | 'object', key: string | undefined): void {
    this.#keys.push(key)
    const { length } = this.#keys
    // The path is only written out where it can be one of these.
    if (length === 3 && this.#path === '*/runs/*') this.runs++
    if (length === 5 && this.#path === '*/runs/*/results/*') this.#result = { level: '', rule: '', places: {} }
  }

  close(): void {
    if (this.#keys.length === 5 && this.#result !== undefined) {
      this.#take(this.#result)
      this.#result = undefined
    }
    this.#keys.pop()
  }

  #take({ level, rule, places }: Result): void {
    this.results++
    const known = LEVELS.find((name) => name === level) ?? 'warning'
    this.levels.set(known, (this.levels.get(known) ?? 0) + 1)
    const there = this.rules.get(rule)
    if (there !== undefined) {
      there.count++
      return
    }
    if (this.rules.size >= RULES) return
    const first = [places.rule, places.message, places.uri, places.line].filter((at) => at !== undefined)
    this.rules.set(rule, { count: 1, error: known === 'error', first, id: places.rule })
  }

  scalar(value: Scalar, key: string | undefined, start: number): void {
    const depth = this.#keys.length
    if (depth === 1) {
      if (key === 'version') this.version = value.text
      if (key === '$schema') this.schema = /sarif/iu.test(value.text)
    }
    const result = this.#result
    if (result === undefined) return
    const at: At = { span: { from: value.line, to: value.line }, bytes: { from: start, to: value.to } }
    const below = this.#keys
      .slice(5)
      .map((name) => name ?? '*')
      .join('/')
    if (below === '') {
      if (key === 'ruleId') {
        result.rule = value.text
        result.places.rule = at
      } else if (key === 'level') result.level = value.text
    } else if (below === 'message' && key === 'text') result.places.message ??= at
    else if (below === 'locations/*/physicalLocation/artifactLocation' && key === 'uri') {
      result.places.uri ??= at
      if (this.files.size < FILES) this.files.add(value.text)
    } else if (below === 'locations/*/physicalLocation/region' && key === 'startLine') result.places.line ??= at
  }
}

class Sarif implements Reader {
  readonly #blocks: Blocks
  readonly #results = new Results()
  readonly #scan = new JsonScan(this.#results)
  #parsed = 0
  #broken = false
  #last = 0

  constructor(probe: Probe) {
    this.#blocks = new Blocks(probe.bytes)
  }

  line({ n, from, to }: Line): void {
    this.#parsed++
    if ((this.#last !== 0 && n !== this.#last + 1) || to - from > BOUND) this.#broken = true
    this.#last = n
    if (this.#broken) return
    for (const { bytes, at } of this.#blocks.parts(from, to)) this.#scan.read(bytes, at, n)
    this.#scan.endLine(to)
  }

  end(): Reading | undefined {
    const { rules, files, levels, results, runs, schema, version } = this.#results
    if (this.#broken || this.#scan.wrong || this.#scan.open || this.#scan.documents !== 1) return undefined
    if (runs === 0 || !(schema || version.startsWith('2.'))) return undefined
    const told = LEVELS.filter((level) => levels.has(level)).map((level) => counted(levels.get(level)!, level))
    const facts: Fact[] = [
      counted(results, 'result') + (told.length > 0 ? `: ${told.join(', ')}` : ''),
      ...(results > 0 ? [`${counted(rules.size, 'rule')}, ${counted(files.size, 'file')}`] : []),
    ]
    const items: Item[] = []
    for (const { count, error, first, id } of rules.values()) {
      const weight = (error ? 20 : 10) + 10 / count
      for (const at of first) items.push({ kind: error ? 'cause' : 'rare', span: at.span, bytes: at.bytes!, weight })
      if (count > 1 && id !== undefined)
        items.push({ kind: 'total', span: id.span, bytes: id.bytes!, times: count, weight: count })
    }
    return { parsed: this.#parsed, other: 0, facts, items, ends: { head: 1, tail: 1 } }
  }
}

export const sarif: Family = {
  id: 'sarif',
  detect: (probe: Probe) => {
    if (!/^\s*\{/u.test(probe.head[0]?.text ?? '')) return false
    const start = new TextDecoder().decode(probe.bytes.read(0, 4096))
    return (
      /"\$schema"\s*:\s*"[^"]*sarif/iu.test(start) ||
      (/"version"\s*:\s*"2\.\d/u.test(start) && /"runs"\s*:/u.test(start))
    )
  },
  reader: (probe: Probe) => new Sarif(probe),
}
