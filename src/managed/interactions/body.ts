/** The body of a new interaction. */
import { z } from 'zod'
import type { McpServer } from '../agent/mcp.ts'
import type { Tool } from '../agent/model.ts'
import type { Content, Step } from '../agent/steps.ts'
import { isSandboxTool, LOOK_UP } from '../agent/tools.ts'
import { environmentOf, type Wanted } from './fields.ts'
import { bad, read, strict } from './shape.ts'

const text = z.string()
const flag = z.boolean()
const any = z.unknown()

const FIELDS = strict({
  agent: text.optional(),
  model: text.optional(),
  input: any.optional(),
  environment: any.optional(),
  previous_interaction_id: text.optional(),
  tools: z.array(z.unknown()).optional(),
  system_instruction: text.optional(),
  stream: flag.optional(),
  background: flag.optional(),
  store: flag.optional(),
  agent_config: any.optional(),
  labels: z.record(text, text).optional(),
  response_format: any.optional(),
  response_mime_type: any.optional(),
  response_modalities: any.optional(),
  safety_settings: any.optional(),
  service_tier: any.optional(),
  generation_config: any.optional(),
  cached_content: any.optional(),
  webhook_config: any.optional(),
  continuation_token: any.optional(),
})

/** Fields of the contract that this runtime has nothing for. */
const ABSENT = ['webhook_config', 'continuation_token', 'cached_content'] as const

const config = strict({
  type: z.literal('antigravity', { error: "only 'antigravity' is known." }),
  model: text.optional(),
  max_total_tokens: z
    .union([text.regex(/^\d{1,15}$/), z.int().nonnegative()], { error: 'it takes a whole number.' })
    .optional(),
})

export interface ToolSet {
  /** False where a request lists tools, and code execution is not one of them. */
  readonly code: boolean
  readonly functions: readonly Tool[]
  readonly servers: readonly (McpServer & { readonly credential?: string })[]
}

export interface NewInteraction {
  readonly agent?: string
  readonly model?: string
  readonly input: readonly Step[]
  readonly environment?: Wanted
  readonly previous?: string
  /** As the request lists them; undefined where it lists none. */
  readonly tools?: ToolSet
  readonly system?: string
  readonly stream: boolean
  readonly background: boolean
  readonly store: boolean
  readonly maxTokens?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly format?: unknown
}

/** Reads the body. Throws `ManagedError` 400 that names what is wrong. */
export function newInteraction(body: unknown): NewInteraction {
  const given = read(FIELDS, body)
  for (const name of ABSENT)
    if (given[name] !== undefined && given[name] !== null) throw bad(`Field '${name}': this runtime does not offer it.`)
  if (given.agent !== undefined && given.model !== undefined) throw bad("Name either 'agent' or 'model', not both.")
  if (given.agent === undefined && given.model === undefined) throw bad("Name an 'agent' or a 'model'.")
  const { background = false, store = true, stream = false } = given
  if (!store && background) throw bad("With 'store': false an interaction cannot run in the background.")
  if (!store && given.previous_interaction_id !== undefined)
    throw bad("With 'store': false there is no previous interaction to continue.")
  const settings =
    given.agent_config === undefined || given.agent_config === null
      ? undefined
      : read(config, given.agent_config, 'agent_config')
  const environment = environmentOf(given.environment)
  const tools = given.tools === undefined ? undefined : toolsOf(given.tools)
  const model = given.model ?? settings?.model
  return {
    ...(given.agent === undefined ? {} : { agent: given.agent }),
    ...(model === undefined ? {} : { model }),
    input: inputOf(given.input),
    ...(environment === undefined ? {} : { environment }),
    ...(given.previous_interaction_id === undefined ? {} : { previous: given.previous_interaction_id }),
    ...(tools === undefined ? {} : { tools }),
    ...(given.system_instruction === undefined ? {} : { system: given.system_instruction }),
    ...{ stream, background, store },
    ...(settings?.max_total_tokens === undefined ? {} : { maxTokens: Number(settings.max_total_tokens) }),
    ...(given.labels === undefined ? {} : { labels: given.labels }),
    ...(given.response_format === undefined ? {} : { format: given.response_format }),
  }
}

const textContent = strict({ type: z.literal('text'), text, annotations: any.optional() })
const functionResult = strict({
  type: z.literal('function_result'),
  call_id: text,
  name: text.optional(),
  result: z.unknown(),
  is_error: flag.optional(),
})
const userInput = strict({ type: z.literal('user_input'), content: z.unknown() })

/** Kinds of content that models other than the scripted one may read. */
const MEDIA = new Set(['image', 'audio', 'video', 'document'])

