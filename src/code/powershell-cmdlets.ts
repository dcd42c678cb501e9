/** One command of PowerShell → doings, by the table of cmdlets. */
import type { Doing } from '../commands/doing.ts'
import { type Arg, concat, exact, prefixOf, taintsOf, textOf, unknown, type Value } from '../core/value.ts'
import { expandHome, pattern } from './common.ts'
import type { Known } from './grammar.ts'
import { CMDLETS, type Cmdlet, HARMLESS } from './powershell-table.ts'
import { withoutPrefix } from './powershell-values.ts'
import { joinPaths } from './things.ts'

export interface Command {
  readonly words: readonly (Arg & {
    readonly more: Arg[]
    readonly expression: boolean
    readonly quoted: boolean
    readonly block: boolean
  })[]
  readonly piped: Value | undefined
  readonly cwd: Value | undefined
  readonly known: Known
  /** `&` or `.` stood before it. */
  readonly called: boolean
}

interface Made {
  readonly doings: readonly Doing[]
  readonly value: Value
  readonly cwd?: Value
}

const index = new Map(CMDLETS.flatMap((row) => row.names.split(' ').map((name) => [name, row] as const)))

type Word = Command['words'][number]

interface Given {
  readonly flags: ReadonlySet<string>
  readonly named: ReadonlyMap<string, readonly Arg[]>
  readonly operands: readonly (readonly Arg[])[]
}

const all = (word: Word): readonly Arg[] => [word, ...word.more]

/** Parameters may be shortened as long as they are clear; `-r` of Remove-Item is -Recurse. */
function parameters(row: Cmdlet, words: readonly Word[]): Given {
  const takes = [...(row.paths ?? '').split(' '), ...(row.values ?? '').split(' ')].filter(Boolean)
  const flags = new Set<string>()
  const named = new Map<string, readonly Arg[]>()
  const operands: (readonly Arg[])[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    const match = word.quoted ? null : /^-([A-Za-z]+)(?::(.*))?$/.exec(textOf(word.value) ?? '')
    // `-Confirm:$false`: the switch is told; only `-WhatIf` must be sure before it counts.
    const told = word.quoted ? null : /^-([A-Za-z]+):/.exec(match ? '' : prefixOf(word.value))
    if (told) {
      const name = told[1]!.toLowerCase()
      const full = takes.find((one) => one === name)
      if (full !== undefined) named.set(full, [{ ...word, value: unknown('variable') }])
      else if (!'whatif'.startsWith(name)) flags.add(name)
      continue
    }
    if (!match) {
      // cmd's own switches are a habit of many.
      if (!word.quoted && /^\/[sqf]$/i.test(textOf(word.value) ?? '')) flags.add(textOf(word.value)!.toLowerCase())
      else operands.push(all(word))
      continue
    }
    const name = match[1]!.toLowerCase()
    const full =
      takes.find((one) => one === name) ??
      takes.find((one) => one.startsWith(name) && !'recurse'.startsWith(name) && !'force'.startsWith(name))
    if (full === undefined) flags.add(name)
    else if (match[2]) named.set(full, [{ ...word, value: exact(match[2]) }])
    else if (words[i + 1]) named.set(full, all(words[++i]!))
  }
  return { flags, named, operands }
}

const short = (flags: ReadonlySet<string>, full: string): boolean => [...flags].some((flag) => full.startsWith(flag))

/** What one command does, and what it gives. Pure. */
export function cmdletDoings(command: Command): Made {
  const [first, ...rest] = command.words
  const name = textOf(first!.value)
  const nothing: Made = { doings: [], value: unknown('substitution') }
  if (first!.block) return nothing
  const row = name === undefined ? undefined : index.get(name.toLowerCase())
  if (row) return cmdlet(row, parameters(row, rest), command)
  if (
    name !== undefined &&
    /^(if|else|elseif|while|for|foreach|do|switch|try|catch|finally|function|param|return|throw|begin|process|end|in|until|exit|break|continue)$/i.test(
      name,
    )
  )
    return nothing
  if (name !== undefined && /^[a-z]+-[a-z]/i.test(name) && !/[./\\]/.test(name) && !command.called) {
    if (HARMLESS.test(name.toLowerCase())) return nothing
    if (
      /^(remove|clear|uninstall|disable|reset|restore|dismount|format|stop|set|invoke|restart|suspend|block|revoke)-/i.test(
        name,
      )
    )
      return { ...nothing, doings: [{ do: 'opaque', what: name, note: 'cmdlet' }] }
  }
  if (name === undefined && !command.called) return nothing
  if (name !== undefined && /\.ps1$/i.test(name))
    return { ...nothing, doings: [{ do: 'script', path: first!, language: 'powershell', args: rest.flatMap(all) }] }
  const argv = [first!, ...rest.filter((word) => !word.block).flatMap(all)]
  return {
    ...nothing,
    doings: [{ do: 'run', argv, ...(command.cwd ? { cwd: { value: command.cwd, span: first!.span } } : {}) }],
  }
}

