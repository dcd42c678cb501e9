/** Performs what a command's row or reader said: effects on targets, changes for later steps, nested programs. */
import type { Content, Doing, Elsewhere } from '../commands/doing.ts'
import { INTO } from '../commands/row.ts'
import type { Target } from '../core/effect.ts'
import { type Asking, ask } from '../core/question.ts'
import { exact, textOf, unknown } from '../core/value.ts'
import { COMPILED, isCompiled } from './compiled.ts'
import { type By, type Engine, emit, type Frame, joinContent, type Outcome, UNKNOWN_OUT } from './engine.ts'
import { fork, type Machine, setVariable } from './machine.ts'
import { brought, copy, isAbsent, keep, link, move } from './perform-files.ts'
import { git } from './perform-git.ts'
import { absolutes, physical } from './physical.ts'
import { runArgv } from './run-simple.ts'
import { placesOf, runCode, runFile } from './scripts.ts'
import { runMatching } from './scripts-many.ts'
import { send } from './send.ts'
import { taintsOfContent } from './streams.ts'
import { affect } from './targets.ts'

/** Performs a list of doings in order. The outcome's stream is what they said, else unknown. */
export function* perform(engine: Engine, doings: readonly Doing[], m: Machine, frame: Frame, by: By): Asking<Outcome> {
  let out: Content | undefined
  let inner: Outcome | undefined
  for (const doing of doings) {
    if (engine.pace.over) break
    const outcome = yield* performOne(engine, doing, m, frame, by)
    if (doing.do === 'out') out = outcome!.out
    else if (outcome !== undefined) {
      inner = inner === undefined ? outcome : { status: 'either', out: joinContent(inner.out, outcome.out) }
    }
  }
  // A program that only runs another one ends as that one does; what may or will run later says nothing of it.
  const runs = doings.filter((doing) => doing.do === 'run' || doing.do === 'code' || doing.do === 'script')
  if (inner !== undefined && runs.length === 1 && !('when' in runs[0]! && runs[0].when))
    return { ...inner, out: out ?? inner.out }
  return { status: 'either', out: out ?? inner?.out ?? UNKNOWN_OUT }
}

/** What a program says that runs on another machine or in a container: its files are not ours. */
function fromThere(where: Elsewhere | undefined, outcome: Outcome): Outcome {
  if (where === undefined || where.same || where.is === 'user') return outcome
  const taints = [...new Set([...outcome.out.taints, 'remote' as const])]
  return { ...outcome, out: { text: unknown('substitution', taints), taints } }
}

