/** An interaction that is at work: numbers its events, keeps them, and hands them on to who listens. */
import type { StepSink } from '../agent/loop.ts'
import type { Step } from '../agent/steps.ts'
import { type Folded, type Line, take } from './fold.ts'
import { LAST } from './journal.ts'
import type { Delta, Failure, Head, InteractionView, Numbered, Status, Usage, WireEvent } from './wire.ts'
import { isEnded } from './wire.ts'

export type Listener = (event: Numbered | undefined) => void

export class Live implements StepSink {
  #keep: (line: Line) => void
  readonly #now: () => number
  readonly #listeners = new Set<Listener>()
  readonly #steps: Step[] = []
  readonly #events: Numbered[] = []
  readonly #traces: unknown[] = []
  #head: Head
  /** Has ended: what a run that does not stop says afterwards is not heard. */
  #over = false
  #used: Usage = { total_input_tokens: 0, total_output_tokens: 0, total_tokens: 0 }
  /** Settles when nothing more will happen. */
  readonly ended: Promise<void>
  #end: () => void = () => {}

  /** `keep` writes a line where it survives us. */
  constructor(head: Head, keep: (line: Line) => void, now: () => number) {
    this.#head = head
    this.#keep = keep
    this.#now = now
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    keep({ is: 'made', head })
  }

  /** Goes on where a journal ends. */
  static resume(folded: Folded, keep: (line: Line) => void, now: () => number): Live {
    const { steps, ...head } = folded.view
    const live = new Live(head, () => {}, now)
    live.#steps.push(...steps)
    live.#events.push(...folded.events)
    live.#keep = keep
    return live
  }

  get view(): InteractionView {
    return { ...this.#head, steps: [...this.#steps] }
  }

  get events(): readonly Numbered[] {
    return this.#events
  }

  get traces(): readonly unknown[] {
    return this.#traces
  }

  get status(): Status {
    return this.#head.status
  }

  /** Hands on every event from now on, then undefined at the end. The answer stops it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Changes what is said of the interaction, without an event. */
  amend(head: Partial<Head>): void {
    if (this.#over) return
    const changed = { ...head, updated: new Date(this.#now()).toISOString() }
    this.#head = { ...this.#head, ...changed }
    this.#keep({ is: 'head', head: changed })
  }

  /** Says that it begins: the first event, with what is known by then. */
  begin(): void {
    this.#tell({ event_type: 'interaction.created', interaction: this.#head })
  }

  stand(status: Status): void {
    if (status === this.#head.status) return
    this.amend({ status })
    this.#tell({ event_type: 'interaction.status_update', interaction_id: this.#head.id, status })
  }

  step(step: Step): void {
    const index = this.#steps.length
    const { start, deltas } = pieces(step)
    this.#tell({ event_type: 'step.start', index, step: start })
    for (const delta of deltas) this.#tell({ event_type: 'step.delta', index, delta })
    this.#tell({ event_type: 'step.stop', index }, step)
  }

  text(): { piece(text: string): void; end(): void } {
    const index = this.#steps.length
    this.#tell({ event_type: 'step.start', index, step: { type: 'model_output', content: [] } })
    return {
      piece: (text) => this.#tell({ event_type: 'step.delta', index, delta: { type: 'text', text } }),
      end: () => this.#tell({ event_type: 'step.stop', index }),
    }
  }

  trace(trace: unknown): void {
    if (this.#over) return
    this.#traces.push(trace)
    this.#keep({ is: 'trace', trace })
  }

  used({ input, output }: { readonly input: number; readonly output: number }): void {
    const { total_input_tokens, total_output_tokens, total_tokens } = this.#used
    this.#used = {
      total_input_tokens: total_input_tokens + input,
      total_output_tokens: total_output_tokens + output,
      total_tokens: total_tokens + input + output,
    }
    this.amend({ usage: this.#used })
  }

  /** The end, once. A failure is told as an error and nothing after it. */
  finish(status: Status, failure?: Failure): void {
    if (isEnded(this.#head.status)) return
    this.amend({ status, ...(failure === undefined ? {} : { errors: [failure] }) })
    const { id, usage } = this.#head
    const used = usage === undefined ? {} : { usage }
    this.#tell({ event_type: 'interaction.status_update', interaction_id: id, status, ...used })
    if (failure === undefined) this.#tell({ event_type: 'interaction.completed', interaction: this.#head })
    else this.#tell({ event_type: 'error', error: failure })
    this.#over = true
    this.#keep(LAST)
    for (const listener of this.#listeners) listener(undefined)
    this.#listeners.clear()
    this.#end()
  }

  #tell(event: WireEvent, whole?: Step): void {
    if (this.#over) return
    const numbered: Numbered = { ...event, event_id: String(this.#events.length + 1) }
    this.#events.push(numbered)
    take(this.#steps, numbered, whole)
    this.#keep({ is: 'event', event: numbered, ...(whole === undefined ? {} : { whole }) })
    for (const listener of this.#listeners) listener(numbered)
  }
}

/** How a whole step is streamed: the beginning without what the deltas bring. */
function pieces(step: Step): { readonly start: Step; readonly deltas: readonly Delta[] } {
  switch (step.type) {
    case 'model_output':
      return { start: { ...step, content: [] }, deltas: step.content.map(({ text }) => ({ type: 'text', text })) }
    case 'code_execution_call':
      return { start: { ...step, arguments: {} }, deltas: [{ type: step.type, arguments: step.arguments }] }
    case 'function_call':
      return {
        start: { ...step, arguments: {} },
        deltas: [{ type: 'arguments_delta', arguments: JSON.stringify(step.arguments) }],
      }
    case 'mcp_server_tool_call':
      return {
        start: { ...step, arguments: {} },
        deltas: [{ type: step.type, name: step.name, server_name: step.server_name, arguments: step.arguments }],
      }
    case 'code_execution_result':
    case 'function_result':
    case 'mcp_server_tool_result': {
      const { call_id: _, ...delta } = step
      return { start: { ...step, result: '' } as Step, deltas: [delta] }
    }
    default:
      return { start: step, deltas: [] }
  }
}