function cmdlet(row: Cmdlet, given: Given, command: Command): Made {
  const names = (row.paths ?? '').split(' ').filter(Boolean)
  const operands = [...given.operands]
  const places = new Map<string, readonly Arg[]>()
  for (const name of names) {
    const args = given.named.get(name)
    if (args) places.set(name, args)
  }
  // What has no name fills the places that are left; a literal path is always named.
  const free = names.filter((name) => !places.has(name) && !(name === 'literalpath' && names[0] !== 'literalpath'))
  for (const name of free) {
    const next = operands.shift()
    if (next) places.set(name, next)
  }
  const path = (arg: Arg): Arg => place(arg, command, row.does === 'names' ? false : !given.named.has('literalpath'))
  const firstPlace = names.flatMap((name) =>
    name === 'destination' || name === 'destinationpath' || name === 'newname' ? [] : (places.get(name) ?? []),
  )
  // What stands behind the path of `Set-Content` is what it writes.
  const content = /^value\b/.test(row.values ?? '') ? operands.flat() : []
  const more = content.length > 0 ? [] : operands.flat()
  const span = command.words[0]!.span
  const piped: readonly Arg[] = command.piped ? [{ value: command.piped, span, provenance: 'constant' }] : []
  const sources = (firstPlace.length > 0 ? [...firstPlace, ...more] : piped).map(path)
  const to = (places.get('destination') ?? places.get('destinationpath') ?? places.get('newname'))?.[0]
  const tree = short(given.flags, 'recurse') || given.flags.has('/s')
  const value = (): Value => unknown('substitution')
  // `HKCU:\x` is the registry, `Function:\x` and the like are of the shell itself.
  const registry = sources.some((at) => /^(?:hk(?:lm|cu|cr|u)|cert|wsman):|^registry::/i.test(textOf(at.value) ?? ''))
  if (registry && CHANGING.has(row.does))
    return {
      doings: [{ do: 'other', act: 'system', service: 'registry', what: textOf(sources[0]!.value) ?? '?' }],
      value: value(),
    }
  if (
    sources.length > 0 &&
    sources.every((at) => /^(?:function|alias|variable|env):/i.test(textOf(at.value) ?? '')) &&
    CHANGING.has(row.does)
  )
    return { doings: [], value: value() }
  const acts = (act: 'delete' | 'write' | 'append' | 'create' | 'read' | 'names' | 'mode'): Made => ({
    doings: sources.map(
      (at): Doing => ({
        do: 'path',
        act,
        at,
        ...(tree && act === 'delete' ? { tree } : {}),
        ...contentOf(act, given.named.get('value')?.[0] ?? content[0]),
      }),
    ),
    value: value(),
  })
  if (given.flags.has('whatif')) return { doings: [], value: value() }
  switch (row.does) {
    case 'write':
      return acts(
        short(given.flags, 'append') && given.flags.size > 0 && row.names.startsWith('out-file') ? 'append' : 'write',
      )
    case 'create': {
      // `New-Item x -Force` makes the file anew.
      const made = textOf(command.words[0]!.value)?.toLowerCase()
      const type = textOf((given.named.get('itemtype')?.[0] ?? { value: exact('file') }).value)?.toLowerCase()
      const anew = (made === 'new-item' || made === 'ni') && short(given.flags, 'force') && type !== 'directory'
      return acts(anew && given.flags.size > 0 ? 'write' : 'create')
    }
    case 'delete':
    case 'append':
    case 'read':
    case 'mode':
      return acts(row.does)
    case 'names': {
      const at = sources[0] ?? { value: exact('.'), span }
      if (/^env:/i.test(textOf(at.value) ?? '')) {
        const taints = ['environment'] as const
        return {
          doings: [{ do: 'out', content: { text: unknown('variable'), taints } }],
          value: unknown('variable', taints),
        }
      }
      if (row.names.startsWith('get-item'))
        return { doings: [{ do: 'path', act: 'names', at }], value: pattern(at.value) }
      const below = [at.value, ...(tree ? [exact('**')] : []), given.named.get('filter')?.[0]?.value ?? exact('*')]
      const listed = /[*?]/.test(textOf(at.value) ?? '') ? pattern(at.value) : pattern(joinPaths(below))
      return { doings: [{ do: 'path', act: 'names', at }], value: listed }
    }
    case 'copy':
    case 'move':
    case 'rename': {
      if (!to || sources.length === 0) return { doings: [], value: value() }
      const target = row.does === 'rename' ? beside(sources[0]!, to) : path(to)
      return {
        doings: [
          row.does === 'copy'
            ? { do: 'copy', from: sources, to: target, tree, into: 'maybe' }
            : { do: 'move', from: sources, to: target, into: row.does === 'rename' ? 'no' : 'maybe' },
        ],
        value: value(),
      }
    }
    case 'unpack':
      return { doings: [{ do: 'unpack', archive: sources[0], into: to ? path(to) : undefined }], value: value() }
    case 'pack':
      return { doings: to ? [{ do: 'path', act: 'write', at: path(to) }] : [], value: value() }
    case 'eval': {
      const text = firstPlace[0]?.value ?? command.piped ?? unknown('variable')
      const taints = taintsOf(text)
      return {
        doings: [{ do: 'code', language: 'powershell', text, ...(taints.length > 0 ? { taints } : {}) }],
        value: value(),
      }
    }
    case 'fetch':
      return fetches(firstPlace[0], to, given, path)
    case 'start': {
      const program = firstPlace[0]
      const words = [...(given.named.get('argumentlist') ?? []), ...more]
      const cwd = given.named.get('workingdirectory')?.[0]
      // One text of several words is a command line.
      if (program && words.length === 1 && /\s/.test(textOf(words[0]!.value) ?? '')) {
        const text = concat(concat(program.value, exact(' ')), words[0]!.value)
        return { doings: [{ do: 'code', language: 'cmd', text, ...(cwd ? { cwd } : {}) }], value: value() }
      }
      return {
        doings: program ? [{ do: 'run', argv: [program, ...words], ...(cwd ? { cwd } : {}) }] : [],
        value: value(),
      }
    }
    case 'kill':
      return {
        doings: [
          {
            do: 'other',
            act: 'kill',
            service: 'process',
            what: textOf((given.named.get('name') ?? firstPlace)[0]?.value) ?? '?',
          },
        ],
        value: value(),
      }
    case 'system':
    case 'format':
    case 'schedule':
    case 'account': {
      const note = row.does === 'system' ? {} : { note: row.does }
      const what = textOf(command.words[0]!.value) ?? '?'
      return { doings: [{ do: 'other', act: 'system', service: 'windows', what, ...note }], value: value() }
    }
    case 'join':
      return { doings: [], value: joinPaths([...firstPlace, ...more].map(({ value: part }) => part)) }
    case 'same':
      return { doings: [], value: sources[0]?.value ?? value() }
    case 'fresh': {
      const at: Arg = { value: exact(`${command.known.home ?? '.'}\\AppData\\Local\\Temp\\tmpXXXXXXXXXX.tmp`), span }
      return { doings: [{ do: 'path', act: 'create', at, note: 'fresh' }], value: at.value }
    }
    case 'install':
      return {
        doings: [{ do: 'other', act: 'install', service: 'powershell', what: textOf(firstPlace[0]?.value) ?? '?' }],
        value: value(),
      }
    case 'module':
      return {
        doings: firstPlace
          .filter((arg) => /[\\/]/.test(textOf(arg.value) ?? ''))
          .map((at): Doing => ({ do: 'script', path: at, language: 'powershell', args: [] })),
        value: value(),
      }
    case 'chdir':
      return firstPlace[0]
        ? { doings: [], value: value(), cwd: path(firstPlace[0]).value }
        : { doings: [], value: value() }
    case 'nothing': {
      const shown = [...firstPlace, ...more, ...piped].flatMap((arg) => taintsOf(arg.value))
      return {
        doings: shown.includes('environment')
          ? [{ do: 'out', content: { text: unknown('variable'), taints: ['environment'] } }]
          : [],
        value: more[0]?.value ?? value(),
      }
    }
    default:
      return { doings: [], value: command.piped ?? value() }
  }
}

