/** The one tool of our server: it looks up what was captured. There is no operation that runs anything. */
import { isAbsolute } from 'node:path'
import { EXIT, type Io } from '../io.ts'

/** Tokens of an answer: asked for less, but never for more than a command line gives by itself. */
const LEAST_TOKENS = 100
const MOST_TOKENS = 1200
const MOST_PATTERNS = 16
/** Characters of a text in the arguments. */
const MOST_TEXT = 4096

const text = (description: string) => ({ type: 'string', description })

export const SELECTORS = ['lines', 'bytes', 'records', 'jsonPointer', 'shape'] as const

/** Schema of the arguments. A model pays for each word of it in every session. */
export const TOOL = {
  name: 'ctx',
  description:
    'Look up output that was captured: digests name it by address (run:<hex>, blob:<hex>), files by repo:<path>. Answers are bounded and name the next address. Runs nothing.',
  inputSchema: {
    type: 'object',
    properties: {
      op: {
        enum: ['get', 'search', 'stats', 'diff'],
        description:
          'get: the part that selector names; search: lines with a pattern; stats: what there is; diff: what changed',
      },
      ref: text('address'),
      other: text('diff: address of the later run'),
      patterns: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MOST_PATTERNS,
        description: 'search: expressions',
      },
      selector: {
        type: 'object',
        description: 'get: one of these; ranges as A:B, both included',
        properties: Object.fromEntries(SELECTORS.map((name) => [name, { type: 'string' }])),
        additionalProperties: false,
        maxProperties: 1,
      },
      options: {
        type: 'object',
        description: 'search',
        properties: {
          fixed: { type: 'boolean' },
          all: { type: 'boolean', description: 'lines with all patterns' },
          context: { type: 'integer', description: 'lines around' },
          glob: text('files below repo:'),
          query: text('words to rank by'),
          maxMatches: { type: 'integer' },
          skip: { type: 'integer' },
        },
        additionalProperties: false,
      },
      maxTokens: { type: 'integer', description: `of the answer, up to ${MOST_TOKENS}` },
      workspace: text('absolute directory that repo: means'),
    },
    required: ['op', 'ref'],
    additionalProperties: false,
  },
} as const

type Args = Readonly<Record<string, unknown>>

export interface Answered {
  readonly text: string
  readonly failed: boolean
}

/** Answers a call. What is wrong with it is told in one sentence, as a failed result; never throws. */
export async function answerCall(args: Args, io: Io): Promise<Answered> {
  const op = typeof args['op'] === 'string' ? args['op'] : ''
  try {
    for (const key of Object.keys(args))
      if (!Object.hasOwn(TOOL.inputSchema.properties, key)) throw new Error(`${JSON.stringify(key)} is no argument`)
    const run = Object.hasOwn(OPS, op) ? OPS[op as keyof typeof OPS] : undefined
    if (run === undefined)
      throw new Error(`op takes ${Object.keys(OPS).join(', ')}, not ${JSON.stringify(op.slice(0, 64))}`)
    const workspace = given(args, 'workspace')
    if (workspace !== undefined && !isAbsolute(workspace)) throw new Error('workspace takes an absolute directory')
    let out = ''
    let err = ''
    const own: Io = {
      ...io,
      ...(workspace === undefined ? {} : { cwd: workspace }),
      out: (part) => {
        out += part
      },
      err: (part) => {
        err += part
      },
      colour: false,
    }
    const code = await run(args, own)
    return { text: out + err, failed: code !== EXIT.ok }
  } catch (error) {
    return { text: `ctx ${op.slice(0, 64)}: ${error instanceof Error ? error.message : String(error)}\n`, failed: true }
  }
}

const OPS = {
  async get(args: Args, io: Io): Promise<number> {
    const { getVerb } = await import('../ctx/get-verb.ts')
    const selector = objectOf(args, 'selector', SELECTORS)
    const flags = Object.fromEntries(SELECTORS.flatMap((name) => pair(name, given(selector, name))))
    return await getVerb({ ...flags, budget: budgetOf(args) }, needed(args, 'ref'), io)
  },
  async search(args: Args, io: Io): Promise<number> {
    const { searchVerb } = await import('../ctx/search-verb.ts')
    const options = objectOf(args, 'options', Object.keys(TOOL.inputSchema.properties.options.properties))
    const patterns = args['patterns'] ?? []
    if (
      !Array.isArray(patterns) ||
      patterns.length > MOST_PATTERNS ||
      !patterns.every((one) => typeof one === 'string')
    )
      throw new Error(`patterns takes a list of at most ${MOST_PATTERNS} texts`)
    const flags = {
      ...(options['fixed'] === true ? { fixed: true } : {}),
      ...(options['all'] === true ? { all: true } : {}),
      ...Object.fromEntries(['glob', 'query'].flatMap((name) => pair(name, given(options, name)))),
      ...Object.fromEntries(['context', 'maxMatches', 'skip'].flatMap((name) => pair(name, number(options, name)))),
      budget: budgetOf(args),
    }
    return await searchVerb(flags, [needed(args, 'ref'), ...(patterns as string[])], io)
  },
  async stats(args: Args, io: Io): Promise<number> {
    const { statsVerb } = await import('../ctx/stats-verb.ts')
    return await statsVerb({ budget: budgetOf(args) }, needed(args, 'ref'), io)
  },
  async diff(args: Args, io: Io): Promise<number> {
    const { diffVerb } = await import('../ctx/diff-verb.ts')
    return await diffVerb({ budget: budgetOf(args) }, needed(args, 'ref'), needed(args, 'other'), io)
  },
} as const

const pair = (name: string, value: string | undefined): readonly (readonly [string, string])[] =>
  value === undefined ? [] : [[name, value]]

function given(args: Args, name: string): string | undefined {
  const value = args[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value.length > MOST_TEXT)
    throw new Error(`${name} takes a text of at most ${MOST_TEXT} characters`)
  return value
}

function needed(args: Args, name: string): string {
  const value = given(args, name)
  if (value === undefined || value === '') throw new Error(`${name} is missing`)
  return value
}

function number(args: Args, name: string): string | undefined {
  const value = args[name]
  if (value === undefined) return undefined
  if (!Number.isInteger(value) || (value as number) < 0) throw new Error(`${name} takes a whole number`)
  return String(value)
}

function objectOf(args: Args, name: string, keys: readonly string[]): Args {
  const value = args[name]
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} takes an object`)
  const strange = Object.keys(value).find((key) => !keys.includes(key))
  if (strange !== undefined)
    throw new Error(`${name} has ${keys.join(', ')}, and no ${JSON.stringify(strange.slice(0, 64))}`)
  return value as Args
}

/** The budget that is asked for, within what an answer may cost; anything that is no number means the usual one. */
function budgetOf(args: Args): string {
  const asked = args['maxTokens']
  const tokens = typeof asked === 'number' && Number.isFinite(asked) ? Math.trunc(asked) : MOST_TOKENS
  return String(Math.min(MOST_TOKENS, Math.max(LEAST_TOKENS, tokens)))
}
