/** File tools, MCP tools and unknown tools: their arguments are read for the paths they name. */
import type { Action, Json } from '../core/call.ts'
import type { PathAct } from '../core/effect.ts'
import type { Asking } from '../core/question.ts'
import { type Arg, exact } from '../core/value.ts'
import { fileUrlPath } from '../paths/lexical.ts'
import { type By, type Engine, emit, type Frame } from './engine.ts'
import type { Machine } from './machine.ts'
import { affect } from './targets.ts'
import { doingsOfTool, wordsOfName } from './tool-words.ts'

/** Depth and number of values looked at in the arguments of a tool that we do not know. */
const MOST_ARGUMENT_DEPTH = 64
const MOST_ARGUMENT_NODES = 20_000

const HERE = { from: 0, to: 0 }

/** A path as a tool gives it: a home prefix and a file URL are taken at their word. */
function argOf(path: string, engine: Engine): Arg {
  if (/^file:/i.test(path)) {
    const local = localPath(path, engine)
    if (local !== undefined) return { value: exact(local), span: HERE }
  }
  const home = /^~(?=$|\/)|^\$\{?HOME\}?(?=$|\/)/.exec(path)
  return { value: exact(home ? engine.context.home + path.slice(home[0].length) : path), span: HERE }
}

/** The same action without blanks around its paths, which some hosts take off; undefined where there are none. */
function trimmed(action: Exclude<Action, { is: 'shell' }>): Exclude<Action, { is: 'shell' }> | undefined {
  if (action.is === 'move') {
    const [from, to] = [action.from.trim(), action.to.trim()]
    const same = from === action.from && to === action.to
    return same || from === '' || to === '' ? undefined : { ...action, from, to }
  }
  if (!('path' in action)) return undefined
  const path = action.path.trim()
  return path === action.path || path === '' ? undefined : { ...action, path }
}

/** Plans an action that is not a shell text. */
export function* planTool(
  engine: Engine,
  action: Exclude<Action, { is: 'shell' }>,
  m: Machine,
  frame: Frame,
  by: By,
): Asking<void> {
  const other = trimmed(action)
  if (other) yield* planTool(engine, other, m, frame, by)
  const act = (what: PathAct, path: string, options: Parameters<typeof affect>[6] = {}) =>
    affect(engine, what, argOf(path, engine), m, frame, by, options)
  switch (action.is) {
    case 'read':
      return yield* act(action.what === 'content' ? 'read' : 'names', action.path)
    case 'search':
      return yield* act('read', action.path, { tree: true })
    case 'write':
      return yield* act('write', action.path, {
        follow: true,
        ...(action.content === undefined ? {} : { content: { text: exact(action.content), taints: [] } }),
      })
    case 'edit':
      return yield* act('edit', action.path, { follow: true })
    case 'delete':
      return yield* act('delete', action.path, { tree: action.tree })
    case 'move':
      return yield* moveByTool(engine, action.from, action.to, m, frame, by)
    case 'fetch':
      if (/^file:/i.test(action.url)) return yield* act('read', action.url)
      emit(engine, 'fetch', { is: 'remote', service: 'network', name: action.url }, frame, by)
      return
    case 'mcp': {
      yield* engine.perform(doingsOfTool(action.server, action.tool, action.args), m, frame, by)
      for (const what of actsOfName(action.tool)) yield* scan(engine, action.args, what, m, frame, by)
      return
    }
    case 'unknown': {
      yield* engine.perform(doingsOfTool('', by.name, action.args), m, frame, by)
      for (const what of actsOfName(by.name)) yield* scan(engine, action.args, what, m, frame, by)
      return
    }
    case 'malformed':
      emit(engine, 'opaque', { is: 'thing', name: action.why }, frame, by, { note: 'malformed', provenance: 'unknown' })
      return
    case 'harmless':
  }
}

function* moveByTool(engine: Engine, from: string, to: string, m: Machine, frame: Frame, by: By): Asking<void> {
  yield* engine.perform([{ do: 'move', from: [argOf(from, engine)], to: argOf(to, engine), into: 'no' }], m, frame, by)
}

/** What a tool's name says that it does to the paths it names. Only reading words make it a reader. */
function actsOfName(tool: string): readonly PathAct[] {
  const words = wordsOfName(tool)
  const has = (list: readonly string[]) => words.some((word) => list.includes(word))
  if (has(['delete', 'remove', 'rm', 'unlink', 'destroy', 'erase', 'clean', 'trash'])) return ['delete']
  if (
    has([
      'write',
      'edit',
      'create',
      'update',
      'save',
      'patch',
      'append',
      'insert',
      'replace',
      'move',
      'rename',
      'copy',
      'put',
      'set',
      'run',
      'execute',
      'apply',
      'upload',
      'import',
    ])
  )
    return ['edit']
  if (
    has([
      'read',
      'get',
      'list',
      'search',
      'view',
      'find',
      'grep',
      'query',
      'describe',
      'show',
      'stat',
      'open',
      'tree',
      'info',
      'status',
      'fetch',
      'lookup',
      'inspect',
    ])
  )
    return ['read']
  // A name that says neither may do either.
  return ['edit', 'read']
}

/** Whether a string looks like a path: absolute, from home, with a separator, or a file URL. */
const looksLikePath = (text: string): boolean =>
  text.length <= 4096 &&
  !/[\n\r\0]/.test(text) &&
  (/^(?:\/|~|\.{1,2}(?:\/|$)|file:|[A-Za-z]:[\\/]|\$\{?HOME)/.test(text) ||
    (/[\\/]/.test(text) && !/\s/.test(text) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)))

/** Keys whose value is a path even where it holds no separator. */
const PATH_KEY = /(?:path|file|filename|dir|directory|folder|source|destination|target|cwd)$/i

function* scan(engine: Engine, args: Json, act: PathAct, m: Machine, frame: Frame, by: By): Asking<void> {
  const queue: { value: Json; key: string; depth: number }[] = [{ value: args, key: '', depth: 0 }]
  for (let at = 0; at < queue.length; at++) {
    const { value, key, depth } = queue[at]!
    if (depth > MOST_ARGUMENT_DEPTH || queue.length > MOST_ARGUMENT_NODES) {
      emit(engine, 'opaque', { is: 'thing', name: 'arguments nested too deeply to read' }, frame, by, {
        note: 'malformed',
        provenance: 'unknown',
      })
      return
    }
    if (typeof value === 'string') {
      if (
        !looksLikePath(value) &&
        !(PATH_KEY.test(key) && value !== '' && !/[\n\r\0]/.test(value) && value.length <= 4096)
      )
        continue
      const path = /^file:/i.test(value) ? localPath(value, engine) : value
      if (path !== undefined)
        yield* affect(engine, act, argOf(path, engine), m, frame, by, {
          follow: act !== 'delete',
          tree: act === 'delete',
          note: 'argument',
        })
    } else if (Array.isArray(value))
      for (const item of value) queue.push({ value: item as Json, key, depth: depth + 1 })
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) queue.push({ value: item as Json, key: name, depth: depth + 1 })
  }
}

function localPath(url: string, engine: Engine): string | undefined {
  const found = fileUrlPath(url, engine.paths.flavour)
  return typeof found === 'object' ? found.path : undefined
}
