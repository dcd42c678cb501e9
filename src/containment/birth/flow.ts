/** Where the output of a line goes: which of its commands print to whoever started it, and what else matters for running it elsewhere. */
import { parseShell } from '../../shell/parse.ts'
import type { Node, Redirect, Script, Simple, Statement } from '../../shell/tree.ts'
import { isKnown, type Prints, printsOf } from './classify.ts'
import { isPrefix, unwrapped } from './prefixes.ts'
import { keptBy, needsFront } from './state.ts'
import { type Argv, baseOf, constantOf, listOf } from './words.ts'

/** What a walk over a line finds. */
export interface Found {
  /** Why something floods; the first reason. */
  flood: string | undefined
  /** All that floods runs something; none of it merely shows what is there. */
  runs: boolean
  /** Files that are all that floods; undefined where something else does, too, or one is not known. */
  files: string[] | undefined
  /** Why something goes on for ever. */
  follow: string | undefined
  interactive: boolean
  background: boolean
  heredoc: boolean
  /** Our own program is called. */
  own: boolean
  /** Something prints that nothing is known of. */
  unknown: boolean
  /** The working directory of the shell that reads the line changes. */
  moves: boolean
  /** Files are changed by their names: hosts look at such places by themselves. */
  changes: boolean
  /** The shell that reads the line is changed in a way that its children do not inherit. */
  sets: boolean
  /** The directory changed, and nothing has run since. */
  fresh: boolean
  /** A part of the line could not be read, or is nested deeper than is looked at. */
  unread: boolean
  /**
   * Another shell would read the line, or the part of it behind a change of directory, as something else; or the line
   * changes what only the shell that reads it has.
   */
  state: boolean
  /** Bare names that stand in no table: an alias or a function of the host's shell would not be there elsewhere. */
  readonly names: Set<string>
}

const nothing = (): Found => ({
  flood: undefined,
  runs: true,
  files: [],
  follow: undefined,
  interactive: false,
  background: false,
  heredoc: false,
  own: false,
  unknown: false,
  moves: false,
  changes: false,
  sets: false,
  fresh: false,
  unread: false,
  state: false,
  names: new Set(),
})

/** Where the two outputs go: `host`: whoever started the line sees it. */
interface Sinks {
  readonly out: boolean
  readonly err: boolean
  /** Standard error was sent to the host on purpose (`2>&1 >file`). */
  readonly merged?: true
  /** In the shell that reads the line, whose state stays. */
  readonly shell: boolean
  /** Something is on stdin. */
  readonly piped: boolean
  readonly level: number
}

/** Texts inside texts (`bash -c '…'`). */
const MOST_LEVELS = 3

const MOVES = new Set(['cd', 'pushd', 'popd'])
/** Programs that change files which their words name. */
const CHANGERS = new Set(
  listOf(
    'rm rmdir unlink shred mv cp ln install touch mkdir chmod chown chgrp truncate dd tee sed rsync tar unzip patch sponge split',
  ),
)
/** Run in the shell itself, with a text that is read again. */
const RUNS_TEXT = new Set(['eval', 'source', '.'])
const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh'])

/** What the statements of a line print, and do beside it. */
export function lookAt(statements: readonly Statement[]): Found {
  const found = nothing()
  const to: Sinks = { out: true, err: true, shell: true, piped: false, level: 0 }
  for (const statement of statements) walkStatement(statement, to, found)
  return found
}

function walkScript(script: Script, to: Sinks, found: Found): void {
  for (const statement of script.statements) walkStatement(statement, to, found)
}

function walkStatement({ node, background }: Statement, to: Sinks, found: Found): void {
  if (background) found.background = true
  walk(node, to, found)
}

/** Notes what a node does to the shell that reads the line, and what it needs of it. */
function heed(node: Node, to: Sinks, found: Found): void {
  if (to.level > 0) return
  const kept = keptBy(node, !to.shell)
  if (kept === 'line') found.state = true
  else if (kept === 'text') found.sets = true
  if (found.moves && needsFront(node, found.fresh)) found.state = true
  if (node.is === 'simple' || node.is === 'test' || node.is === 'arithmetic') found.fresh = false
}

