/**
 * How a tool's arguments become actions, as data: a host file lists its tools, this file reads their arguments.
 *
 * Keys of one field are alternatives, separated by blanks: every one that is present is read, so that a second spelling
 * cannot hide a target. A key that is present and holds something else than text makes the call malformed.
 */

import { patchActions } from '../commands/agent-patch.ts'
import type { Action, Dialect, Replacement } from '../core/call.ts'
import { type Fields, field, fieldsOf, isAbsolute, textOf, textsOf } from './guards.ts'

/** What stands in for a key that is absent. `here`: the working directory. `texts`: every text that looks like a path. */
export type Without = 'malformed' | 'here' | 'harmless' | 'unknown' | 'texts'

export type Tool =
  | {
      readonly is: 'shell'
      readonly text: string
      readonly cwd?: string
      readonly dialect?: Dialect
      readonly without?: Without
    }
  /** `lists`: a key may hold a list of texts as well. */
  | { readonly is: 'read'; readonly path: string; readonly without?: Without; readonly lists?: true }
  | {
      readonly is: 'names'
      readonly path: string
      readonly pattern?: string
      readonly without?: Without
      readonly lists?: true
    }
  | { readonly is: 'search'; readonly path: string; readonly without?: Without; readonly lists?: true }
  | { readonly is: 'write'; readonly path: string; readonly content: string; readonly without?: Without }
  | { readonly is: 'edit'; readonly path: string; readonly without?: Without }
  | { readonly is: 'delete'; readonly path: string; readonly tree?: boolean }
  | { readonly is: 'move'; readonly from: string; readonly to: string }
  | { readonly is: 'fetch'; readonly url: string; readonly without?: Without }
  | { readonly is: 'patch'; readonly text: string }
  | { readonly is: 'harmless' }

/** A host's tools by name. Several names in one key are separated by blanks. */
export type Tools = Readonly<Record<string, Tool>>

const indexes = new WeakMap<Tools, Map<string, Tool>>()

/** The entry of a tool by its exact name, or undefined. */
export function toolOf(tools: Tools, name: string): Tool | undefined {
  let index = indexes.get(tools)
  if (index === undefined) {
    index = new Map(Object.entries(tools).flatMap(([names, tool]) => names.split(' ').map((one) => [one, tool])))
    indexes.set(tools, index)
  }
  return index.get(name)
}

const HARMLESS: Action = { is: 'harmless' }
export const malformed = (why: string): Action => ({ is: 'malformed', why })

/** The actions of a call. Never empty; for broken arguments what can be read stands beside the `malformed` action. */
export function actionsOf(tool: Tool, args: Fields): readonly Action[] {
  switch (tool.is) {
    case 'harmless':
      return [HARMLESS]
    case 'shell': {
      const cwd = tool.cwd === undefined ? undefined : firstText(args, tool.cwd)
      const dialect = tool.dialect ?? 'posix'
      return each(args, tool.text, tool.without, (text) => ({
        is: 'shell',
        text,
        dialect,
        ...(cwd === undefined ? {} : { cwd }),
      }))
    }
    case 'read':
      return each(args, tool.path, tool.without, placeOf, tool.lists)
    case 'names': {
      const named = each(args, tool.path, tool.without, (path) => ({ is: 'read', path, what: 'names' }), tool.lists)
      const pattern = tool.pattern === undefined ? undefined : firstText(args, tool.pattern)
      const root = pattern === undefined ? undefined : rootOf(pattern)
      return root === undefined ? named : [...named, { is: 'read', path: root, what: 'names' }]
    }
    case 'search':
      return each(args, tool.path, tool.without, (path) => ({ is: 'search', path }), tool.lists)
    case 'write': {
      const content = contentOf(args, tool.content)
      return each(args, tool.path, tool.without, (path) => ({
        is: 'write',
        path,
        ...(content === undefined ? {} : { content }),
      }))
    }
    case 'edit':
      return each(args, tool.path, tool.without, (path) => ({ is: 'edit', path, ...changesOf(args) }))
    case 'delete':
      return each(args, tool.path, undefined, (path) => ({ is: 'delete', path, tree: tool.tree ?? false }))
    case 'move':
      return moveOf(args, tool.from, tool.to)
    case 'fetch':
      return each(args, tool.url, tool.without, (url) => ({ is: 'fetch', url }))
    case 'patch':
      return eachText(args, tool.text).flatMap((found) =>
        found.is === 'text' ? patchActions(found.text) : [malformed(found.why)],
      )
  }
}

type Found = { readonly is: 'text'; readonly text: string } | { readonly is: 'wrong'; readonly why: string }

/** What the alternatives hold; one `wrong` where none is present. */
function eachText(args: Fields, keys: string): readonly Found[] {
  const found = present(args, keys)
  return found.length > 0 ? found : [{ is: 'wrong', why: `the tool needs ${keys.split(' ')[0]}` }]
}

