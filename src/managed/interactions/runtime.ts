/** What the interactions stand on. The parts are given; tests give small ones. */
import type { GuardGate, OutputGate } from '../agent/gates.ts'
import type { Model } from '../agent/model.ts'
import type { Clock, Credentials, Egress, Environments, Hooks, Report } from '../contract.ts'

export interface Runtime {
  readonly environments: Environments
  readonly egress: Egress
  readonly hooks: Hooks
  readonly credentials: Credentials
  readonly gate: OutputGate
  readonly guard?: GuardGate
  /** The model of that name, or the standard one; undefined where there is none of that name. */
  model(name: string | undefined): Model | undefined
  readonly clock: Clock
  readonly report: Report
  /** Directory of what survives a restart. */
  readonly state: string
  /** Environments without `network` get no egress. */
  readonly denyNetwork?: boolean
}
