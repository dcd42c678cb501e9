/** Files that go from one place to another: copied, moved, linked. */
import { SAVED_FIRST } from '../commands/backup.ts'
import type { Content, Doing } from '../commands/doing.ts'
import { type Asking, ask } from '../core/question.ts'
import { type Arg, concat, exact, textOf, type Value } from '../core/value.ts'
import { basename } from '../paths/lexical.ts'
import type { By, Engine, Frame } from './engine.ts'
import { expandGlob } from './globs.ts'
import type { Machine } from './machine.ts'
import { isBrought, isUnsure, lookUp, through, withChange } from './overlay.ts'
import { absolutes, physical } from './physical.ts'
import { MOST_TEXT, readFile } from './streams.ts'
import { affect } from './targets.ts'

/** Names of a copied tree that are looked at one by one. */
const MOST_COPIED = 200

/** Files that nobody has seen came to lie below a directory: what is not there yet may be there then. */
export function* brought(engine: Engine, into: Arg, m: Machine): Asking<void> {
  const name = textOf(into.value)
  for (const path of name === undefined ? [] : (absolutes(name, m, engine) ?? [])) {
    const found = yield* physical(engine, path, true, m.overlay)
    if (found.is === 'path') m.overlay = withChange(m.overlay, { is: 'brought', path: found.target })
  }
}

/** Whether a file is surely not there at this step: then nothing comes out of it. */
export function* isAbsent(engine: Engine, at: Arg, m: Machine): Asking<boolean> {
  if (at.value.is === 'glob') return (yield* expandGlob(engine, at.value, m, 1))?.length === 0
  const name = textOf(at.value)
  // What stands behind `-` and the kernel's own names is a stream.
  const stream = name === undefined || engine.streams.has(name) || /^-$|^\/(?:dev|proc)\//.test(name)
  const paths = stream ? undefined : absolutes(name, m, engine)
  if (paths === undefined || paths.length === 0) return false
  for (const path of paths) {
    const found = yield* physical(engine, path, true, m.overlay)
    if (found.is !== 'path' || found.exists || isBrought(m.overlay, found.target)) return false
  }
  return true
}

