/** Interactions and their events, as clients see them (the Interactions API). */
import type { Step } from '../agent/steps.ts'

export type Status =
  | 'queued'
  | 'in_progress'
  | 'requires_action'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'incomplete'
  | 'budget_exceeded'

/** Whether nothing more will happen by itself. */
export const isEnded = (status: Status): boolean => status !== 'queued' && status !== 'in_progress'

export interface Failure {
  readonly code: string
  readonly message: string
}

export interface Usage {
  readonly total_input_tokens: number
  readonly total_output_tokens: number
  readonly total_tokens: number
}

/** What is said of an interaction in every answer. Times are ISO 8601. */
export interface Head {
  readonly id: string
  readonly object: 'interaction'
  readonly status: Status
  readonly created: string
  readonly updated: string
  readonly agent?: string
  readonly model?: string
  readonly environment_id?: string
  readonly previous_interaction_id?: string
  readonly usage?: Usage
  readonly errors?: readonly Failure[]
  readonly background?: boolean
  readonly labels?: Readonly<Record<string, string>>
  readonly system_instruction?: string
  readonly tools?: readonly unknown[]
  readonly environment?: unknown
}

export interface InteractionView extends Head {
  readonly steps: readonly Step[]
}

export type Delta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'arguments_delta'; readonly arguments: string }
  | { readonly type: string; readonly [key: string]: unknown }

export type WireEvent =
  | { readonly event_type: 'interaction.created'; readonly interaction: Head }
  | {
      readonly event_type: 'interaction.status_update'
      readonly interaction_id: string
      readonly status: Status
      readonly usage?: Usage
    }
  | { readonly event_type: 'step.start'; readonly index: number; readonly step: Step }
  | { readonly event_type: 'step.delta'; readonly index: number; readonly delta: Delta }
  | { readonly event_type: 'step.stop'; readonly index: number }
  | { readonly event_type: 'interaction.completed'; readonly interaction: Head }
  | { readonly event_type: 'error'; readonly error: Failure }

/** An event with its id: decimal, rising by one within an interaction. */
export type Numbered = WireEvent & { readonly event_id: string }
