/** What a handler's answer decides, and what is odd about it. */
import { type About, type Finding, finding, quoted } from './findings.ts'

export interface Answer {
  readonly decision: 'allow' | 'deny'
  /** As given; absent where there is none that says anything. */
  readonly reason?: string
  /** Neither a deny nor an allow nor silence: an approval as published, and a failure of a group whose failures deny. */
  readonly strange: boolean
  readonly findings: readonly Finding[]
}

const RIGHT = '{"decision":"deny","reason":"…"}'

/**
 * Reads the whole of what a command printed, or of an http body. Only one JSON object whose `decision` is exactly `deny`
 * denies; everything else allows.
 */
export function readAnswer(text: string, about: About): Answer {
  const trimmed = text.trim()
  if (trimmed === '') return { decision: 'allow', strange: false, findings: [] }
  const value = parse(trimmed)
  if (value === undefined) return { decision: 'allow', strange: true, findings: around(trimmed, about) }
  if (!isObject(value)) {
    const what = Array.isArray(value) ? 'a list' : 'no object'
    const text = `the answer is ${what}; a deny is the object ${RIGHT} alone`
    return { decision: 'allow', strange: true, findings: [finding('allows', 'answer.shape', text, about)] }
  }
  const { decision, reason } = value
  if (decision === 'deny') {
    const said = typeof reason === 'string' && reason.trim() !== '' ? reason : undefined
    return { decision: 'deny', strange: false, findings: [], ...(said === undefined ? {} : { reason: said }) }
  }
  if (decision === 'allow' || Object.keys(value).length === 0)
    return { decision: 'allow', strange: false, findings: [] }
  return { decision: 'allow', strange: true, findings: [form(value, about)] }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value, or undefined where the text is no JSON (which has no undefined). */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Keys with which other products answer. */
const OTHER_KEYS = ['hookSpecificOutput', 'permissionDecision', 'permission', 'continue', 'behavior', 'stopReason']

/** An object that decides nothing here. */
function form(value: Readonly<Record<string, unknown>>, about: About): Finding {
  const { decision } = value
  if (typeof decision === 'string') {
    const form = decision.trim().toLowerCase() === 'deny' ? 'is spelled otherwise' : 'means nothing here'
    const text = `the decision ${quoted(decision)} ${form}, so the call is allowed: the right form is ${RIGHT}`
    return finding('allows', 'answer.decision', text, about)
  }
  if (decision !== undefined)
    return finding('allows', 'answer.decision', `the decision is no string: the right form is ${RIGHT}`, about)
  const key = OTHER_KEYS.find((one) => Object.hasOwn(value, one))
  if (key === undefined)
    return finding('allows', 'answer.unknown', `the answer has no key "decision": the right form is ${RIGHT}`, about)
  const text = `"${key}" is the form of another product and decides nothing here: the key is "decision", as in ${RIGHT}`
  return finding('allows', 'answer.foreign', text, about)
}

interface Found {
  readonly value: Readonly<Record<string, unknown>>
  readonly from: number
  readonly to: number
}

/** Why a text that is no JSON as a whole is none, and what the objects within would have decided. */
function around(text: string, about: About): readonly Finding[] {
  const documents = objectsIn(text)
  const say = (id: string, words: string) => finding('allows', id, words, about)
  const whole = 'the whole output must be one JSON object'
  const [first] = documents
  const last = documents.at(-1)
  if (first === undefined || last === undefined)
    return [
      say('answer.text', `the answer is plain text (${quoted(firstLine(text))}), so the call is allowed: ${whole}`),
    ]
  const out: Finding[] = []
  const [before, after] = [text.slice(0, first.from).trim(), text.slice(last.to).trim()]
  if (before !== '')
    out.push(say('answer.before', `text before the JSON (${quoted(firstLine(before))}) voids the answer: ${whole}`))
  if (after !== '')
    out.push(say('answer.after', `text after the JSON (${quoted(firstLine(after))}) voids the answer: ${whole}`))
  if (documents.length > 1)
    out.push(
      say('answer.two', `${documents.length === 2 ? 'two' : 'more than two'} JSON documents void the answer: ${whole}`),
    )
  const odd = documents.find(
    ({ value }) => value['decision'] !== 'deny' && value['decision'] !== 'allow' && foreign(value),
  )
  if (odd !== undefined) out.push(form(odd.value, about))
  return out
}

const foreign = (value: Readonly<Record<string, unknown>>): boolean =>
  value['decision'] !== undefined || OTHER_KEYS.some((key) => key !== 'continue' && Object.hasOwn(value, key))

const firstLine = (text: string): string => text.split('\n', 1)[0]!.trim()

/** Objects that are looked for in a text, so that one of a megabyte of brackets is soon done. */
const MOST_OBJECTS = 32

/** The outermost JSON objects of a text, in order. */
function objectsIn(text: string): readonly Found[] {
  const out: Found[] = []
  let tried = 0
  for (let from = text.indexOf('{'); from !== -1 && tried < MOST_OBJECTS; tried++) {
    const to = endOfObject(text, from)
    const value = to === undefined ? undefined : parse(text.slice(from, to))
    if (to !== undefined && isObject(value)) out.push({ value, from, to })
    from = text.indexOf('{', to !== undefined && isObject(value) ? to : from + 1)
  }
  return out
}

function endOfObject(text: string, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (char === '{') depth++
    else if (char === '}' && --depth === 0) return at + 1
  }
  return undefined
}