/** Where each source lands: the destination itself, or its name below it. */
function* landing(engine: Engine, from: Arg, to: Arg, into: 'yes' | 'no' | 'maybe', m: Machine): Asking<Arg> {
  if (to.value.is === 'glob') {
    // A pattern stands for what it matches now; of several names the last one is the destination.
    const names = yield* expandGlob(engine, to.value, m, MOST_COPIED)
    const last = names?.at(-1)
    if (last !== undefined) return yield* landing(engine, from, { ...to, value: exact(last) }, into, m)
  }
  const source = textOf(from.value)
  if (into === 'no') return to
  const target = textOf(to.value)
  let inside = into === 'yes' || (target !== undefined && /[/\\]$/.test(target))
  if (into === 'maybe' && target !== undefined) {
    const path = absolutes(target, m, engine)?.[0]
    const found = path === undefined ? undefined : yield* physical(engine, path, true, m.overlay)
    inside = found?.is === 'path' && found.exists && found.kind === 'dir'
    if (!inside) return to
  }
  if (!inside) return to
  // A directory goes to a new name, slash or not.
  if (into === 'yes' && target !== undefined && /[/\\]$/.test(target) && (yield* isNewName(engine, from, target, m)))
    return to
  // `cp -r dir/. to` puts the content of dir into to.
  if (source !== undefined && /(?:^|\/)\.{1,2}\/*$/.test(source)) return to
  const name: Value = source === undefined ? lastOf(from.value) : exact(basename(source, engine.paths.flavour))
  const separator = target !== undefined && /[/\\]$/.test(target) ? '' : '/'
  return {
    value: concat(concat(to.value, exact(separator)), name),
    span: to.span,
    provenance: to.provenance ?? 'literal',
  }
}

function* isNewName(engine: Engine, from: Arg, target: string, m: Machine): Asking<boolean> {
  const source = textOf(from.value)
  const [path, ...others] = [...(absolutes(target, m, engine) ?? [])]
  const origin = source === undefined ? undefined : absolutes(source, m, engine)?.[0]
  if (path === undefined || others.length > 0 || origin === undefined) return false
  // Most of what is copied is no directory.
  const what = yield* physical(engine, origin, true, m.overlay)
  if (what.is !== 'path' || what.kind !== 'dir') return false
  const there = yield* physical(engine, path, true, m.overlay)
  return there.is === 'path' && !there.exists
}

/** The last component of a value that is not one text. */
function lastOf(value: Value): Value {
  if (value.is === 'glob') {
    const first = value.parts[0]
    if (first?.is !== 'text') return value
    const text = first.text.slice(first.text.lastIndexOf('/') + 1)
    const rest = value.parts.slice(1)
    return { is: 'glob', parts: text === '' ? rest : [{ is: 'text', text }, ...rest] }
  }
  if (value.is === 'partly') return { ...value, prefix: value.prefix.slice(value.prefix.lastIndexOf('/') + 1) }
  return value.is === 'oneOf'
    ? { is: 'oneOf', texts: value.texts.map((text) => text.slice(text.lastIndexOf('/') + 1)) }
    : value
}

/** A pattern is looked up where it is small, so that each name is judged by itself. */
function* each(engine: Engine, args: readonly Arg[], m: Machine): Asking<readonly Arg[]> {
  const out: Arg[] = []
  for (const arg of args) {
    const names = arg.value.is === 'glob' ? yield* expandGlob(engine, arg.value, m, MOST_COPIED) : undefined
    if (names === undefined) out.push(arg)
    else for (const name of names) out.push({ ...arg, value: exact(name) })
  }
  return out
}

/** Note of a read whose content goes to a place that is kept as secret as the source. */
export const KEPT = 'kept'

/** A file of settings with values (`.env.local`); samples hold none and are shown to everybody. */
const isEnvFile = (at: Arg): boolean =>
  /(?:^|[/\\])\.env(?:\.(?!example|sample|template|dist|defaults?\b)[\w-]+)*$/.test(textOf(at.value) ?? '')

export function* copy(
  engine: Engine,
  doing: Extract<Doing, { do: 'copy' }>,
  m: Machine,
  frame: Frame,
  by: By,
): Asking<void> {
  for (const from of yield* each(engine, doing.from, m)) {
    if (engine.pace.over) break
    const to = yield* landing(engine, from, doing.to, doing.into, m)
    const note = isEnvFile(from) && isEnvFile(to) ? KEPT : 'copied'
    yield* affect(engine, 'read', from, m, frame, by, { tree: doing.tree, note })
    const path = textOf(from.value)
    const source = path === undefined ? undefined : absolutes(path, m, engine)?.[0]
    const names = doing.tree && source !== undefined && !doing.mirror ? yield* treeNames(engine, source, m) : undefined
    const act = doing.keeps ? 'create' : 'write'
    const saved = doing.saves ? { note: SAVED_FIRST } : {}
    const alone = doing.links && source !== undefined ? yield* linkAt(engine, source, m) : undefined
    if (alone !== undefined) {
      yield* putLink(engine, alone, to, m, frame, by)
      continue
    }
    if (names !== undefined) {
      for (const { name, folder, link: isLink } of names) {
        if (folder) continue
        const at = name === '' ? to : { ...to, value: concat(to.value, exact(`/${name}`)) }
        const target = isLink && doing.links ? yield* linkAt(engine, `${source}/${name}`, m) : undefined
        if (target !== undefined) {
          yield* putLink(engine, target, at, m, frame, by)
          continue
        }
        yield* affect(engine, act, at, m, frame, by, {
          follow: true,
          ...saved,
          ...(yield* contentOf(engine, name === '' ? source! : `${source}/${name}`, m)),
        })
      }
    } else {
      const content = source !== undefined && !doing.tree ? yield* contentOf(engine, source, m) : {}
      yield* affect(engine, act, to, m, frame, by, { tree: doing.tree, follow: true, ...saved, ...content })
    }
    if (doing.mirror)
      yield* affect(engine, 'delete', doing.to, m, frame, by, { tree: true, follow: true, note: 'mirror' })
    if (source !== undefined) {
      const found = yield* physical(engine, source, true, m.overlay)
      if (found.is === 'path' && found.exists)
        m.overlay = withChange(m.overlay, { is: 'saved', path: yield* placeOfCopy(engine, to, m), from: found.target })
    }
  }
}

/** Notes that what lies at some paths went into a file, too: it is no loss while that file stays. */
export function* keep(engine: Engine, doing: Extract<Doing, { do: 'kept' }>, m: Machine): Asking<void> {
  const file = textOf(doing.at.value)
  const [path, ...more] = file === undefined ? [] : (absolutes(file, m, engine) ?? [])
  if (path === undefined || more.length > 0) return
  for (const from of doing.from) {
    const name = textOf(from.value)
    const source = name === undefined ? undefined : absolutes(name, m, engine)
    if (source?.length !== 1) continue
    const found = yield* physical(engine, source[0]!, false, m.overlay)
    if (found.is === 'path' && found.exists) m.overlay = withChange(m.overlay, { is: 'saved', path, from: found.entry })
  }
}

/** The text of the link that lies at a path; undefined where there is none. */
function* linkAt(engine: Engine, path: string, m: Machine): Asking<string | undefined> {
  const found = yield* physical(engine, path, false, m.overlay)
  return found.is === 'path' && found.kind === 'link' ? found.stat?.target : undefined
}

/** A copy of a link: what lay there goes, and the new name leads where the link's text says from there. */
function* putLink(engine: Engine, target: string, at: Arg, m: Machine, frame: Frame, by: By): Asking<void> {
  const seen = m.overlay
  yield* affect(engine, 'write', at, m, frame, by, { follow: false, note: 'link' })
  const name = textOf(at.value)
  const paths = name === undefined ? undefined : absolutes(name, m, engine)
  const place = paths?.length === 1 ? yield* physical(engine, paths[0]!, false, seen) : undefined
  if (place?.is === 'path') m.overlay = withChange(seen, { is: 'link', path: place.entry, target, hard: false })
}

function* placeOfCopy(engine: Engine, to: Arg, m: Machine): Asking<string> {
  const text = textOf(to.value)
  const paths = text === undefined ? undefined : absolutes(text, m, engine)
  if (paths?.length !== 1) return ''
  const found = yield* physical(engine, paths[0]!, true, m.overlay)
  return found.is === 'path' ? found.target : ''
}

/** What a copy of a file says: read only where that matters, as long as the line itself did not write the source. */
function* contentOf(
  engine: Engine,
  path: string,
  m: Machine,
): Asking<{ readonly content?: Content; readonly copyOf?: string }> {
  if (!/\.(?:sh|bash|py|js|mjs|cjs|ts|pl|rb|php)$|\/[^./]+$/.test(path)) return {}
  const found = yield* physical(engine, path, true, m.overlay)
  const size = found.is === 'path' && found.exists && found.kind === 'file' ? found.stat?.size : undefined
  if (found.is !== 'path' || size === undefined || size > MOST_TEXT) return {}
  const place = lookUp(m.overlay, found.target)
  if (place.is === 'world') return { copyOf: place.path }
  const read = yield* readFile(engine, path, m)
  return read.is === 'text' && !read.cut ? { content: { text: exact(read.text), taints: [] } } : {}
}

/** Every name below a directory, or the file itself; undefined where there are too many or they cannot be listed. */
function* treeNames(
  engine: Engine,
  source: string,
  m: Machine,
): Asking<readonly { name: string; folder: boolean; link?: boolean }[] | undefined> {
  const found = yield* physical(engine, source, true, m.overlay)
  if (found.is !== 'path') return undefined
  if (!found.exists) return []
  if (found.kind !== 'dir') return [{ name: '', folder: false }]
  const out: { name: string; folder: boolean; link?: boolean }[] = []
  const queue = ['']
  for (let at = 0; at < queue.length; at++) {
    const dir = queue[at]!
    const list = yield* through(
      ask('list', { dir: dir === '' ? found.target : `${found.target}/${dir}`, limit: MOST_COPIED }),
      m.overlay,
    )
    if (list === 'unknown' || (list !== 'absent' && list.cut)) return undefined
    if (list === 'absent') continue
    for (const entry of list.entries) {
      const name = dir === '' ? entry.name : `${dir}/${entry.name}`
      out.push({ name, folder: entry.kind === 'dir', link: entry.kind === 'link' })
      if (entry.kind === 'dir') queue.push(name)
      if (out.length > MOST_COPIED) return undefined
    }
  }
  return out
}

/** Note of files that are all moved to one name, where each replaces the one before it. */
export const ONE_NAME = 'one-name'

/** Whether a destination is surely no directory at this step: what is moved there takes its name. */
function* isNoDirectory(engine: Engine, to: Arg, m: Machine): Asking<boolean> {
  const name = textOf(to.value)
  const paths = name === undefined || /[/\\]$/.test(name) ? undefined : absolutes(name, m, engine)
  if (paths?.length !== 1) return false
  const found = yield* physical(engine, paths[0]!, true, m.overlay)
  if (found.is !== 'path' || isUnsure(m.overlay, found.target) || isBrought(m.overlay, found.target)) return false
  return !found.exists || found.kind === 'file'
}

/** Places that keep nothing of what is moved there. */
const SWALLOWS = /^\/(?:dev(?!\/(?:shm|mqueue)\/)|proc)\//

export function* move(
  engine: Engine,
  doing: Extract<Doing, { do: 'move' }>,
  m: Machine,
  frame: Frame,
  by: By,
): Asking<void> {
  const sources = yield* each(engine, doing.from, m)
  const many = sources.length > 1 || sources.some(({ value }) => value.is === 'glob')
  if (many && doing.into === 'maybe' && !doing.keeps && (yield* isNoDirectory(engine, doing.to, m))) {
    const safer = `make ${textOf(doing.to.value)} a directory first`
    const before = m.overlay
    for (const from of doing.from)
      yield* affect(engine, 'delete', from, m, frame, by, { tree: true, note: ONE_NAME, safer })
    m.overlay = before
  }
  for (const from of sources) {
    if (engine.pace.over) break
    const to = yield* landing(engine, from, doing.to, doing.into, m)
    const seen = m.overlay
    const name = textOf(from.value)
    const source = name === undefined ? undefined : absolutes(name, m, engine)
    const found = source?.length === 1 ? yield* physical(engine, source[0]!, false, seen) : undefined
    if (found?.is === 'path' && !found.exists) continue
    const target = textOf(to.value)
    const path = target === undefined ? undefined : absolutes(target, m, engine)
    const swallowed = path?.some((one) => SWALLOWS.test(one)) === true
    yield* affect(engine, 'delete', from, m, frame, by, { tree: true, ...(swallowed ? {} : { note: 'move' }) })
    // What is written over is lost while the source still lies where it was: it may be a copy of it.
    m.overlay = seen
    yield* affect(engine, doing.keeps ? 'create' : 'write', to, m, frame, by, {
      tree: true,
      note: doing.saves ? SAVED_FIRST : 'move',
      follow: false,
    })
    const landed = path?.length === 1 ? yield* physical(engine, path[0]!, false, seen) : undefined
    if (found?.is === 'path' && landed?.is === 'path') {
      m.overlay = withChange(withChange(seen, { is: 'moved', path: landed.entry, from: found.entry }), {
        is: 'gone',
        path: found.entry,
      })
    } else if (found?.is === 'path') m.overlay = withChange(m.overlay, { is: 'gone', path: found.entry })
  }
}

/** Whether a directory is only there if a step of the line did more than it could do. */
function* mayBeNothing(engine: Engine, to: Arg, m: Machine): Asking<boolean> {
  const name = textOf(to.value)
  const paths = name === undefined ? undefined : absolutes(name, m, engine)
  const found = paths?.length === 1 ? yield* physical(engine, paths[0]!, true, m.overlay) : undefined
  return found?.is === 'path' && found.kind === 'dir' && isUnsure(m.overlay, found.target)
}

export function* link(
  engine: Engine,
  doing: Extract<Doing, { do: 'link' }>,
  m: Machine,
  frame: Frame,
  by: By,
): Asking<void> {
  for (const from of doing.from) {
    if (engine.pace.over) break
    const source = textOf(from.value)
    const to: Arg = doing.to ?? { value: lastOf(from.value), span: from.span }
    // A step that failed for want of a directory made none: then the link takes that name.
    const instead = yield* mayBeNothing(engine, to, m)
    const at = instead ? to : yield* landing(engine, from, to, doing.into, m)
    const name = textOf(at.value)
    const path = name === undefined ? undefined : absolutes(name, m, engine)
    const before = path?.length === 1 ? yield* physical(engine, path[0]!, false, m.overlay) : undefined
    const seen = m.overlay
    if (!doing.symbolic) {
      // A second name of a file: nobody sees by it later that it is the same one.
      yield* affect(engine, 'read', from, m, frame, by, { tree: true, note: 'copied' })
      yield* affect(engine, 'mode', from, m, frame, by, { tree: true, follow: true, note: 'second-name' })
    }
    yield* affect(engine, doing.force ? 'write' : 'create', at, m, frame, by, { follow: false, note: 'link' })
    if (source === undefined || before?.is !== 'path' || (before.exists && !doing.force && !instead)) continue
    if (doing.symbolic) m.overlay = withChange(seen, { is: 'link', path: before.entry, target: source, hard: false })
    else {
      const original = absolutes(source, m, engine)?.[0]
      const found = original === undefined ? undefined : yield* physical(engine, original, true, seen)
      // Where the original cannot be looked up, the new name still leads there, and whoever follows it finds that out.
      const to = found?.is === 'path' ? (found.exists ? found.target : undefined) : original
      if (to !== undefined) m.overlay = withChange(seen, { is: 'link', path: before.entry, target: to, hard: true })
    }
  }
}
