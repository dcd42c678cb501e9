/** Reads the text of a `hooks.json`. What cannot be understood is skipped piece by piece, each with a finding; nothing throws. */
import { type About, type Finding, finding, quoted, type Weight } from './findings.ts'
import { type ForeignHandler, foreignHandlers } from './foreign.ts'
import { readHandler } from './handler.ts'
import { isFault, type Member, type Ordered, parseOrdered } from './json.ts'
import { type Matcher, Matchers } from './matcher.ts'
import { MatcherFindings } from './matcher-findings.ts'
import { EVENTS, type Event, type Group, type Handler, type HookFile, type Rule } from './model.ts'

/** Bytes of a file; inline sources end there, too. */
export const LARGEST = 1 << 20

/** Findings of one file that are told. */
const MOST_FINDINGS = 200

const BOTH = EVENTS.join(' and ')

interface Place {
  /** Inside the environment. */
  readonly path: string
  readonly cwd: string
}

/** A file that is there but cannot be read as text. */
export function unreadable({ path, cwd }: Place, why: string, text = ''): HookFile {
  const said = `${path} is not used, no hook of it runs: ${why}`
  return {
    path,
    cwd,
    groups: [],
    foreign: [],
    unread: text,
    findings: [finding('allows', 'file.broken', said, { file: path })],
  }
}

/** Bytes of a file as a configuration. */
export function readHookBytes(place: Place, bytes: Uint8Array): HookFile {
  if (bytes.length > LARGEST) return unreadable(place, `it is larger than ${LARGEST} bytes`, latin(bytes))
  try {
    return readHookText(place, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return unreadable(place, 'it is no UTF-8', latin(bytes))
  }
}

const latin = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, LARGEST)).toString('latin1')

/** The text of a file as a configuration. */
export function readHookText(place: Place, text: string): HookFile {
  const { path: file, cwd } = place
  const findings: Finding[] = []
  const marked = text.startsWith('\uFEFF')
  if (marked)
    findings.push(finding('note', 'file.bom', `${file} begins with a byte order mark; leave it out`, { file }))
  const tree = parseOrdered(marked ? text.slice(1) : text)
  if (isFault(tree)) {
    const { line, why } = tree
    const broken = unreadable(place, `${line === undefined ? '' : `line ${line}: `}${why}`, text)
    return { ...broken, findings: broken.findings.map((one) => (line === undefined ? one : { ...one, line })) }
  }
  if (tree.is !== 'object') return unreadable(place, 'it must be an object of named groups', text)
  const groups: Group[] = []
  const reader = new Reader(file, findings)
  for (const member of tree.members) {
    const group = reader.group(member)
    if (group !== undefined) groups.push(group)
  }
  reader.twice(tree, 'the group', 'both groups run', {})
  reader.end()
  return { path: file, cwd, groups, findings, foreign: reader.foreign }
}

class Reader {
  readonly file: string
  readonly findings: Finding[]
  private readonly matchers = new Matchers()
  private more: Weight | undefined
  readonly foreign: ForeignHandler[] = []
  private readonly odd = new MatcherFindings()

  constructor(file: string, findings: Finding[]) {
    this.file = file
    this.findings = findings
  }

  group({ key: name, line, value }: Member): Group | undefined {
    const about: About = { file: this.file, group: name, line }
    // Editors put it there, and it says nothing of hooks.
    if (name === '$schema' && value.is === 'scalar') return undefined
    const rules: Record<Event, Rule[]> = { pre_tool_execution: [], post_tool_execution: [] }
    const broken = (why: string, at: number) => rules.pre_tool_execution.push(brokenRule(why, at))
    if (value.is !== 'object') {
      const event = EVENTS.some((one) => one === name)
      const why = event ? 'an event stands inside of a named group' : `a group is an object with ${BOTH}`
      // A text or a number at the top is a remark, as `version` of other products.
      const remark = value.is === 'scalar' && value.value !== null
      this.say(remark ? 'note' : 'allows', 'group.shape', `the group ${quoted(name)} is skipped: ${why}`, about)
      broken('it is no object', line)
      if (!event) this.foreign.push(...foreignHandlers(name, name, value))
      return { name, enabled: true, line, rules }
    }
    let enabled = true
    for (const { key, line, value: part } of value.members) {
      const here = { ...about, line }
      const event = EVENTS.find((one) => one === key)
      if (event !== undefined) rules[event].push(...this.event(event, part, here))
      else if (key === 'enabled') enabled = this.enabled(part, here)
      else {
        const list = part.is === 'array'
        const text = `${quoted(key)} in the group ${quoted(name)} is no event and is ignored: there are ${BOTH}`
        this.say(list ? 'allows' : 'note', 'event.unknown', text, here)
        if (list) broken(`${quoted(key)} is no event`, line)
        if (list) this.foreign.push(...foreignHandlers(name, key, part))
      }
    }
    if (!enabled) this.say('note', 'group.off', `the group ${quoted(name)} is switched off`, about)
    this.twice(value, 'the key', 'rules of both run, of anything else the last holds', about)
    return { name, enabled, line, rules }
  }