function present(args: Fields, keys: string, lists?: true): readonly Found[] {
  return keys.split(' ').flatMap((key): readonly Found[] => {
    const value = field(args, key)
    if (value === undefined) return []
    if (lists && Array.isArray(value) && value.length > 0 && textsOf(value).length === value.length)
      return textsOf(value).map((text) => ({ is: 'text', text }))
    const text = textOf(value)
    return [text === undefined ? { is: 'wrong', why: `${key} is not a text` } : { is: 'text', text }]
  })
}

function each(
  args: Fields,
  keys: string,
  without: Without | undefined,
  make: (text: string) => Action,
  lists?: true,
): readonly Action[] {
  const found = present(args, keys, lists)
  if (found.length > 0) return found.map((one) => (one.is === 'text' ? make(one.text) : malformed(one.why)))
  switch (without) {
    case undefined:
    case 'malformed':
      return [malformed(`the tool needs ${keys.split(' ')[0]}`)]
    case 'here':
      return [make('.')]
    case 'unknown':
      return [{ is: 'unknown', args }]
    case 'harmless':
      return [HARMLESS]
    case 'texts': {
      const texts = Object.values(args).filter((value) => typeof value === 'string' && /[\\/]/.test(value)) as string[]
      return texts.length > 0 ? texts.map(make) : [HARMLESS]
    }
  }
}

/** A file, or what an address of another kind names: `file:` addresses stay paths, the guard reads them. */
function placeOf(text: string): Action {
  return /^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(text)
    ? { is: 'fetch', url: text }
    : { is: 'read', path: text, what: 'content' }
}

function moveOf(args: Fields, fromKeys: string, toKeys: string): readonly Action[] {
  const from = eachText(args, fromKeys)
  const to = eachText(args, toKeys)
  const sources = from.flatMap((one) => (one.is === 'text' ? [one.text] : []))
  const targets = to.flatMap((one) => (one.is === 'text' ? [one.text] : []))
  const wrong = [...from, ...to].flatMap((one) => (one.is === 'wrong' ? [malformed(one.why)] : []))
  const pairs = sources.flatMap((a) => targets.map((b): Action => ({ is: 'move', from: a, to: b })))
  if (pairs.length > 0) return [...pairs, ...wrong]
  // Half a move is never run, but its half is still looked at.
  const halves: readonly Action[] = [
    ...sources.map((path): Action => ({ is: 'delete', path, tree: true })),
    ...targets.map((path): Action => ({ is: 'edit', path })),
  ]
  return [...halves, ...wrong]
}

/** Keys under which hosts send what an edit takes out and what it puts there. */
const REPLACED: readonly (readonly [string, string])[] = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['oldStr', 'newStr'],
  ['TargetContent', 'ReplacementContent'],
]
/** Keys of lists of such pairs. */
const LISTS: readonly string[] = ['edits', 'changes', 'ReplacementChunks']

function changesOf(args: Fields): { readonly changes?: readonly Replacement[] } {
  const lists = LISTS.flatMap((key) => {
    const list = field(args, key)
    return (Array.isArray(list) ? list : []).map(fieldsOf).filter((one) => one !== undefined)
  })
  const changes = [args, ...lists].flatMap((fields) =>
    REPLACED.flatMap(([from, to]): readonly Replacement[] => {
      const [removed, added] = [field(fields, from), field(fields, to)]
      return typeof removed === 'string' && typeof added === 'string' ? [{ removed, added }] : []
    }),
  )
  return changes.length > 0 ? { changes } : {}
}

const firstText = (args: Fields, keys: string): string | undefined =>
  present(args, keys).flatMap((one) => (one.is === 'text' ? [one.text] : []))[0]

/** Content may be empty or blank, and of two contents neither can be trusted: then it is not known. */
function contentOf(args: Fields, keys: string): string | undefined {
  const given = keys.split(' ').filter((key) => field(args, key) !== undefined)
  const only = given.length === 1 ? field(args, given[0]!) : undefined
  return typeof only === 'string' ? only : undefined
}

/** The directory that an absolute pattern starts from; undefined for a relative one. */
function rootOf(pattern: string): string | undefined {
  if (!isAbsolute(pattern) && !pattern.startsWith('~')) return undefined
  const literal = pattern.slice(0, pattern.search(/[*?[{]|$/))
  const end = literal.lastIndexOf('/')
  return end > 0 ? literal.slice(0, end) : literal || '/'
}

/** `mcp__server__tool` taken apart; undefined for any other name. `server`: the host's own word for it, where it says. */
export function mcpOf(name: string, args: Fields, server?: string): Action | undefined {
  if (!name.startsWith('mcp__')) return undefined
  const rest = name.slice('mcp__'.length)
  const known = server !== undefined && rest.startsWith(`${server}__`) ? server.length : rest.indexOf('__')
  return known > 0 && known + 2 < rest.length
    ? { is: 'mcp', server: rest.slice(0, known), tool: rest.slice(known + 2), args }
    : { is: 'mcp', server: rest, tool: '', args }
}