function* performOne(engine: Engine, doing: Doing, m: Machine, frame: Frame, by: By): Asking<Outcome | undefined> {
  switch (doing.do) {
    case 'path': {
      const follow = doing.follow ?? (doing.act !== 'delete' ? true : undefined)
      yield* affect(engine, doing.act, doing.at, m, frame, by, {
        ...(doing.tree ? { tree: true } : {}),
        ...(follow === undefined ? {} : { follow }),
        ...(doing.only ? { only: doing.only } : {}),
        ...(doing.content ? { content: doing.content, from: taintsOfContent(engine, doing.content) } : {}),
        ...(doing.note ? { note: doing.note } : doing.detail ? { note: doing.detail } : {}),
        // What comes out of a pipe is not what stands in a file.
        ...(by.name === 'mkfifo' ? { content: { text: unknown('input'), taints: ['remote'] } } : {}),
        ...(doing.act === 'write' && doing.content === undefined && isCompiled(by, frame) ? { content: COMPILED } : {}),
        folder: by.name === 'mkdir' || by.name === 'git' || doing.note === 'dir' || doing.note === INTO,
      })
      if (by.name === 'git' && doing.act === 'create' && doing.tree) yield* brought(engine, doing.at, m)
      return undefined
    }
    case 'copy':
      yield* copy(engine, doing, m, frame, by)
      return undefined
    case 'move':
      yield* move(engine, doing, m, frame, by)
      return undefined
    case 'link':
      yield* link(engine, doing, m, frame, by)
      return undefined
    case 'unpack': {
      if (doing.archive) yield* affect(engine, 'read', doing.archive, m, frame, by)
      if (doing.archive && (yield* isAbsent(engine, doing.archive, m))) return undefined
      const into = doing.into ?? { value: exact('.'), span: by.span }
      yield* affect(engine, doing.keeps ? 'create' : 'write', into, m, frame, by, {
        tree: true,
        note: 'unpack',
        follow: true,
        folder: true,
      })
      yield* brought(engine, into, m)
      return undefined
    }
    case 'kept':
      yield* keep(engine, doing, m)
      return undefined
    case 'run': {
      const child = doing.cwd || doing.set || doing.unset || doing.where ? fork(m) : m
      if (doing.cwd) child.cwd = placesOf(doing.cwd.value, m, engine)
      for (const [name, value] of doing.set ?? []) {
        child.vars.set(name, value)
        child.exported.set(name, true)
      }
      for (const name of doing.unset ?? []) child.vars.set(name, 'unset')
      if (doing.where && !doing.where.same) child.cwd = []
      const when = doing.when === 'later' || frame.when === 'later' ? 'later' : (doing.when ?? frame.when)
      const inside: Frame = {
        ...frame,
        when,
        stdin: doing.stdin ?? frame.stdin,
        where: doing.where ?? frame.where,
        depth: frame.depth + 1,
      }
      const outcome = yield* runArgv(engine, doing.argv, child, inside, {
        span: by.span,
        plain: true,
        ...(doing.set ? { env: doing.set } : {}),
      })
      if (child !== m) m.overlay = child.overlay
      return fromThere(doing.where, outcome)
    }
    case 'code':
      return fromThere(doing.where, yield* runCode(engine, doing, m, frame, by))
    case 'script':
      if (doing.path.value.is === 'glob') return yield* runMatching(engine, doing, m, frame, by)
      return yield* runFile(engine, doing.onPath ? yield* onPath(doing, m, engine) : doing, m, frame, by)
    case 'git': {
      yield* git(engine, doing, m, frame, by)
      return undefined
    }
    case 'other': {
      const target: Target = {
        is: 'remote',
        service: doing.service,
        name: doing.what,
        ...(doing.local ? { local: true } : {}),
      }
      emit(engine, doing.act, target, frame, by, {
        ...(doing.note ? { note: doing.note } : {}),
        ...(doing.safer ? { safer: doing.safer } : {}),
        seen: m.overlay,
        from: taintsOfContent(engine, frame.stdin),
      })
      return undefined
    }
    case 'send': {
      yield* send(engine, doing, m, frame, by)
      return undefined
    }
    case 'out':
      return { status: 'either', out: doing.content }
    case 'set':
      setVariable(m, doing.name, doing.value)
      return undefined
    case 'opaque':
      emit(engine, 'opaque', { is: 'thing', name: doing.what }, frame, by, {
        provenance: 'unknown',
        note: doing.note ?? 'opaque',
      })
      return undefined
  }
}

/** `source env.sh` looks along PATH first when the name has no slash. */
function* onPath(
  doing: Extract<Doing, { do: 'script' }>,
  m: Machine,
  engine: Engine,
): Asking<Extract<Doing, { do: 'script' }>> {
  const name = textOf(doing.path.value)
  if (name === undefined || name.includes('/') || engine.streams.has(name)) return doing
  const here = absolutes(name, m, engine)?.[0]
  const found = here === undefined ? undefined : yield* physical(engine, here, true, m.overlay)
  if (found?.is === 'path' && found.exists) return doing
  const reply = yield* ask('which', { program: name })
  return typeof reply === 'object' && reply.path.includes('/')
    ? { ...doing, path: { ...doing.path, value: exact(reply.path) } }
    : doing
}