/** Reads `input`: a text, a content, contents, or steps. Steps that a client may give: user_input, function_result. */
function inputOf(value: unknown): readonly Step[] {
  if (typeof value === 'string') return [userStep([{ type: 'text', text: value }])]
  if (value === undefined || value === null) throw bad("Field 'input': it is missing.")
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length === 0) throw bad("Field 'input': it is empty.")
  const steps: Step[] = []
  let contents: Content[] = []
  const flush = () => {
    if (contents.length > 0) steps.push(userStep(contents))
    contents = []
  }
  for (const [index, one] of list.entries()) {
    const at = Array.isArray(value) ? `input.${index}` : 'input'
    const type = typeof one === 'object' && one !== null ? (one as { type?: unknown }).type : undefined
    if (type === 'function_result') {
      flush()
      const { call_id, name, result, is_error } = read(functionResult, one, at)
      if (result === undefined) throw bad(`Field '${at}.result': it is missing.`)
      steps.push({
        ...{ type: 'function_result', call_id, result },
        ...(name === undefined ? {} : { name }),
        ...(is_error === undefined ? {} : { is_error }),
      })
    } else if (type === 'user_input') {
      flush()
      const { content } = read(userInput, one, at)
      const inner =
        typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [content]
      steps.push(userStep(inner.map((piece: unknown, n) => contentOf(piece, `${at}.content.${n}`))))
    } else contents.push(contentOf(one, at))
  }
  flush()
  return steps
}

const userStep = (content: readonly Content[]): Step => ({ type: 'user_input', content })

function contentOf(value: unknown, at: string): Content {
  if (typeof value === 'string') return { type: 'text', text: value }
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
  if (typeof type === 'string' && MEDIA.has(type)) return value as Content
  if (type !== 'text') throw bad(`Field '${at}.type': ${JSON.stringify(type ?? null)} is no kind of input.`)
  return { type: 'text', text: read(textContent, value, at).text }
}

const functionTool = strict({
  type: z.literal('function'),
  name: text.regex(/^[A-Za-z_][\w.:-]{0,127}$/, { error: 'it is no name of a function.' }),
  description: text.optional(),
  parameters: any.optional(),
})
const serverTool = strict({
  type: z.literal('mcp_server'),
  name: text.regex(/^[A-Za-z_][\w-]{0,63}$/, { error: 'it is no name of a server.' }),
  url: z.url({ protocol: /^https?$/, error: 'it takes the address of a server that speaks HTTP.' }),
  headers: z.record(text, text).optional(),
  credential: text.optional(),
  allowed_tools: z.array(z.union([text, strict({ mode: any.optional(), tools: z.array(text).optional() })])).optional(),
})
const codeTool = strict({ type: z.literal('code_execution') })

/** Reads `tools`. */
export function toolsOf(list: readonly unknown[]): ToolSet {
  const functions: Tool[] = []
  const servers: ToolSet['servers'][number][] = []
  let code = false
  for (const [index, one] of list.entries()) {
    const at = `tools.${index}`
    const type = typeof one === 'object' && one !== null ? (one as { type?: unknown }).type : undefined
    if (type === 'code_execution') {
      read(codeTool, one, at)
      code = true
    } else if (type === 'function') {
      const { name, description = '', parameters } = read(functionTool, one, at)
      if (isSandboxTool(name) || name === LOOK_UP)
        throw bad(`Field '${at}.name': '${name}' is a tool of the environment.`)
      if (functions.some((other) => other.name === name)) throw bad(`Field '${at}.name': '${name}' is there twice.`)
      functions.push({ name, description, parameters: schemaOf(parameters, at) })
    } else if (type === 'mcp_server') servers.push(serverOf(read(serverTool, one, at)))
    else
      throw bad(
        `Field '${at}.type': ${JSON.stringify(type ?? null)} is no tool of this runtime; it offers code_execution, function and mcp_server.`,
      )
  }
  return { code, functions, servers }
}

function schemaOf(parameters: unknown, at: string): Readonly<Record<string, unknown>> {
  if (parameters === undefined || parameters === null) return { type: 'object', properties: {} }
  if (typeof parameters !== 'object' || Array.isArray(parameters))
    throw bad(`Field '${at}.parameters': it takes a JSON schema.`)
  return parameters as Record<string, unknown>
}

function serverOf(given: z.infer<typeof serverTool>): ToolSet['servers'][number] {
  const { name, url, headers, credential, allowed_tools } = given
  const allowed = allowed_tools?.flatMap((one) => (typeof one === 'string' ? [one] : (one.tools ?? [])))
  return {
    ...{ name, url },
    ...(headers === undefined ? {} : { headers }),
    ...(credential === undefined ? {} : { credential }),
    ...(allowed === undefined || allowed.length === 0 ? {} : { allowed }),
  }
}