  private enabled(value: Ordered, about: About): boolean {
    if (value.is === 'scalar' && typeof value.value === 'boolean') return value.value
    this.say('note', 'group.enabled', `"enabled" of the group ${quoted(about.group!)} is no boolean: it is on`, about)
    return true
  }

  private event(event: Event, value: Ordered, about: About): readonly Rule[] {
    if (value.is === 'array') return value.items.map((item) => this.rule(event, item, { ...about, line: item.line }))
    this.say(
      'allows',
      'event.shape',
      `${event} of the group ${quoted(about.group!)} is skipped: it must be a list`,
      about,
    )
    return [brokenRule(`${event} is no list`, value.line)]
  }

  private rule(event: Event, value: Ordered, about: About): Rule {
    const where = `a rule of ${event} in the group ${quoted(about.group!)}`
    if (value.is !== 'object') {
      this.say('allows', 'rule.shape', `${where} is skipped: it must be an object with matcher and hooks`, about)
      return brokenRule('a rule is no object', value.line)
    }
    let matcher: Matcher = this.matchers.compile('')
    let hooks: Ordered | undefined
    let wrong = false
    for (const { key, value: part, line } of value.members) {
      if (key === 'hooks') hooks = part
      else if (key !== 'matcher') this.unknown(key, `in ${where}`, 'matcher and hooks', { ...about, line })
      else {
        wrong = part.is !== 'scalar' || typeof part.value !== 'string'
        matcher = this.matchers.compile(part.is === 'scalar' && typeof part.value === 'string' ? part.value : '')
      }
    }
    this.twice(value, 'the key', 'the last holds', about)
    if (wrong) {
      this.say('allows', 'matcher.shape', `${where} is skipped: its matcher must be a string`, about)
      return brokenRule('a matcher is no string', value.line)
    }
    this.add(this.odd.of(matcher, about))
    if (hooks?.is !== 'array') {
      this.say('allows', 'rule.hooks', `${where} does nothing: "hooks" must be a list of handlers`, about)
      return { matcher, handlers: [{ is: 'broken', why: 'hooks is no list', line: value.line }] }
    }
    if (hooks.items.length === 0) this.say('note', 'rule.empty', `${where} has no handler`, about)
    return { matcher, handlers: hooks.items.map((item) => this.handler(item, { ...about, line: item.line })) }
  }

  private handler(value: Ordered, about: About): Handler {
    const { handler, findings } = readHandler(value, about)
    this.add(findings)
    if (value.is === 'object') this.twice(value, 'the key', 'the last holds', about)
    return handler
  }

  /** Keys that are there twice: other readers take the last alone. */
  twice(value: Extract<Ordered, { is: 'object' }>, what: string, holds: string, about: About): void {
    const seen = new Set<string>()
    for (const { key, line } of value.members) {
      if (seen.has(key))
        this.say('note', 'key.twice', `${what} ${quoted(key)} is there twice: ${holds}; other readers see the last`, {
          ...{ file: this.file, ...about },
          line,
        })
      seen.add(key)
    }
  }

  private unknown(key: string, where: string, known: string, about: About): void {
    this.say('note', 'key.unknown', `${quoted(key)} ${where} means nothing: there are ${known}`, about)
  }

  private say(weight: Weight, id: string, text: string, about: About): void {
    this.add([finding(weight, id, text, about)])
  }

  /** A file of a megabyte can be wrong in very many places. */
  private add(findings: readonly Finding[]): void {
    for (const one of findings) {
      if (this.findings.length < MOST_FINDINGS) this.findings.push(one)
      else if (one.weight === 'allows' || this.more !== 'allows') this.more = one.weight
    }
  }

  end(): void {
    const text = `more than ${MOST_FINDINGS} findings: the others are left out`
    if (this.more !== undefined) this.findings.push(finding(this.more, 'file.more', text, { file: this.file }))
  }
}

/** What stands for a piece that is skipped: it matches nothing, unless the failures of its group deny. */
const brokenRule = (why: string, line: number): Rule => ({
  matcher: { text: '', matches: () => false, broken: why },
  handlers: [{ is: 'broken', why, line }],
})
