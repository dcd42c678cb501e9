/** What a tool call is in the published taxonomy: from the raw name and arguments where the host has that vocabulary. */
import type { Action, Json, ToolCall } from '../../core/call.ts'
import { fileKeys, harmlessKeys, PATH_KEYS, proseKeys, readKeys, toolClasses } from './tool-tables.ts'

export interface FilePath {
  readonly path: string
  /** The tree below goes or comes as well. */
  readonly tree: boolean
  /** Where the tree comes from, for the destination of a move. */
  readonly from?: string
}

export type Use =
  | { readonly is: 'finish' }
  | { readonly is: 'read'; readonly paths: readonly string[] }
  | { readonly is: 'orchestration'; readonly args: Json }
  | { readonly is: 'shell'; readonly missing: boolean }
  | {
      readonly is: 'file'
      readonly paths: readonly FilePath[]
      /** A clause: the arguments do not fit the tool. */
      readonly violation: string | undefined
      /** Texts that the call would write; undefined: none was given. */
      readonly contents: readonly Json[]
      /** The tool writes a whole file. */
      readonly creates: boolean
      readonly args: Json
    }
  | { readonly is: 'mcp'; readonly server: string; readonly tool: string; readonly args: Json }
  | { readonly is: 'unknown'; readonly args: Json }

type Fields = Readonly<Record<string, Json>>

const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** Some builds encode a text twice. */
function unquoted(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value
  try {
    const inner = JSON.parse(value) as Json
    return typeof inner === 'string' ? inner : value
  } catch {
    return value
  }
}

const texts = (fields: Fields, keys: readonly string[]): string[] =>
  keys.flatMap((key) => {
    const value = Object.hasOwn(fields, key) ? unquoted(fields[key]) : undefined
    return typeof value === 'string' && value !== '' ? [value] : []
  })

/** The published class of a call, with the paths that its arguments name. */
export function useOf(call: ToolCall): Use {
  return call.host === 'antigravity' && call.args !== undefined ? byName(call, fieldsOf(call.args)) : byActions(call)
}

function byName(call: ToolCall, args: Fields): Use {
  const { tool } = call
  const kind = toolClasses().get(tool)
  const mcp = call.actions.find((action) => action.is === 'mcp')
  if (tool === 'finish') return { is: 'finish' }
  if (kind === 'shell') return { is: 'shell', missing: typeof args['CommandLine'] !== 'string' }
  if (kind === 'read') return { is: 'read', paths: texts(args, readKeys().get(tool) ?? []) }
  if (kind === 'orchestration') return { is: 'orchestration', args }
  if (kind === 'file') return fileByName(tool, args)
  if (mcp) return { is: 'mcp', server: mcp.server, tool: mcp.tool, args: mcp.args }
  if (tool === 'call_mcp_tool') return { is: 'mcp', server: '', tool: '', args }
  // Tools that the published list lacks and that this build's host reads as shell or harmless.
  if (call.actions.some((action) => action.is === 'shell')) return { is: 'shell', missing: false }
  if (call.actions.length > 0 && call.actions.every((action) => action.is === 'harmless'))
    return { is: 'orchestration', args: null }
  return { is: 'unknown', args }
}

function fileByName(tool: string, args: Fields): Use {
  const keys = fileKeys().get(tool)!
  const paths = keys.flatMap((key): FilePath[] => {
    const [path] = texts(args, [key])
    if (path === undefined || path.trim() === '') return []
    const tree = tool === 'delete_directory' || tool === 'move' || tool === 'move_file'
    const from = tree && key !== keys[0] ? texts(args, [keys[0]!])[0] : undefined
    return [{ path, tree, ...(from === undefined ? {} : { from }) }]
  })
  const missing = keys.find((key) => !texts(args, [key]).some((text) => text.trim() !== ''))
  const stray = Object.keys(args).find((key) => !keys.includes(key) && isStray(key, args[key]!))
  const contents = ['CodeContent', 'Content'].flatMap((key) => (Object.hasOwn(args, key) ? [args[key]!] : []))
  return {
    is: 'file',
    paths,
    violation:
      missing !== undefined
        ? `the tool needs ${missing}`
        : stray !== undefined
          ? `unexpected path parameter ${stray.slice(0, 64)}`
          : undefined,
    contents,
    creates: /^(?:write_to_file|create_file|save_file)$/.test(tool),
    args,
  }
}

/**
 * A key that the tool does not have. Keys of content are free; keys that only describe are free as long as they are no
 * path; any other key may be one that a lenient host takes for the target.
 */
function isStray(key: string, value: Json): boolean {
  if (proseKeys().has(key)) return false
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return false
  const plain = key.toLowerCase().replaceAll(/[^a-z]/g, '')
  if (PATH_KEYS.test(plain)) return true
  if (harmlessKeys().has(plain)) return false
  if (typeof value !== 'string') return holdsPath(value, 0)
  return /[\\/]|\.(?:[cm]?[jt]s|json)$/.test(value)
}

/** Depth of an argument that is looked through for the keys of paths. */
const MOST_DEPTH = 64

function holdsPath(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > MOST_DEPTH) return true
  if (Array.isArray(value)) return value.some((item: Json) => holdsPath(item, depth + 1))
  return Object.entries(value).some(
    ([key, item]) =>
      (PATH_KEYS.test(key.toLowerCase().replaceAll(/[^a-z]/g, '')) && typeof item === 'string') ||
      holdsPath(item, depth + 1),
  )
}

function byActions(call: ToolCall): Use {
  const { actions } = call
  const malformed = actions.find((action) => action.is === 'malformed')
  const paths = actions.flatMap(pathsOf)
  const args = call.args ?? null
  if (paths.length > 0 || (malformed && !actions.some((action) => action.is === 'shell' || action.is === 'mcp')))
    return {
      is: 'file',
      paths,
      violation: malformed?.why,
      contents: actions.flatMap((action) =>
        action.is === 'write' && action.content !== undefined ? [action.content] : [],
      ),
      creates: actions.every((action) => action.is === 'write'),
      args,
    }
  const [first] = actions
  const mcp = actions.find((action) => action.is === 'mcp')
  const unknown = actions.find((action) => action.is === 'unknown')
  if (actions.some((action) => action.is === 'shell')) return { is: 'shell', missing: false }
  if (mcp) return { is: 'mcp', server: mcp.server, tool: mcp.tool, args: mcp.args }
  if (unknown) return { is: 'unknown', args: unknown.args }
  const read = actions.flatMap((action) => (action.is === 'read' || action.is === 'search' ? [action.path] : []))
  return first === undefined || first.is === 'harmless'
    ? { is: 'orchestration', args: null }
    : { is: 'read', paths: read }
}

function pathsOf(action: Action): FilePath[] {
  switch (action.is) {
    case 'write':
    case 'edit':
      return [{ path: action.path, tree: false }]
    case 'delete':
      return [{ path: action.path, tree: action.tree }]
    case 'move':
      return [
        { path: action.from, tree: true },
        { path: action.to, tree: true, from: action.from },
      ]
    default:
      return []
  }
}