const CHANGING: ReadonlySet<string> = new Set(['delete', 'write', 'append', 'create', 'mode', 'rename', 'move'])

function contentOf(act: string, written: Arg | undefined) {
  const text = act === 'write' ? written?.value : undefined
  return text ? { content: { text, taints: taintsOf(text) } } : {}
}

function fetches(url: Arg | undefined, to: Arg | undefined, given: Given, path: (arg: Arg) => Arg): Made {
  const what = textOf(url?.value) ?? '?'
  const file = given.named.get('outfile')?.[0] ?? to
  const body = given.named.get('body')?.[0]
  const sent = given.named.get('infile')?.[0]
  const doings: Doing[] =
    body || sent
      ? [
          {
            do: 'send',
            to: url?.value ?? unknown('variable'),
            files: sent ? [path(sent)] : [],
            ...(body ? { content: { text: body.value, taints: taintsOf(body.value) } } : {}),
          },
        ]
      : [{ do: 'other', act: 'fetch', service: 'url', what }]
  if (file)
    doings.push({
      do: 'path',
      act: 'write',
      at: path(file),
      content: { text: unknown('input', ['remote']), taints: ['remote'] },
    })
  return { doings, value: unknown('input', ['remote']) }
}

/** A path as a cmdlet means it: `~` is home, patterns match, and the place is where the program has changed to. */
function place(arg: Arg, command: Command, globs: boolean): Arg {
  const home = expandHome(arg.value, command.known.home)
  const text = textOf(home)
  const absolute = text !== undefined && /^([\\/]|[A-Za-z]+:)/.test(text)
  const value = withoutPrefix(
    command.cwd === undefined || absolute ? home : concat(concat(command.cwd, exact('/')), home),
  )
  return { ...arg, value: globs ? pattern(value) : value }
}

/** `Rename-Item a\b c`: the new name stays in the folder of the old one. */
function beside(from: Arg, to: Arg): Arg {
  const dir = /^.*[\\/]/.exec(textOf(from.value) ?? '')?.[0]
  return dir === undefined ? to : { ...to, value: concat(exact(dir), to.value) }
}
