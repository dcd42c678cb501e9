/**
 * The model that needs no key: it follows plain requests one call at a time and reports what came of them, or plays a
 * script. The same steps give the same reply.
 */
import { z } from 'zod'
import { tokensOf } from '../../../containment/tokens.ts'
import type { Model, Reply, Turn } from '../model.ts'
import { ModelError } from '../model.ts'
import { type Arguments, type Call, callOf, resultOf, type Step, textOf } from '../steps.ts'
import { readingOf } from './plain.ts'

/** The longest wait of a script, in milliseconds. */
const MOST_WAIT = 10 * 60_000

/** A script's turns. `wait`: milliseconds before one. `null` is as good as nothing. */
const SCRIPT = z.array(
  z.strictObject({
    text: z.string().nullish(),
    calls: z.array(z.strictObject({ name: z.string(), args: z.record(z.string(), z.unknown()).nullish() })).nullish(),
    wait: z.number().min(0).max(MOST_WAIT).nullish(),
    fail: z.string().nullish(),
  }),
)
type Line = z.infer<typeof SCRIPT>[number]

/** Characters of a result that a report repeats. */
const MOST_SHOWN = 2_000
/** Characters of text that come in one piece. */
const PIECE = 64

const HELP =
  'I am the scripted model: I follow plain requests such as "Run `ls` using code_execution", "read /workspace/a.txt" or "create /workspace/a.txt containing \'text\'". This request names nothing that I can do.'

/** The built-in model. */
export const scriptedModel: Model = {
  name: 'scripted',
  async turn(turn) {
    const since = sinceInput(turn.steps)
    const script = scriptOf(since.request)
    const reply = script === undefined ? follow(turn, since) : await play(script[turnsIn(since.steps)], turn)
    for (let at = 0; at < reply.text.length; at += PIECE) turn.text(reply.text.slice(at, at + PIECE))
    return reply
  },
}

interface Since {
  readonly request: string
  readonly steps: readonly Step[]
}

/** The newest input of the user and what came after it. */
function sinceInput(steps: readonly Step[]): Since {
  const at = steps.findLastIndex(({ type }) => type === 'user_input')
  const input = steps[at]
  return { request: input?.type === 'user_input' ? textOf(input.content) : '', steps: steps.slice(at + 1) }
}

const isModels = (step: Step): boolean =>
  step.type === 'model_output' || step.type === 'thought' || callOf(step) !== undefined

/** How many turns the model has had: what it says and asks for in one turn lies together. */
const turnsIn = (steps: readonly Step[]): number =>
  steps.filter((step, at) => isModels(step) && (at === 0 || !isModels(steps[at - 1]!))).length

