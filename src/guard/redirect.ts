/** Redirections: what they read and write, and the stream that the command gets. */
import type { Content } from '../commands/doing.ts'
import type { Asking } from '../core/question.ts'
import { type Arg, concat, exact, type Span, showGlob, taintsOf, textOf, unknown, type Value } from '../core/value.ts'
import { expandFields, expandText } from '../shell/expand.ts'
import type { Redirect } from '../shell/tree.ts'
import { type Engine, type Frame, NO_OUT, type Outcome } from './engine.ts'
import { expandGlob } from './globs.ts'
import type { Machine } from './machine.ts'
import { shellEnv } from './shell-env.ts'
import { affect } from './targets.ts'

export interface Redirected {
  readonly stdin: Content | undefined
  /** Files that stdout goes to, last first; its content is noted after the command ran. */
  readonly outputs: readonly { readonly at: Arg; readonly append: boolean; readonly span: Span }[]
  /** Stdout goes nowhere else. */
  readonly captured: boolean
}

/** Whether a descriptor is none of the three that every program has. */
const isOther = (descriptor: Redirect['descriptor']): descriptor is number =>
  typeof descriptor === 'number' && descriptor > 2

/** Opens redirections in order. Reads are effects at once; writes too, since the shell opens them before it runs. */
export function* openRedirects(
  engine: Engine,
  redirects: readonly Redirect[],
  m: Machine,
  frame: Frame,
): Asking<Redirected> {
  const env = shellEnv(engine, m, frame)
  let stdin: Content | undefined
  let captured = false
  const outputs: { at: Arg; append: boolean; span: Span }[] = []
  for (const redirect of redirects) {
    const by = { name: redirect.op, span: redirect.span }
    if (redirect.heredoc) {
      const text = yield* expandText(redirect.heredoc.body, env, frame.source)
      const content = { text, taints: taintsOf(text) }
      if (isOther(redirect.descriptor)) engine.streams.set(`/dev/fd/${redirect.descriptor}`, content)
      else stdin = content
      continue
    }
    if (redirect.target === undefined) continue
    const value = yield* fileOf(engine, redirect, m, frame)
    const at: Arg = { value, span: redirect.target.span }
    switch (redirect.op) {
      case '<<<': {
        const text = textOf(value)
        const content = { text: text === undefined ? value : exact(`${text}\n`), taints: taintsOf(value) }
        if (isOther(redirect.descriptor)) engine.streams.set(`/dev/fd/${redirect.descriptor}`, content)
        else stdin = content
        break
      }
      case '<':
        yield* affect(engine, 'read', at, m, frame, by)
        {
          const name = textOf(value)
          const content: Content = (name === undefined ? undefined : engine.streams.get(name)) ?? {
            text: unknown('input'),
            // What another machine says is no file.
            ...(/^\/dev\/(?:tcp|udp)\//.test(name ?? '') ? { taints: ['remote'] } : { taints: [], files: [at] }),
          }
          // What is opened under a number stays there for later commands that take it from there (`exec 3< x; sh <&3`).
          if (isOther(redirect.descriptor)) engine.streams.set(`/dev/fd/${redirect.descriptor}`, content)
          else if (redirect.descriptor === 0 || redirect.descriptor === undefined) stdin = content
        }
        break
      case '<>':
        yield* affect(engine, 'read', at, m, frame, by)
        yield* affect(engine, 'append', at, m, frame, by)
        break
      case '<&': {
        const held = engine.streams.get(`/dev/fd/${textOf(value)?.replace(/-$/, '')}`)
        if (held && !isOther(redirect.descriptor)) stdin = held
        break
      }
      case '>&': {
        const text = textOf(value)
        if (text !== undefined && /^(?:\d*-?|-)$/.test(text)) {
          if (redirect.descriptor === 1 && text !== '1') captured = captured || text === '-'
          break
        }
        outputs.push({ at, append: false, span: redirect.span })
        captured = true
        break
      }
      default: {
        const append = redirect.op === '>>' || redirect.op === '&>>'
        const main = redirect.descriptor === 1 || redirect.op.startsWith('&')
        if (main) {
          outputs.push({ at, append, span: redirect.span })
          captured = true
        } else
          yield* affect(engine, append ? 'append' : 'write', at, m, frame, by, {
            content: { text: unknown('substitution'), taints: [] },
          })
      }
    }
  }
  return { stdin, outputs, captured }
}

/**
 * What a redirection names. A pattern stands for the one name that it matches now, and for itself where there is none;
 * of several names zsh writes them all.
 */
function* fileOf(engine: Engine, redirect: Redirect, m: Machine, frame: Frame): Asking<Value> {
  const env = shellEnv(engine, m, frame)
  const target = redirect.target!
  if (redirect.op === '<<<') return yield* expandText(target, env, frame.source)
  const fields = yield* expandFields([target], env, frame.source)
  if (fields.length !== 1) {
    const all = fields.map(({ value }) => value)
    return all.reduce<Value>(
      (joined, value, i) => (i === 0 ? value : concat(concat(joined, exact(' ')), value)),
      exact(''),
    )
  }
  const { value } = fields[0]!
  if (value.is !== 'glob') return value
  const names = yield* expandGlob(engine, value, m)
  return names === undefined || names.length > 1 ? value : exact(names[0] ?? showGlob(value.parts))
}

/** Runs something with redirections around it. */
export function* withRedirects(
  engine: Engine,
  redirects: readonly Redirect[],
  m: Machine,
  frame: Frame,
  run: (inner: Frame) => Asking<Outcome>,
): Asking<Outcome> {
  if (redirects.length === 0) return yield* run(frame)
  const opened = yield* openRedirects(engine, redirects, m, frame)
  const first = engine.effects.length
  // What goes into a file is emptied first, whatever the command then does.
  for (const { at, append, span: where } of opened.outputs) {
    if (append) continue
    yield* affect(engine, 'write', at, m, frame, { name: '>', span: where }, { content: NO_OUT })
  }
  const opening = engine.effects.length
  const outcome = yield* run(opened.stdin === undefined ? frame : { ...frame, stdin: opened.stdin })
  for (const { at, append, span: where } of opened.outputs) {
    if (append) {
      yield* affect(
        engine,
        'append',
        at,
        m,
        frame,
        { name: '>>', span: where },
        { content: outcome.out, from: outcome.out.taints },
      )
    } else yield* settle(engine, at, m, outcome.out)
  }
  // `: > file` empties it, which comes to a removal of what it said.
  if (
    outcome.out.text.is === 'exact' &&
    outcome.out.text.text === '' &&
    outcome.out.taints.length === 0 &&
    !outcome.out.files
  ) {
    for (let i = first; i < opening; i++) {
      const effect = engine.effects[i]!
      if (effect.act === 'write' && effect.by === '>') engine.effects[i] = { ...effect, note: 'empty' }
    }
  }
  if (outcome.out.taints.includes('secret')) {
    for (let i = first; i < opening; i++) {
      const effect = engine.effects[i]!
      if (effect.act === 'write' && effect.by === '>') engine.effects[i] = { ...effect, from: outcome.out.taints }
    }
  }
  return opened.captured ? { ...outcome, out: NO_OUT } : outcome
}

/** Notes what a file that was just written holds. */
function* settle(engine: Engine, at: Arg, m: Machine, content: Content): Asking<void> {
  const quiet: Engine = { ...engine, effects: [] }
  yield* affect(quiet, 'write', at, m, QUIET, { name: '>', span: at.span }, { content })
}

const QUIET: Frame = {
  source: '',
  label: '',
  via: [],
  when: 'always',
  depth: 0,
  where: undefined,
  stdin: NO_OUT,
  loop: false,
  running: [],
  forked: false,
}
