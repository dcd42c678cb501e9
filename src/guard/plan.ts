/** Plan: what would this call do? Abstract execution of its actions, each into effects on targets. */
import type { Action, ToolCall } from '../core/call.ts'
import type { Effect } from '../core/effect.ts'
import type { Asking } from '../core/question.ts'
import { exact } from '../core/value.ts'
import type { ParseStatus } from '../core/verdict.ts'
import { flavourOf } from '../paths/lexical.ts'
import { newPathBudget, type PathBudget } from '../paths/resolve.ts'
import { hiddenText } from '../shell/hidden.ts'
import { parseShell } from '../shell/parse.ts'
import type { Reading } from '../shell/tree.ts'
import type { Context } from './context.ts'
import { type By, EITHER, type Engine, emit, type Frame, NO_STDIN, type Outcome, type Ran } from './engine.ts'
import { type Machine, newMachine } from './machine.ts'
import { newPace } from './pace.ts'
import { perform } from './perform.ts'
import { planTool } from './plan-tool.ts'
import { runNode, runScript, runTraps } from './run-node.ts'
import { runArgv } from './run-simple.ts'

export interface Plan {
  readonly effects: readonly Effect[]
  readonly ran: readonly Ran[]
  readonly status: ParseStatus
  /** What the line itself was read to, for `explain`. */
  readonly readings: readonly Reading[]
  /** Steps of path resolution left for assessing. */
  readonly paths: PathBudget
}

/** Plans every action of a call, in order. */
export function* plan(call: ToolCall, context: Context): Asking<Plan> {
  const engine = newEngine(context, call.workspaces)
  const readings: Reading[] = []
  for (const action of call.actions) {
    const m = newMachine(cwdOf(call, action))
    const frame = topFrame(action)
    if (action.is === 'shell') {
      const span = { from: 0, to: action.text.length }
      const by = { name: call.tool, span }
      if (action.dialect !== 'posix') {
        const outcome = yield* engine.perform(
          [{ do: 'code', language: action.dialect, text: exact(action.text), label: 'call', here: true }],
          m,
          frame,
          by,
        )
        shown(engine, outcome, frame, by)
        continue
      }
      const reading = parseShell(action.text)
      readings.push(reading)
      const outcome = yield* runReading(engine, reading, m, frame)
      yield* runTraps(engine, m, frame)
      shown(engine, outcome, frame, by)
    } else yield* planTool(engine, action, m, frame, { name: call.tool, span: { from: 0, to: 0 } })
  }
  return { effects: engine.effects, ran: engine.ran, status: statusOf(engine), readings, paths: engine.paths }
}

const cwdOf = (call: ToolCall, action: Action): readonly string[] => {
  const cwd = (action.is === 'shell' ? action.cwd : undefined) ?? call.cwd
  return cwd === undefined ? [] : [cwd]
}

function newEngine(context: Context, workspaces: readonly string[]): Engine {
  const engine: Engine = {
    context,
    workspaces,
    effects: [],
    paths: newPathBudget(flavourOf(context.platform), context.foldsCase ?? false),
    view: undefined,
    steps: 0,
    pace: newPace(),
    scriptText: 0,
    streams: new Map(),
    globs: new Map(),
    ranUnseen: false,
    ran: [],
    partial: false,
    invalid: false,
    limited: false,
    script: (script, m, frame) => runScript(engine, script, m, frame),
    node: (node, m, frame) => runNode(engine, node, m, frame),
    text: (text, m, frame) => runReading(engine, parseShell(text), m, frame),
    argv: (args, m, frame, how) => runArgv(engine, args, m, frame, how),
    endShell: (m, frame) => runTraps(engine, m, frame),
    perform: (doings, m, frame, by) => perform(engine, doings, m, frame, by),
  }
  return engine
}

function* runReading(engine: Engine, reading: Reading, m: Machine, frame: Frame): Asking<Outcome> {
  if (reading.status === 'limited') {
    engine.limited = true
    return EITHER
  }
  if (reading.status === 'invalid') engine.invalid = true
  if (reading.status === 'partial') engine.partial = true
  for (const problem of hiddenText(reading.text)) {
    emit(
      engine,
      'opaque',
      { is: 'thing', name: problem.what },
      frame,
      { name: 'sh', span: problem.span },
      { note: 'hidden', provenance: 'unknown' },
    )
  }
  return yield* runScript(engine, reading.script, m, frame)
}

/** What the model will see of the environment. */
function shown(engine: Engine, outcome: Outcome, frame: Frame, by: By): void {
  if (outcome.out.taints.includes('environment'))
    emit(engine, 'reveal', { is: 'thing', name: 'the whole environment' }, frame, by)
  if (outcome.out.taints.includes('secret'))
    emit(engine, 'reveal', { is: 'thing', name: 'the value of a secret variable' }, frame, by, { note: 'value' })
}

const topFrame = (action: Action): Frame => ({
  source: action.is === 'shell' ? action.text : '',
  label: 'call',
  via: [],
  when: 'always',
  depth: 0,
  where: undefined,
  stdin: NO_STDIN,
  loop: false,
  running: [],
  forked: false,
})

const statusOf = (engine: Engine): ParseStatus =>
  engine.limited ? 'limited' : engine.invalid ? 'invalid' : engine.partial ? 'partial' : 'complete'
