/** The agent: asks the model, runs what it calls, tells it the results, until it calls nothing more. */
import type { Trace } from './gates.ts'
import type { McpTools } from './mcp.ts'
import type { Model, Reply, Tokens, Tool } from './model.ts'
import { type Result, runSandboxed, type Sandboxed } from './sandboxed.ts'
import type { Call, Step } from './steps.ts'
import { isSandboxTool, LOOK_UP } from './tools.ts'

/** Turns of a model in one interaction. More is a model that goes in circles. */
const MOST_TURNS = 200

export interface AgentRun {
  readonly model: Model
  readonly instructions: string
  /** What was said before, then the input of this interaction. */
  readonly steps: readonly Step[]
  readonly tools: readonly Tool[]
  /** Where sandbox tools run; absent: there are none. */
  readonly environment?: string
  readonly mcp: McpTools
  readonly maxTokens?: number
  readonly signal: AbortSignal
  readonly out: StepSink
}

/** Where steps go as they come. */
export interface StepSink {
  step(step: Step): void
  /** Opens a text of the model; pieces follow, and the end. */
  text(): { piece(text: string): void; end(): void }
  trace(trace: Trace): void
  used(tokens: Tokens): void
}

export type RunEnd = 'completed' | 'requires_action' | 'budget_exceeded' | 'incomplete'

/** Runs one interaction to its end. Rejects with `ModelError`, `ManagedError` or the signal's reason. */
export async function runAgent(run: AgentRun, parts: Sandboxed, newId: () => string): Promise<RunEnd> {
  const steps = [...run.steps]
  const put = (step: Step) => {
    steps.push(step)
    run.out.step(step)
  }
  let spent = 0
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    run.signal.throwIfAborted()
    const reply = await ask(run, steps)
    run.signal.throwIfAborted()
    if (reply.text !== '') steps.push({ type: 'model_output', content: [{ type: 'text', text: reply.text }] })
    run.out.used(reply.tokens)
    spent += reply.tokens.input + reply.tokens.output
    const calls: readonly Call[] = reply.calls.map((call) => ({ ...call, id: newId() }))
    const spentAll = run.maxTokens !== undefined && spent >= run.maxTokens
    // A call without a result would be taken for the client's: what cannot run any more is not shown.
    if (spentAll) return calls.length === 0 ? 'completed' : 'budget_exceeded'
    if (calls.length === 0) return reply.cut ? 'incomplete' : 'completed'
    for (const call of calls) put(callStep(call, run.mcp))
    let open = false
    for (const call of calls) {
      run.signal.throwIfAborted()
      const result = await resultOf(call, run, parts)
      if (result === undefined) open = true
      else put(resultStep(call, result, run.mcp))
    }
    if (open) return 'requires_action'
  }
  return 'incomplete'
}

async function ask(run: AgentRun, steps: readonly Step[]): Promise<Reply> {
  let open: ReturnType<StepSink['text']> | undefined
  let told = ''
  const text = (piece: string) => {
    if (piece === '') return
    open ??= run.out.text()
    told += piece
    open.piece(piece)
  }
  try {
    const { instructions, tools, signal } = run
    const reply = await run.model.turn({ instructions, steps, tools, signal, text })
    text(reply.text.slice(told.length))
    return reply
  } finally {
    open?.end()
  }
}

/** The result of a call; undefined where the client has to give it. */
async function resultOf(call: Call, run: AgentRun, parts: Sandboxed): Promise<Result | undefined> {
  const { name } = call
  if (!run.tools.some((tool) => tool.name === name))
    return { text: `There is no tool ${JSON.stringify(name)} here.`, isError: true }
  const { environment } = run
  if (environment !== undefined) {
    if (isSandboxTool(name))
      return runSandboxed(parts, environment, { ...call, name }, run.signal, (trace) => run.out.trace(trace))
    if (name === LOOK_UP) {
      const { text, failed } = await parts.gate.lookUp(environment, call.args)
      return { text, isError: failed }
    }
  }
  const server = run.mcp.serverOf(name)
  if (server === undefined) return undefined
  const result = await run.mcp.call(name, call.args, run.signal)
  return environment === undefined
    ? result
    : { ...result, text: parts.gate.shown(environment, name, name, result.text) }
}

function callStep({ id, name, args, signature }: Call, mcp: McpTools): Step {
  const extra = signature === undefined ? {} : { signature }
  if (name === 'code_execution') return { type: 'code_execution_call', id, arguments: args, ...extra }
  const server = mcp.serverOf(name)
  if (server === undefined) return { type: 'function_call', id, name, arguments: args, ...extra }
  return { type: 'mcp_server_tool_call', id, ...server, arguments: args, ...extra }
}

function resultStep({ id, name }: Call, { text, isError }: Result, mcp: McpTools): Step {
  const error = isError ? { is_error: true } : {}
  if (name === 'code_execution') return { type: 'code_execution_result', call_id: id, result: text, ...error }
  const server = mcp.serverOf(name)
  if (server === undefined) return { type: 'function_result', call_id: id, name, result: text, ...error }
  return { type: 'mcp_server_tool_result', call_id: id, ...server, result: text, ...error }
}
