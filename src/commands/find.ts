/** `find`: which paths an expression picks, and what its actions do to them. Tests that we cannot follow only widen. */
import { type Arg, concat, exact, type GlobPart, textOf, unknown } from '../core/value.ts'
import type { Doing, Invocation, Listed, Reader } from './doing.ts'
import { isText, onEach, out, pure, word } from './parts.ts'
import { ALL_BELOW, below, eachOf, globValue, patternParts } from './pattern.ts'
import { onPath } from './row.ts'
import { hasMark, splice, spliceAll } from './splice.ts'

/** How many ways to match are kept apart before all are taken: each action is repeated for each of them. */
const MOST_WAYS = 16
/** How many starting points times ways one action is spelled out for. */
const MOST_FOUND = 32
/** How deep parentheses are followed; beyond, the rest of the expression counts as unknown. */
const MOST_NESTED = 64

/** Tests and options with one value, read past where they do not narrow what is found. */
const VALUED =
  /^-(?:[acmB]min|[acmB]time|anewer|cnewer|newer(?:[aBcm][aBcmt])?|context|fstype|gid|group|inum|links|lname|ilname|perm|samefile|size|uid|used|user|xtype|type|flags|mnewer|maxdepth|mindepth|regextype|files0-from|printf)$/
const FLAG =
  /^-(?:daystart|depth|d|follow|ignore_readdir_race|noignore_readdir_race|mount|noleaf|xdev|x|empty|executable|nogroup|nouser|readable|true|warn|nowarn|writable|prune|quit|print|print0|ls|acl|help|version)$/

/** One way to match. What is absent does not narrow. */
interface Way {
  readonly name?: readonly GlobPart[]
  readonly path?: readonly GlobPart[]
  readonly type?: string
}

interface State {
  readonly call: Invocation
  readonly words: readonly Arg[]
  readonly starts: readonly Arg[]
  at: number
  nested: number
  minimum: number
  maximum: number
  readonly doings: Doing[]
  /** What the default or a plain `-print` lists. */
  readonly listed: Listed[]
  /** An action that stands in for the default print. */
  acts: boolean
  /** Something else is printed as well, so that lines are not paths. */
  mixed: boolean
  /** Commands ran: what they print is printed. */
  ran: boolean
  open: boolean
}

/** Reader of `find`. */
export const find: Reader = pure((call) => {
  let from = 0
  const given: Arg[] = []
  while (from < call.args.length) {
    const text = textOf(call.args[from]!.value) ?? ''
    if (/^-(?:[HLPEXdsx]+|O\d*)$/.test(text)) from++
    else if (text === '-D') from += 2
    else if (text === '-f') {
      // BSD: a starting point that may begin with a dash.
      given.push(...call.args.slice(from + 1, from + 2))
      from += 2
    } else break
  }
  while (from < call.args.length && !startsExpression(call.args[from]!)) given.push(call.args[from++]!)
  const starts = (given.length > 0 ? given : [word(call, '.')]).flatMap(eachOf)
  const words = call.args.slice(from)
  if (words.some((arg) => isText(arg, '-help') || isText(arg, '--help') || isText(arg, '--version'))) return []
  const depth = (name: string, otherwise: number) => {
    const i = words.findIndex((arg) => isText(arg, name))
    const value = i < 0 ? undefined : textOf(words[i + 1]?.value)
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : otherwise
  }
  const state: State = {
    call,
    words,
    starts,
    at: 0,
    nested: 0,
    minimum: depth('-mindepth', 0),
    maximum: depth('-maxdepth', Number.POSITIVE_INFINITY),
    doings: [...onEach('names', starts, true)],
    listed: [],
    acts: false,
    mixed: false,
    ran: false,
    // Behind a starting point an unknown word may as well be an action.
    open: given.slice(1).some((arg) => arg.value.is === 'unknown'),
  }
  let ways: readonly Way[] = []
  // A stray `)` ends an expression early; what follows it is read as another one, so that nothing goes unseen.
  while (state.at < words.length) {
    ways = alternatives(state, [{}])
    state.at++
  }
  if (words.length === 0) ways = [{}]
  if (!state.acts) state.listed.push(...found(state, ways).map(({ at, tree }) => ({ at, tree })))
  if (state.open) state.doings.push({ do: 'opaque', what: 'find with unknown words in its expression' })
  const lists = state.listed.length > 0
  if (!state.ran || lists || state.mixed) {
    const only = !state.mixed && !state.ran
    state.doings.push(out({ text: unknown('input'), taints: [], ...(only ? { paths: state.listed } : {}) }))
  }
  return state.doings
})

