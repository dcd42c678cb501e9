/**
 * Programs that no table knows. What their words say by convention is still read: where output goes, which files are
 * changed in place, which known program they start, and verbs that destroy things.
 */
import { type Arg, exact, textOf } from '../core/value.ts'
import type { Doing, Invocation } from './doing.ts'
import { VERBS } from './git/verbs.ts'
import { cutArg } from './options.ts'
import { into } from './row.ts'

/** Options whose value names a file or directory that is written, in nearly every program that has them. */
const OUTPUT =
  /^(?:-o|-O|--?out(?:put)?(?:[-_]?(?:file|path|dir|directory|to|document))?|--?outfile|--?outdir|--?dest(?:ination)?|--save-to|--log-?file|-sOutputFile|--export-(?:filename|file|png|pdf|ps|svg|plain-svg))$/i

/** Of these the ones that surely name a directory, whatever its name looks like. */
const DIRECTORY = /dir(?:ectory)?$/i

/** Options that change the operands in place. One letter would be too short: `-i` and `-w` mean many things. */
const IN_PLACE = /^--?(?:in-?place|write|overwrite|fix|autofix|auto-correct|autocorrect(?:-all)?|fix-errors)$/

/** Of these, what says that it is a file or directory: its value is a path however it looks. */
const SURELY = /(?:file|dir|directory|path)$/i

/** Options whose value is a command for a shell. */
const COMMAND =
  /^-(?:[cex]|-?(?:exec|execute|command|cmd|run|shell|shell-command|preview|pager|hook|up|down|[a-z-]+-(?:command|cmd|exec|hook)))$/

/** Programs whose call behind an unknown one is surely meant as a program: `foo rm -rf x`, `foo -- git clean -fd`. */
const STARTED: ReadonlySet<string> = new Set(
  (
    'rm rmdir shred dd mv chmod chown truncate mkfs wipefs git find xargs sh bash zsh dash ksh fish env sudo doas ' +
    'eval exec curl wget python python3 node perl ruby php kill pkill killall tee rsync scp cat kubectl terraform ' +
    'docker aws gcloud psql mysql redis-cli'
  ).split(' '),
)

/** Verbs that destroy something that is not a path. A row of a table knows better; without one a person looks. */
const DESTROYS =
  /^(?:destroy|purge|wipe|nuke|terminate|undefine|unregistervm|drop(?:[-_:]?(?:all|db|database|table|schema|index))?|flush(?:[-_]?(?:all|db))?|(?:delete|remove)[-_:]?(?:all|cluster|queue|topic|stack|project|app|database|db|instance|bucket|machine|vm)|reset[-_:]db|db:(?:drop|wipe|reset)|migrate:(?:fresh|reset))$/i

/** Verbs that destroy only with a thing behind or before them, since files and list entries are deleted by them, too. */
const DELETES = /^(?:delete|del|remove-all)$/i

/** Words in which a verb may stand: `foo app delete x`, `foo --zone a delete x`. */
const VERB_WORDS = 3

const baseOf = (text: string): string => text.slice(text.lastIndexOf('/') + 1)

/** Looks like a path, not like the name of a format (`-o json`). */
const isPath = (arg: Arg): boolean => {
  const text = textOf(arg.value)
  if (text === undefined) return arg.value.is === 'partly' && arg.value.prefix.includes('/')
  if (text === '' || text === '-' || text.includes('://')) return false
  return /[/\\]/.test(text) || /[^.]\.[A-Za-z]/.test(text) || /^\.[A-Za-z]/.test(text) || text.startsWith('~')
}

const isName = (arg: Arg): boolean => /^[^-]/.test(textOf(arg.value) ?? '')

/** What a program that nobody knows does, as far as its words say it by convention. Pure. */
export function readUnlisted(call: Invocation): readonly Doing[] {
  const { args } = call
  // Git's own programs (`git-reset`, in its exec path) are its verbs.
  const verbOfGit = /^git-([a-z-]+)$/.exec(call.base)?.[1]
  if (verbOfGit !== undefined && Object.hasOwn(VERBS, verbOfGit)) {
    const word = (text: string): Arg => ({ value: exact(text), span: call.command.span, provenance: 'constant' })
    return [{ do: 'run', argv: [word('git'), word(verbOfGit), ...args] }]
  }
  // The loader of programs runs the one that is named behind it.
  if (/^ld(?:-[\w-]+)?\.so/.test(call.base)) {
    const at = args.findIndex((arg) => !(textOf(arg.value) ?? '').startsWith('-'))
    return at < 0 ? [] : [{ do: 'run', argv: args.slice(at) }]
  }
  const doings: Doing[] = []
  const operands: Arg[] = []
  let inPlace = false
  let started = -1
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    const text = textOf(arg.value) ?? (arg.value.is === 'partly' ? arg.value.prefix : undefined)
    if (text === undefined) {
      operands.push(arg)
      continue
    }
    if (!text.startsWith('-') || text === '-') {
      if (started < 0 && STARTED.has(baseOf(text)) && i + 1 < args.length && !text.includes('=')) started = i
      operands.push(arg)
      continue
    }
    const equals = text.indexOf('=')
    const name = equals < 0 ? text : text.slice(0, equals)
    const value = equals < 0 ? args[i + 1] : cutArg(arg, equals + 1)
    if (IN_PLACE.test(name)) inPlace = true
    else if (value !== undefined && OUTPUT.test(name)) {
      if (isPath(value) || (SURELY.test(name) && isName(value)))
        doings.push({ do: 'path', act: 'write', at: value, follow: true, note: 'output' })
      if (DIRECTORY.test(name)) doings.push(into(value))
      if (equals < 0) i++
    } else if (value !== undefined && COMMAND.test(name)) {
      const command = textOf(value.value)
      const first = command?.trimStart().split(/\s/, 1)[0] ?? ''
      if (command?.trim().includes(' ') && STARTED.has(baseOf(first)))
        doings.push({ do: 'code', language: 'sh', text: value.value, when: 'branch', label: `${call.base} ${name}` })
    } else if (equals < 0 && /^-o[^-=]/.test(text) && isPath(cutArg(arg, 2)))
      doings.push({ do: 'path', act: 'write', at: cutArg(arg, 2), note: 'output' })
  }
  if (inPlace)
    for (const at of operands)
      if (!/^\.{1,2}\/?$/.test(textOf(at.value) ?? '') && isPath(at))
        doings.push({ do: 'path', act: 'edit', at, tree: true, note: 'format' })
  if (started >= 0) doings.push({ do: 'run', argv: args.slice(started), when: 'branch' })
  const destroyer = destroys(operands)
  if (destroyer !== undefined && started < 0) {
    const what = operands.map((arg) => textOf(arg.value) ?? '…').join(' ')
    doings.push({ do: 'other', act: 'change', service: call.base, what, note: 'verb' })
  }
  return doings
}

function destroys(operands: readonly Arg[]): string | undefined {
  const words = operands.slice(0, VERB_WORDS).map((arg) => textOf(arg.value) ?? '')
  const sure = words.find((word) => DESTROYS.test(word))
  if (sure !== undefined) return sure
  const at = words.findIndex((word) => DELETES.test(word))
  return at >= 0 && operands.length > 1 ? words[at] : undefined
}