/** `{"script": […]}` as the whole request. Throws `ModelError` for one that cannot be played. */
function scriptOf(request: string): readonly Line[] | undefined {
  if (!/^\s*\{\s*"script"/.test(request)) return undefined
  let given: { readonly script?: unknown }
  try {
    given = JSON.parse(request) as typeof given
  } catch {
    throw new ModelError('the script is no JSON that can be read')
  }
  const read = SCRIPT.safeParse(given.script)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new ModelError(`the script cannot be played: ${['script', ...issue!.path].join('.')}: ${issue!.message}`)
}

async function play(line: Line | undefined, turn: Turn): Promise<Reply> {
  if (line?.wait) await pause(line.wait, turn.signal)
  if (typeof line?.fail === 'string') throw new ModelError(line.fail)
  const calls = (line?.calls ?? []).map(({ name, args }) => ({ name, args: args ?? {} }))
  return replyOf(turn, line?.text ?? (calls.length === 0 ? 'The script has ended.' : ''), calls)
}

/** Waits; rejects at once where the signal fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

function follow(turn: Turn, { request, steps }: Since): Reply {
  const offered = new Set(turn.tools.map(({ name }) => name))
  const reading = readingOf(request)
  const wanted = [...reading.calls, ...functionsIn(request, turn)].filter(({ name }) => offered.has(name))
  const calls = steps.flatMap((step) => callOf(step) ?? [])
  const results = new Map(
    steps.flatMap((step) => (resultOf(step) === undefined ? [] : [[resultOf(step)!.callId, resultOf(step)!]])),
  )
  const denied = [...results.values()].find(({ text, isError }) => isError && DENIED.test(text))
  const next = denied === undefined ? wanted[calls.length] : undefined
  if (next !== undefined) return replyOf(turn, '', [next])
  if (calls.length === 0) return replyOf(turn, [...loneResults(turn.steps), HELP].slice(0, 1)[0]!, [])
  const left = wanted.length - calls.length
  return replyOf(
    turn,
    calls.map((call) => reportOf(call, results.get(call.id))).join('\n\n') +
      stopped(denied !== undefined, left) +
      reading.unread.map((words) => `\n\nI did not understand this, and left it out: ${shown(words)}`).join(''),
    [],
  )
}

const DENIED = /^Tool call denied by hook: /

/** A function of the client that the request names: `call f with {"a":1}`. */
function functionsIn(request: string, { tools }: Turn): readonly { readonly name: string; readonly args: Arguments }[] {
  return tools.flatMap(({ name }) => {
    const found = new RegExp(
      `\\bcall\\s+\`?${name.replace(/[^\w]/g, '\\$&')}\`?(?:\\s+with\\s+(\\{.*?\\})(?=\\s*(?:[.,;]|$|and\\b|then\\b)))?`,
      'is',
    ).exec(request)
    if (found === null) return []
    try {
      return [{ name, args: JSON.parse(found[1] ?? '{}') as Arguments }]
    } catch {
      return []
    }
  })
}

/** What a client answered to calls of an earlier interaction. */
function loneResults(steps: readonly Step[]): readonly string[] {
  const own = steps.slice(steps.findLastIndex(isModels) + 1).flatMap((step) => resultOf(step) ?? [])
  return own.length === 0 ? [] : [own.map(({ text }) => `The function answered: ${shown(text)}`).join('\n')]
}

const stopped = (denied: boolean, left: number): string =>
  denied && left > 0
    ? `\n\nI stopped there: ${left === 1 ? 'one more step was' : `${left} more steps were`} asked for.`
    : ''

function reportOf(
  { name, args }: Call,
  result: { readonly text: string; readonly isError: boolean } | undefined,
): string {
  const text = result?.text ?? ''
  const what = whatOf(name, args)
  if (result?.isError && DENIED.test(text))
    return `I could not ${what}: ${text.replace(DENIED, '')} I did not try another way.`
  if (result?.isError) return `I tried to ${what}, and it failed: ${shown(text)}`
  if (name === 'write_to_file' || name === 'delete_file' || name === 'replace_file_content') return `Done: ${what}.`
  return text.trim() === '' ? `Done: ${what}. There was no output.` : `Done: ${what}. The result:\n${shown(text)}`
}

function whatOf(name: string, args: Arguments): string {
  const path = `\`${String(args['path'])}\``
  switch (name) {
    case 'code_execution':
      return `run \`${String(args['code'])}\``
    case 'view_file':
      return `read ${path}`
    case 'write_to_file':
      return `create ${path}`
    case 'replace_file_content':
      return `change ${path}`
    case 'list_dir':
      return `list ${path}`
    case 'delete_file':
      return `delete ${path}`
    default:
      return `call ${name}`
  }
}

const shown = (text: string): string => (text.length <= MOST_SHOWN ? text.trimEnd() : `${text.slice(0, MOST_SHOWN)}…`)

function replyOf(turn: Turn, text: string, calls: Reply['calls']): Reply {
  const input = turn.steps.reduce((sum, step) => sum + tokensOf(JSON.stringify(step)), tokensOf(turn.instructions))
  return {
    text,
    calls,
    tokens: { input, output: tokensOf(text) + (calls.length === 0 ? 0 : tokensOf(JSON.stringify(calls))) },
  }
}