const startsExpression = (arg: Arg): boolean => {
  const text = textOf(arg.value)
  if (text === undefined) return arg.value.is === 'partly' && arg.value.prefix.startsWith('-')
  return /^(?:-.|[()!,]$)/.test(text)
}

const next = (state: State): string | undefined => textOf(state.words[state.at]?.value)

/** `a -o b , c`: every branch starts from the same ways; what any of them matches may match. */
function alternatives(state: State, before: readonly Way[]): readonly Way[] {
  const all: Way[] = [...conjunction(state, before)]
  for (;;) {
    const text = next(state)
    if (text !== '-o' && text !== '-or' && text !== ',') return widen(all)
    state.at++
    all.push(...conjunction(state, before))
  }
}

const widen = (ways: readonly Way[]): readonly Way[] => (ways.length > MOST_WAYS ? [{}] : ways)

/** `a b ! c`: ways flow from left to right, and each action sees those of its left. */
function conjunction(state: State, before: readonly Way[]): readonly Way[] {
  let ways = before
  while (state.at < state.words.length) {
    const text = next(state)
    if (text === '-o' || text === '-or' || text === ',' || text === ')') break
    if (text === '-a' || text === '-and') state.at++
    else ways = widen(primary(state, ways))
  }
  return ways
}

function primary(state: State, ways: readonly Way[]): readonly Way[] {
  const text = next(state)
  const here = state.words[state.at]!
  state.at++
  if (text === '!' || text === '-not') {
    // What does not match is not narrower than what may; only actions inside count.
    while (next(state) === '!' || next(state) === '-not') state.at++
    if (state.at < state.words.length) primary(state, ways)
    return ways
  }
  if (text === '(') {
    if (state.nested >= MOST_NESTED) {
      state.open = true
      state.at = state.words.length
      return ways
    }
    state.nested++
    const inner = alternatives(state, ways)
    state.nested--
    if (next(state) === ')') state.at++
    return inner
  }
  if (text === undefined) {
    if (here.value.is !== 'glob') state.open = true
    return ways
  }
  return action(state, text, ways) ?? test(state, text, ways)
}

function test(state: State, text: string, ways: readonly Way[]): readonly Way[] {
  if (text === '-false') return []
  const fold = text.startsWith('-i')
  const take = () => state.words[state.at++]
  switch (text) {
    case '-name':
    case '-iname': {
      const name = textOf(take()?.value)
      return name === undefined
        ? ways
        : ways.map((way) => (way.name ? way : { ...way, name: patternParts(name, { fold }) }))
    }
    case '-path':
    case '-ipath':
    case '-wholename':
    case '-iwholename': {
      const path = textOf(take()?.value)
      if (path === undefined) return ways
      return ways.map((way) => (way.path ? way : { ...way, path: patternParts(path, { slashes: true, fold }) }))
    }
    case '-type': {
      const type = textOf(take()?.value)
      return type === undefined || type.length !== 1 ? ways : ways.map((way) => ({ ...way, type }))
    }
    case '-regex':
    case '-iregex':
      take()
      return ways
  }
  if (VALUED.test(text)) state.at++
  else if (!FLAG.test(text)) return ways
  return ways
}