function walk(node: Node, to: Sinks, found: Found): void {
  if (node.is !== 'simple') heed(node, to, found)
  const script = (inner: Script, shell = to.shell) => {
    const sinks = 'redirects' in node ? redirected(node.redirects, to, found) : to
    walkScript(inner, { ...sinks, shell }, found)
  }
  switch (node.is) {
    case 'simple':
      note(simple(node, to, found), redirected(node.redirects, to, found), found)
      return
    case 'pipeline':
      pipeline(node.commands, to, found)
      return
    case 'and-or':
      walk(node.first, to, found)
      for (const { node: next } of node.rest) walk(next, to, found)
      return
    case 'group':
      script(node.body)
      return
    case 'subshell':
      script(node.body, false)
      return
    case 'if':
      for (const { test, then } of node.clauses) {
        script(test)
        script(then)
      }
      if (node.otherwise !== undefined) script(node.otherwise)
      return
    case 'while':
    case 'until':
      script(node.test)
      script(node.body)
      return
    case 'for':
    case 'select':
    case 'arithmetic-for':
      if (node.is === 'select') found.interactive = true
      script(node.body)
      return
    case 'case':
      for (const { body } of node.items) script(body)
      return
    case 'function':
      // What it prints counts where it is called, and its name is no program.
      found.state = true
      return
    case 'coproc':
      found.background = true
      return
    case 'test':
    case 'arithmetic':
      return
  }
}

/** Only the last stage prints to the host; what comes before decides what there is to pass on. */
function pipeline(commands: readonly Node[], to: Sinks, found: Found): void {
  let before: Prints | undefined
  for (const [at, node] of commands.entries()) {
    const last = at === commands.length - 1
    const piped = at > 0 || to.piped
    // The last stage may be run by the shell itself (zsh), as one behind `!` or `time` is by all.
    const sinks: Sinks = { ...to, shell: last && to.shell, piped, ...(last ? {} : { out: false, err: false }) }
    if (node.is !== 'simple') {
      walk(node, sinks, found)
      before = { is: 'unknown' }
      continue
    }
    const prints = simple(node, sinks, found)
    before = last || prints.is !== 'through' ? joined(before, prints) : (before ?? prints)
    if (last) note(before, redirected(node.redirects, sinks, found), found)
    else if (before.is === 'interactive' || before.is === 'own') note(before, sinks, found)
  }
}

/** What a stage prints behind another. */
function joined(before: Prints | undefined, prints: Prints): Prints {
  if (before === undefined) return prints
  const endless = before.is === 'follow' && !(prints.is === 'little' && prints.ends)
  if (endless && prints.is !== 'interactive') return before
  if (prints.is !== 'through') return prints
  // A filter lets all through: what floods into it may flood out of it.
  return before.is === 'flood' ? floodOf(before) : before
}

/** The same flood, whose files are not known. */
const floodOf = (prints: Extract<Prints, { readonly why: string }>): Prints => ({
  is: 'flood',
  why: prints.why,
  ...('err' in prints && prints.err ? { err: true } : {}),
})

/** Writes down what is printed where the host sees it. */
function note(prints: Prints, to: Sinks, found: Found): void {
  switch (prints.is) {
    case 'own':
      found.own = true
      return
    case 'interactive':
      if (to.piped) found.unknown = true
      else found.interactive = true
      return
    case 'follow':
      if (to.out || to.merged) found.follow ??= prints.why
      return
    case 'flood': {
      if (!to.out && !(to.err && (prints.err || to.merged))) return
      found.flood ??= prints.why
      if (!prints.err) found.runs = false
      if (prints.files === undefined) found.files = undefined
      else found.files?.push(...prints.files)
      return
    }
    case 'unknown':
      if (to.out) found.unknown = true
      return
    case 'little':
    case 'through':
      return
  }
}

/** What a simple command prints to its own outputs. */
function simple(node: Simple, to: Sinks, found: Found): Prints {
  heed(node, to, found)
  if (node.redirects.some(({ op }) => op === '<<' || op === '<<-')) found.heredoc = true
  const [first, ...rest] = node.words
  if (first === undefined) return { is: 'little' }
  const name = constantOf(first)
  if (name === undefined) {
    found.unread ||= first.parts.some((part) => part.is === 'command')
    return { is: 'unknown' }
  }
  const whole: Argv = { base: baseOf(name), name, args: rest.map(constantOf) }
  if (MOVES.has(name)) {
    if (to.shell) {
      // What is behind it may be run by another shell, which would not have what was set before.
      found.state ||= found.sets
      found.moves = true
      found.fresh = true
    }
    return { is: 'little' }
  }
  if (RUNS_TEXT.has(name)) {
    found.unknown ||= name === 'eval'
    return { is: 'little' }
  }
  const { argv, ends, loud } = unwrapped(whole)
  for (const one of new Set([whole.name, argv.name]))
    if (!one.includes('/') && !isKnown(one) && !isPrefix(one)) found.names.add(one)
  const inner = argv.base === 'xargs' ? behindXargs(argv) : argv
  if (inner === undefined) return { is: 'through' }
  if (CHANGERS.has(inner.base)) found.changes = true
  const text = textOfShell(inner)
  if (text !== undefined) return inText(text, to, found)
  const stdin = to.piped || node.redirects.some(({ op }) => op === '<' || op === '<<<')
  const prints = printsOf(inner)
  if (prints.is === 'interactive' && stdin) return { is: 'unknown' }
  if (prints.is === 'follow' && ends) return floodOf(prints)
  if (loud && (prints.is === 'little' || prints.is === 'unknown' || prints.is === 'through'))
    return { is: 'flood', why: 'an installation, and what runs then', err: true }
  // Files that a filter names are all that it prints, but options such as `-r` were looked at before.
  return argv.base === 'xargs' && prints.is === 'flood' ? floodOf(prints) : prints
}

