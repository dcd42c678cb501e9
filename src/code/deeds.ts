/** Turns the call of a function that a table knows into doings. */
import type { Doing, Language } from '../commands/doing.ts'
import { judgeSql } from '../commands/sql.ts'
import type { PathAct, Taint } from '../core/effect.ts'
import { type Arg, concat, exact, type Span, taintsOf, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import type { CallOf, CallRow } from './grammar.ts'
import { asValue, isContent, type Thing } from './things.ts'

/** Where and in what a call stands. */
export interface Place {
  readonly span: Span
  readonly language: Language
  /** Where the program has changed to; undefined: where it began. */
  readonly cwd: Value | undefined
}

const ACTS: ReadonlySet<string> = new Set<PathAct>(
  'read names create write append edit delete mode run'.split(' ') as PathAct[],
)

export const truthy = (thing: Thing | undefined): boolean => {
  switch (thing?.is) {
    case undefined:
      return false
    case 'name':
      return !/^(false|none|null|undefined|nil)$/i.test(thing.name)
    case 'number':
      return thing.text !== '0'
    case 'text':
      return textOf(thing.value) !== '' && textOf(thing.value) !== '0'
    default:
      return true
  }
}

/** An option by name: a keyword argument, or an entry of an argument that is a dictionary. */
export function option(call: CallOf, name: string): Thing | undefined {
  const direct = call.named.get(name)
  if (direct) return direct
  for (const arg of call.args) if (arg.is === 'dict' && arg.entries.has(name)) return arg.entries.get(name)
  return undefined
}

/** Whether an option is set, or may be because options come from somewhere unknown. */
const mayBe = (call: CallOf, name: string): boolean =>
  truthy(option(call, name)) ||
  call.args.slice(1).some((arg) => arg.is === 'unknown' || (arg.is === 'dict' && arg.open) || isFree(arg))

/** A name that nothing in the program sets. */
const isFree = (thing: Thing): boolean =>
  thing.is === 'name' && thing.self === undefined && !/^(true|false|null|undefined)$/.test(thing.name)

/** The arguments at a place of a deed. */
function at(call: CallOf, place: string | undefined): readonly Thing[] {
  if (place === undefined) return []
  const [spot, keyword] = place.split(':')
  if (spot === '*') return call.args
  if (spot === 'rest') return call.args.slice(Number(keyword))
  if (spot === 'self') return call.self ? [call.self] : []
  const found = call.args[Number(spot)]
  if (found) return [found]
  return (keyword?.split(',') ?? []).flatMap((name) => option(call, name) ?? [])
}

export const toArg = (value: Value, place: Place): Arg => ({ value, span: place.span, provenance: 'constant' })

const ABSOLUTE = /^([/\\]|[A-Za-z]:|file:)/

/** A path as the program means it, from where the planner looks at it. */
function pathArg(value: Value, place: Place): Arg {
  const texts = textsOf(value)
  const plain = textOf(value)
  if (plain?.startsWith('file://')) return toArg(exact(plain.slice(7)), place)
  if (place.cwd === undefined || texts?.every((text) => ABSOLUTE.test(text))) return toArg(value, place)
  return toArg(concat(concat(place.cwd, exact('/')), value), place)
}

/** Every path that a thing stands for. */
function paths(things: readonly Thing[], place: Place): readonly Arg[] {
  return things.flatMap((thing): readonly Arg[] => {
    if (thing.is === 'list') {
      const items = paths(thing.items, place)
      return thing.open ? [...items, toArg(unknown('variable'), place)] : items
    }
    if (thing.is === 'number' || thing.is === 'dict' || thing.is === 'function') return []
    return [pathArg(asValue(thing), place)]
  })
}

/** The words of a program call: a list's items; an open list may go on. */
function words(things: readonly Thing[], place: Place): readonly Arg[] {
  return things.flatMap((thing): readonly Arg[] => {
    if (thing.is !== 'list') return thing.is === 'dict' || thing.is === 'function' ? [] : [toArg(asValue(thing), place)]
    const items = words(thing.items, place)
    return thing.open ? [...items, toArg(unknown('variable'), place)] : items
  })
}

const shell = (value: Value, more: object): Doing => ({ do: 'code', language: 'sh', text: value, ...more })

/** What a process is started with beside its words. */
function around(call: CallOf, place: Place) {
  const cwd = option(call, 'cwd') ?? option(call, 'chdir')
  const given =
    cwd && cwd.is !== 'name' ? pathArg(asValue(cwd), place) : place.cwd ? toArg(place.cwd, place) : undefined
  const input = option(call, 'input')
  return {
    ...(given ? { cwd: given } : {}),
    ...(input ? { stdin: { text: asValue(input), taints: taintsOf(asValue(input)) } } : {}),
  }
}

function process(call: CallOf, list: readonly Thing[], place: Place): readonly Doing[] {
  const [first] = list
  if (first === undefined) return []
  const more = around(call, place)
  if (first.is === 'list') {
    const argv = words(list, place)
    if (argv.length === 0) return []
    return truthy(option(call, 'shell')) ? [shell(argv[0]!.value, more)] : [{ do: 'run', argv, ...more }]
  }
  return [shell(asValue(first), more)]
}

/** Program, list of arguments, options. */
function spawn(call: CallOf, program: Thing, list: Thing | undefined, place: Place): readonly Doing[] {
  const more = around(call, place)
  const rest = list === undefined || list.is === 'dict' || list.is === 'function' ? [] : [list]
  const unknownList = rest.some((thing) => thing.is !== 'list' && thing.is !== 'text')
  const argv = [...words([program], place), ...(unknownList ? [toArg(unknown('variable'), place)] : words(rest, place))]
  if (truthy(option(call, 'shell'))) {
    const text = argv.map((arg) => arg.value).reduce((all, value) => concat(concat(all, exact(' ')), value))
    return [shell(text, more)]
  }
  return [{ do: 'run', argv, ...more }]
}

function open(path: Thing, mode: Thing | undefined, place: Place): readonly Doing[] {
  // Behind a colon stands how an archive is packed.
  const text = mode === undefined || mode.is === 'dict' ? 'r' : textOf(asValue(mode))?.replace(/[:|].*$/s, '')
  const act: PathAct =
    text === undefined
      ? 'edit'
      : /[wx]/.test(text)
        ? 'write'
        : text.includes('a')
          ? 'append'
          : text.includes('+')
            ? 'edit'
            : 'read'
  return paths([path], place).map((arg): Doing => ({ do: 'path', act, at: arg }))
}

function one(verb: string, places: readonly string[], call: CallOf, row: CallRow, place: Place): readonly Doing[] {
  const [first, second] = [at(call, places[0]), at(call, places[1])]
  const start = first[0]
  const name = verb.replace('/', '')
  if (ACTS.has(name)) {
    const tree = verb.endsWith('/') && (row.treeIf === undefined || mayBe(call, row.treeIf))
    const written = places.find((spot) => spot.startsWith('='))
    const content = written === undefined ? undefined : at(call, written.slice(1))[0]
    const text = content && content.is !== 'name' && !isContent(content) ? asValue(content) : undefined
    return paths(first, place).map(
      (arg): Doing => ({
        do: 'path',
        act: name as PathAct,
        at: arg,
        ...(tree ? { tree } : {}),
        ...(text ? { content: { text, taints: taintsOf(text) } } : {}),
      }),
    )
  }
  if (name === 'lose') return [{ ...LOSES, what: call.name.replace(/^\?\./, '') }]
  if (start === undefined && name !== 'show') return []
  const from = paths(first, place)
  const to = paths(second, place)[0]
  switch (name) {
    case 'copy':
      return to && from.length > 0 ? [{ do: 'copy', from, to, tree: verb.endsWith('/'), into: 'maybe' }] : []
    case 'move':
      return to && from.length > 0 ? [{ do: 'move', from, to, into: 'maybe' }] : []
    case 'link':
    case 'symlink':
      return from.length > 0 ? [{ do: 'link', from, to, symbolic: name === 'symlink', force: false, into: 'no' }] : []
    case 'unpack':
      return [{ do: 'unpack', archive: from[0], into: to }]
    case 'open':
      return open(start!, second[0], place)
    case 'argv':
      return process(call, first, place)
    case 'words': {
      const argv = words(call.args.slice(Number(places[0])), place)
      return argv.length === 0 ? [] : [{ do: 'run', argv, ...around(call, place) }]
    }
    case 'program':
      return program(call, place)
    case 'perl-open':
      return perlOpen(call, place)
    case 'perl-file':
      return perlFile(call, place)
    case 'ruby-open': {
      const command = textOf(asValue(start))
      return command?.startsWith('|')
        ? [shell(exact(command.slice(1)), around(call, place))]
        : open(start!, call.args[1], place)
    }
    case 'spawn':
      return spawn(call, start!, second[0], place)
    case 'shell':
      return [shell(asValue(start), around(call, place))]
    case 'eval':
      return first.flatMap((thing) => evaluates(asValue(thing), place))
    case 'script':
      return from.map((path): Doing => ({ do: 'script', path, language: place.language, args: [] }))
    case 'send': {
      const sent = second.flatMap(leaves)
      const taints: readonly Taint[] = [...new Set(sent.flatMap((thing) => taintsOf(asValue(thing))))]
      const files = sent.flatMap((thing) =>
        thing.is === 'object' && thing.type === 'file' ? paths([thing], place) : [],
      )
      return [
        {
          do: 'send',
          to: asValue(start),
          files,
          texts: sent.map(asValue),
          content: { text: second[0] ? asValue(second[0]) : unknown('variable'), taints },
        },
      ]
    }
    case 'sql':
      return first.flatMap((thing) => judged(textOf(asValue(thing)), place))
    case 'fetch':
      return [{ do: 'other', act: 'fetch', service: 'url', what: textOf(asValue(start)) ?? '?' }]
    case 'kill':
      return [{ do: 'other', act: 'kill', service: 'process', what: textOf(asValue(start)) ?? '?' }]
    case 'show':
      return shows(call.args)
    default:
      return []
  }
}

/** Which database a program talks to is rarely told. */
const LOSES = { do: 'other', act: 'destroy', service: 'database', local: true } as const

/** Statements that lose data; the others are a program's daily work. */
const judged = (text: string | undefined, place: Place): readonly Doing[] =>
  text === undefined
    ? []
    : judgeSql(text, { service: 'database', name: `${place.language} program`, local: true }).filter(
        (doing) => doing.do === 'other' && doing.act === 'destroy',
      )

/** One text is a shell's; several words, or a list, are a program's. */
function program(call: CallOf, place: Place): readonly Doing[] {
  const given = call.args.filter((arg) => arg.is !== 'dict')
  const [first] = given
  if (first === undefined) return []
  const more = around(call, place)
  if (given.length === 1 && first.is !== 'list') return [shell(asValue(first), more)]
  const argv = words(given, place)
  if (argv.length === 1) return [shell(argv[0]!.value, more)]
  return argv.length === 0 ? [] : [{ do: 'run', argv, ...more }]
}

/** Perl's open: handle, mode and path, or handle and both in one text; `|` runs a command. */
function perlOpen(call: CallOf, place: Place): readonly Doing[] {
  const [, second, third, ...more] = call.args
  if (second === undefined) return []
  const text = textOf(asValue(second))
  if (third !== undefined) {
    if (text === '-|' || text === '|-') return program({ ...call, args: [third, ...more] }, place)
    const mode = text?.startsWith('+') ? 'r+' : text?.startsWith('>>') ? 'a' : text?.startsWith('>') ? 'w' : 'r'
    return open(third, text === undefined ? second : { is: 'text', value: exact(mode) }, place)
  }
  if (text === undefined) {
    const prefix = second.is === 'text' && second.value.is === 'partly' ? second.value.prefix : ''
    return prefix.startsWith('|')
      ? [shell(unknown('variable'), {})]
      : open(second, { is: 'text', value: exact(prefix.startsWith('>') ? 'w' : 'r') }, place)
  }
  const piped = /^\s*\|\s*(.*)$/s.exec(text) ?? /^(.*?)\|\s*$/s.exec(text)
  if (piped) {
    const stdin = text.trimStart().startsWith('|') ? { stdin: { text: unknown('input'), taints: [] } } : {}
    return [shell(exact(piped[1]!), { ...around(call, place), ...stdin })]
  }
  const mark = /^\s*(\+?[<>]{1,2})?\s*(.*?)\s*$/s.exec(text)!
  const mode = mark[1]?.startsWith('+') ? 'r+' : mark[1] === '>>' ? 'a' : mark[1] === '>' ? 'w' : 'r'
  return open({ is: 'text', value: exact(mark[2]!) }, { is: 'text', value: exact(mode) }, place)
}

/** `IO::File->new`: one text as `open` takes it, or a path and a mode of perl or of C. */
function perlFile(call: CallOf, place: Place): readonly Doing[] {
  const [path, mode, ...rest] = call.args
  if (path === undefined) return []
  const marked = mode === undefined || /^[<>+|-]/.test(textOf(asValue(mode)) ?? '')
  return marked
    ? perlOpen({ ...call, args: [path, ...(mode === undefined ? [] : [mode]), path, ...rest] }, place)
    : open(path, mode, place)
}

/** Everything within lists and dictionaries. */
const leaves = (thing: Thing): readonly Thing[] =>
  thing.is === 'list'
    ? thing.items.flatMap(leaves)
    : thing.is === 'dict'
      ? [...thing.entries.values()].flatMap(leaves)
      : [thing]

function evaluates(value: Value, place: Place): readonly Doing[] {
  const taints = taintsOf(value)
  return [{ do: 'code', language: place.language, text: value, ...(taints.length > 0 ? { taints } : {}) }]
}

/** Printing what is secret shows it. */
function shows(things: readonly Thing[]): readonly Doing[] {
  const taints = [...new Set(things.flatMap((thing) => taintsOf(asValue(thing))))].filter((taint) => taint !== 'remote')
  return taints.length === 0 ? [] : [{ do: 'out', content: { text: unknown('variable'), taints } }]
}

/** Whether a constant is among the arguments (`FILE_APPEND`), an option begins so (`flag:a`), or is set (`inplace?`). */
function isMarked(call: CallOf, mark: string): boolean {
  if (mark.endsWith('?')) return truthy(option(call, mark.slice(0, -1)))
  const [name, start] = mark.split(':') as [string, string | undefined]
  if (start === undefined) return call.args.some((arg) => arg.is === 'name' && arg.name.split(/[.:]+/).at(-1) === name)
  const value = option(call, name)
  return value !== undefined && textOf(asValue(value))?.startsWith(start) === true
}

/** The doings of one call. `chdir` is not among them: it changes the place that later calls stand at. */
export function deedsOf(row: CallRow, call: CallOf, place: Place): readonly Doing[] {
  const does = row.instead && isMarked(call, row.instead[0]) ? row.instead[1] : row.does
  return does.split(';').flatMap((deed) => {
    const [verb, ...places] = deed.trim().split(/\s+/)
    return one(verb!, places, call, row, place)
  })
}

/** What a function that makes a new file or directory gives: a name that nothing has had before, as `mktemp` does. */
export function freshOf(
  row: CallRow,
  call: CallOf,
  place: Place,
): { readonly value: Value; readonly doing: Doing } | undefined {
  const [verb, spot] = row.does.split(/\s+/)
  if (verb !== 'fresh') return undefined
  const prefix = at(call, spot)[0]
  const known = prefix?.is === 'text' ? prefix.value : undefined
  const dir = option(call, 'dir') ?? option(call, 'DIR') ?? (/^tempfile\.mk/.test(call.name) ? call.args[2] : undefined)
  const inDir = dir === undefined || (dir.is === 'name' && !truthy(dir)) ? undefined : asValue(dir)
  const value = concat(
    known ?? (inDir === undefined ? exact('/tmp/tmp.') : concat(inDir, exact('/tmp.'))),
    exact('XXXXXXXXXX'),
  )
  return { value, doing: { do: 'path', act: 'create', at: pathArg(value, place), note: 'fresh' } }
}

/** The directory that a call changes to, where it does. */
export function chdirOf(row: CallRow, call: CallOf, place: Place): Value | undefined {
  const deed = row.does.split(';').find((text) => text.trim().startsWith('chdir'))
  const to = deed === undefined ? undefined : at(call, deed.trim().split(/\s+/)[1])[0]
  return to === undefined ? undefined : pathArg(asValue(to), place).value
}
