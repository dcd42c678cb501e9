/** From the lines of a journal to what an interaction is now. Pure. */
import type { Step, TextContent } from '../agent/steps.ts'
import type { Head, InteractionView, Numbered } from './wire.ts'

/** One line of a journal: what clients see, and what only we need. */
export type Line =
  /** The first line: the interaction as it was made, and its input. */
  | { readonly is: 'made'; readonly head: Head }
  | { readonly is: 'event'; readonly event: Numbered; readonly whole?: Step }
  /** Facts that come later: the environment, usage, errors, status, time. */
  | { readonly is: 'head'; readonly head: Partial<Head> }
  | { readonly is: 'trace'; readonly trace: unknown }

export interface Folded {
  readonly view: InteractionView
  readonly events: readonly Numbered[]
  readonly traces: readonly unknown[]
}

/** Folds lines; undefined where the first one is not there. */
export function fold(lines: readonly Line[]): Folded | undefined {
  const [first] = lines
  if (first?.is !== 'made') return undefined
  let head = first.head
  const steps: Step[] = []
  const events: Numbered[] = []
  const traces: unknown[] = []
  for (const line of lines) {
    if (line.is === 'head') head = { ...head, ...line.head }
    else if (line.is === 'trace') traces.push(line.trace)
    else if (line.is === 'event') {
      events.push(line.event)
      take(steps, line.event, line.whole)
    }
  }
  return { view: { ...head, steps }, events, traces }
}

/** Applies one event to the steps: a start opens one, text grows it, the end replaces it by the whole. */
export function take(steps: Step[], event: Numbered, whole: Step | undefined): void {
  if (event.event_type === 'step.start') steps[event.index] = event.step
  else if (event.event_type === 'step.stop' && whole !== undefined) steps[event.index] = whole
  else if (event.event_type === 'step.delta' && event.delta.type === 'text') {
    const step = steps[event.index]
    if (step?.type === 'model_output') steps[event.index] = grown(step.content, (event.delta as TextContent).text)
  }
}

const grown = (content: readonly TextContent[], text: string): Step => ({
  type: 'model_output',
  content: [{ type: 'text', text: `${content[0]?.text ?? ''}${text}` }],
})