/** `xargs -n 1 grep x` → `grep x`; undefined where `xargs` prints its input itself. */
function behindXargs({ args }: Argv): Argv | undefined {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === undefined) return undefined
    if (arg.startsWith('-') && arg.length > 1) {
      if (/^-[nPILdsEa]$/.test(arg)) at++
      continue
    }
    return { base: baseOf(arg), name: arg, args: [...args.slice(at + 1), undefined] }
  }
  return undefined
}

/** The text of `bash -c TEXT`. */
function textOfShell({ base, args }: Argv): string | undefined {
  if (!SHELLS.has(base)) return undefined
  const at = args.findIndex((arg) => arg !== undefined && /^-[a-z]*c$/.test(arg))
  return at < 0 ? undefined : args[at + 1]
}

/** A text that a shell of its own reads, as one command that prints what it prints. */
function inText(text: string, to: Sinks, found: Found): Prints {
  if (to.level >= MOST_LEVELS) {
    found.unread = true
    return { is: 'unknown' }
  }
  const reading = parseShell(text)
  if (reading.status !== 'complete') found.unread = true
  const inside = nothing()
  walkScript(reading.script, { ...to, out: true, err: true, shell: false, level: to.level + 1 }, inside)
  found.interactive ||= inside.interactive
  found.background ||= inside.background
  found.heredoc ||= inside.heredoc
  found.own ||= inside.own
  found.unread ||= inside.unread
  found.state ||= inside.state
  found.changes ||= inside.changes
  for (const name of inside.names) found.names.add(name)
  if (inside.follow !== undefined) return { is: 'follow', why: inside.follow }
  if (inside.flood !== undefined) return { is: 'flood', why: inside.flood, ...(inside.runs ? { err: true } : {}) }
  return inside.unknown ? { is: 'unknown' } : { is: 'little' }
}

/** Streams that lead back to whoever started the line. */
const STREAMS = new Set(listOf('/dev/stdout /dev/stderr /dev/tty /dev/fd/1 /dev/fd/2 /proc/self/fd/1 /proc/self/fd/2'))

/** Whether a redirection writes to a file; to one of no known name, too. */
function opensFile(op: Redirect['op'], word: string | undefined): boolean {
  if (!/^(?:>|&>|<>)/.test(op) || (op === '>&' && /^[0-9-]/.test(word ?? ''))) return false
  return word === undefined || !(STREAMS.has(word) || word === '/dev/null')
}

/** Where the outputs go behind redirections, which are read from left to right. */
function redirected(redirects: readonly Redirect[], to: Sinks, found: Found): Sinks {
  let { out, err } = to
  let merged = to.merged
  let piped = to.piped
  for (const { op, descriptor, target } of redirects) {
    const word = target === undefined ? undefined : constantOf(target)
    if (opensFile(op, word)) found.changes = true
    const seen =
      word !== undefined &&
      STREAMS.has(word) &&
      (word.endsWith('tty') || (word.endsWith('1') || word.endsWith('out') ? out : err))
    switch (op) {
      case '>':
      case '>>':
      case '>|':
        if (descriptor === 1) out = seen
        else if (descriptor === 2) err = seen
        break
      case '&>':
      case '&>>':
        out = seen
        err = seen
        break
      case '>&':
        if (word === '1' || word === '2') {
          const from = word === '1' ? out : err
          if (descriptor === 2) {
            err = from
            if (from && word === '1') merged = true
          } else out = from
        } else if (word !== undefined && !/^[0-9-]/.test(word)) {
          out = seen
          err = seen
        }
        break
      case '<<':
      case '<<-':
        found.heredoc = true
        break
      case '<':
      case '<<<':
      case '<>':
      case '<&':
        piped = true
        break
    }
  }
  return { ...to, out, err, piped, ...(merged ? { merged } : {}) }
}
