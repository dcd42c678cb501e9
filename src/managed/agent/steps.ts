/** The steps of an interaction, as the Interactions API writes them. A conversation is a list of these and nothing else. */

export interface TextContent {
  readonly type: 'text'
  readonly text: string
}

/** A piece of what a user gives; other types than text pass through to models that read them. */
export type Content = TextContent | { readonly type: string; readonly [key: string]: unknown }

export type Arguments = Readonly<Record<string, unknown>>

export type Step =
  | { readonly type: 'user_input'; readonly content: readonly Content[] }
  | { readonly type: 'model_output'; readonly content: readonly TextContent[] }
  | { readonly type: 'thought'; readonly summary?: readonly TextContent[]; readonly signature?: string }
  | {
      readonly type: 'code_execution_call'
      readonly id: string
      readonly arguments: Arguments
      readonly signature?: string
    }
  | {
      readonly type: 'code_execution_result'
      readonly call_id: string
      readonly result: string
      readonly is_error?: boolean
    }
  | {
      readonly type: 'function_call'
      readonly id: string
      readonly name: string
      readonly arguments: Arguments
      readonly signature?: string
    }
  | {
      readonly type: 'function_result'
      readonly call_id: string
      readonly name?: string
      readonly result: unknown
      readonly is_error?: boolean
    }
  | {
      readonly type: 'mcp_server_tool_call'
      readonly id: string
      readonly name: string
      readonly server_name: string
      readonly arguments: Arguments
      readonly signature?: string
    }
  | {
      readonly type: 'mcp_server_tool_result'
      readonly call_id: string
      readonly name: string
      readonly server_name: string
      readonly result: string
      readonly is_error?: boolean
    }

/** What a model asked for, whatever kind of tool it is. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly args: Arguments
  /** Opaque text of the provider that goes back with the call. */
  readonly signature?: string
}

/** The call that a step holds; undefined for other steps. `name` of an MCP tool is `<server>__<tool>`, as models see it. */
export function callOf(step: Step): Call | undefined {
  const signature = 'signature' in step && step.signature !== undefined ? { signature: step.signature } : {}
  switch (step.type) {
    case 'code_execution_call':
      return { id: step.id, name: 'code_execution', args: step.arguments, ...signature }
    case 'function_call':
      return { id: step.id, name: step.name, args: step.arguments, ...signature }
    case 'mcp_server_tool_call':
      return { id: step.id, name: mcpName(step.server_name, step.name), args: step.arguments, ...signature }
    default:
      return undefined
  }
}

/** A result that a step holds, as text; undefined for other steps. */
export function resultOf(
  step: Step,
): { readonly callId: string; readonly text: string; readonly isError: boolean } | undefined {
  switch (step.type) {
    case 'code_execution_result':
    case 'function_result':
    case 'mcp_server_tool_result':
      return { callId: step.call_id, text: textOfResult(step.result), isError: step.is_error === true }
    default:
      return undefined
  }
}

function textOfResult(result: unknown): string {
  if (typeof result === 'string') return result
  if (Array.isArray(result) && result.every(isText)) return result.map(({ text }) => text).join('\n')
  return JSON.stringify(result) ?? ''
}

const isText = (value: unknown): value is TextContent =>
  typeof value === 'object' && value !== null && (value as TextContent).type === 'text'

/** The text of a list of contents; what is no text is left out. */
export const textOf = (content: readonly Content[]): string =>
  content.flatMap((piece) => (isText(piece) ? [piece.text] : [])).join('\n')

/** How a tool of an MCP server is named to a model. */
export const mcpName = (server: string, tool: string): string => `${server}__${tool}`

/** Calls without a result, in order: what a client has to answer. */
export function pendingCalls(steps: readonly Step[]): readonly Call[] {
  const answered = new Set(steps.flatMap((step) => resultOf(step)?.callId ?? []))
  return steps.flatMap((step) => callOf(step) ?? []).filter(({ id }) => !answered.has(id))
}