/** Runs one action; undefined where the word is none. */
function action(state: State, text: string, ways: readonly Way[]): readonly Way[] | undefined {
  switch (text) {
    case '-print':
    case '-print0':
      state.acts = true
      state.listed.push(...found(state, ways).map(({ at, tree }) => ({ at, tree })))
      return ways
    case '-printf': {
      state.acts = true
      const format = textOf(state.words[state.at++]?.value)
      if (format !== undefined && /^%p(?:\\n|\\0|\n|\0)$/.test(format))
        state.listed.push(...found(state, ways).map(({ at, tree }) => ({ at, tree })))
      else state.mixed = true
      return ways
    }
    case '-ls':
      state.acts = true
      state.mixed = true
      return ways
    case '-fprint':
    case '-fprint0':
    case '-fls':
    case '-fprintf': {
      state.acts = true
      const file = state.words[state.at++]
      if (file) state.doings.push({ do: 'path', act: 'write', at: file })
      if (text === '-fprintf') state.at++
      return ways
    }
    case '-files0-from': {
      const file = state.words[state.at++]
      if (file) state.doings.push({ do: 'path', act: 'read', at: file })
      return ways
    }
    case '-delete':
      state.acts = true
      // A directory goes only when it is empty, so directories alone hold nothing that could be lost.
      for (const { at, tree, type } of found(state, ways))
        if (type !== 'd') state.doings.push(onPath('delete', at, tree))
      return ways
    case '-exec':
    case '-execdir':
    case '-ok':
    case '-okdir':
      state.acts = true
      exec(state, text, ways)
      return ways
  }
  return undefined
}

function exec(state: State, text: string, ways: readonly Way[]): void {
  const argv: Arg[] = []
  let plus = false
  while (state.at < state.words.length) {
    const arg = state.words[state.at++]!
    if (isText(arg, ';')) break
    if (isText(arg, '+') && argv.length > 0 && isText(argv.at(-1), '{}')) {
      plus = true
      break
    }
    argv.push(arg)
  }
  if (argv.length === 0) return
  // Prompts read stdin; where nobody answers nothing runs.
  if (text.startsWith('-ok') && state.call.stdin.none) return
  const items = found(state, ways).flatMap(({ at, tree }) => (tree ? [below(at, ALL_BELOW), at] : [at]))
  if (items.length === 0) return
  const inDirectory = text.endsWith('dir') && !hasMark(argv, '{}')
  const cwd = inDirectory ? { cwd: items.at(-1)! } : {}
  const runs = plus
    ? [spliceAll(argv, '{}', items)]
    : hasMark(argv, '{}')
      ? items.map((item) => splice(argv, '{}', item))
      : [argv]
  for (const words of runs) state.doings.push({ do: 'run', argv: words, ...cwd })
  state.ran = true
}

interface Found {
  readonly at: Arg
  readonly tree: boolean
  readonly type: string | undefined
}

/** The paths that any of the ways matches below any starting point. */
function found(state: State, ways: readonly Way[]): readonly Found[] {
  const all: Found[] = []
  for (const way of ways) for (const start of state.starts) all.push(...matches(state, start, way))
  if (all.length > MOST_FOUND) return state.starts.map((at) => ({ at, tree: true, type: undefined }))
  return all
}

function matches(state: State, start: Arg, way: Way): readonly Found[] {
  const { minimum, maximum } = state
  const type = way.type
  if (way.path) return [{ at: onPathPattern(start, way.path), tree: false, type }]
  if (way.name) {
    if (maximum === 0) return [{ at: start, tree: false, type }]
    return [{ at: below(start, maximum === 1 ? way.name : [...ALL_BELOW.slice(0, 2), ...way.name]), tree: false, type }]
  }
  if (maximum === 0) return [{ at: start, tree: false, type }]
  const rest = maximum === 1 ? ALL_BELOW.slice(2) : ALL_BELOW
  if (minimum > 0 || (type !== undefined && type !== 'd')) return [{ at: below(start, rest), tree: false, type }]
  if (maximum === 1 || type === 'd')
    return [
      { at: start, tree: false, type },
      { at: below(start, rest), tree: false, type },
    ]
  return [{ at: start, tree: true, type }]
}

/** A pattern for the whole path. Where it begins with a star it still lies below the starting point. */
function onPathPattern(start: Arg, pattern: readonly GlobPart[]): Arg {
  const first = pattern[0]
  if (first?.is !== 'any') return { ...start, value: globValue(pattern), provenance: 'constant' }
  if (start.value.is === 'unknown') return start
  const value = concat(concat(start.value, exact(textOf(start.value)?.endsWith('/') ? '' : '/')), globValue(pattern))
  return { ...start, value, provenance: 'constant' }
}
