/** What one command prints, from the tables. */
import { lists } from '../../commands/list.ts'
import { FILTERS, INTERACTIVE, SINKS, TERMINAL } from './tables/places.ts'
import { MOST_BYTES, MOST_LINES, ROWS, type Row } from './tables/programs.ts'
import { type Argv, baseOf, countOf, has, listOf, operandsOf } from './words.ts'

export type Prints =
  /** Little, whatever is done. `ends`: it stops reading early, so that what feeds it stops as well. */
  | { readonly is: 'little'; readonly ends?: true }
  /** What comes in on stdin, or less. */
  | { readonly is: 'through' }
  /** `files`: what it prints is these files, as far as they are known. `err`: on stderr as well. */
  | { readonly is: 'flood'; readonly why: string; readonly files?: readonly string[]; readonly err?: true }
  | { readonly is: 'follow'; readonly why: string }
  | { readonly is: 'interactive' }
  | { readonly is: 'own' }
  | { readonly is: 'unknown' }

const LITTLE: Prints = { is: 'little' }
const THROUGH: Prints = { is: 'through' }
const INTERACTIVE_USE: Prints = { is: 'interactive' }

/** Rows of a table by a program's name: one line asks for few of many, so they are searched as they are. */
class Table<T extends { readonly names: string }> {
  private readonly rows: readonly T[]

  constructor(rows: readonly T[]) {
    this.rows = rows
  }

  get(name: string): readonly T[] {
    return this.rows.filter(({ names }) => lists(names, name))
  }

  has(name: string): boolean {
    return this.rows.some(({ names }) => lists(names, name))
  }
}

const rows = new Table(ROWS)
const interactive = new Table(INTERACTIVE)
const terminal = new Table(TERMINAL)

/** Programs that print little and are no mystery: nothing has to be looked up for them. */
const QUIET =
  'echo printf pwd whoami hostname id uname date which type basename dirname realpath readlink mkdir rmdir touch cp mv rm ln ' +
  'chmod chown chgrp stat file sleep kill pkill killall test [ true false : cd export source . set unset alias exit return ' +
  'tput stty clear nproc free uptime df arch getconf locale env printenv ulimit umask trap wait jobs install mktemp truncate ' +
  'shift local declare typeset readonly let eval exec command builtin hash pushd popd shopt ls git npm docker xargs find head tail sed tee'

/** Whether a bare name is that of a known program or of a part of the shell. */
export const isKnown = (name: string): boolean =>
  rows.has(plainName(name)) || lists(QUIET, name) || lists(FILTERS, name) || lists(SINKS, name) || interactive.has(name)

/** `python3.12` → `python`, `gcc-14` → `gcc`: a name with a version, where the name alone is known. */
function plainName(base: string): string {
  if (rows.has(base) || !/\d$/.test(base)) return base
  const plain = base.replace(/(?<=[a-z+])-?\d+(?:\.\d+)*$/, '')
  return rows.has(plain) ? plain : base
}

const INFO = '--help --version'

/** What a command prints. */
export function printsOf(argv: Argv): Prints {
  const { args } = argv
  const base = plainName(argv.base)
  if (isOwn(argv)) return { is: 'own' }
  if (has(args, INFO) && !lists(SINKS, base)) return LITTLE
  for (const row of interactive.get(base)) {
    const busy = has(args, row.not) || (row.operand === true && operandsOf(args).length > 0)
    // A client of a database with a query as its last operand is told apart below.
    if (!busy) return queried(argv) ? flood('whole tables') : INTERACTIVE_USE
  }
  for (const row of terminal.get(base))
    if (verbIs(args, row.verbs, undefined) && has(args, row.options)) return INTERACTIVE_USE
  const special = SPECIAL[base]?.(args)
  if (special !== undefined) return special
  const known = rows.get(base)
  if (known.length > 0) {
    const row = known.find((one) => one.verbs === undefined || verbIs(args, one.verbs, one.values))
    if (row !== undefined) return byRow(row, args)
    return LITTLE
  }
  if (lists(FILTERS, base)) return THROUGH
  if (lists(SINKS, base) || lists(QUIET, base)) return LITTLE
  return { is: 'unknown' }
}

/** Our own program, by its name or by its file: what it prints is bounded. */
const OWN = new Set(['ctx', 'sallyport', 'ctx.js', 'sallyport.js'])

const isOwn = ({ base, args }: Argv): boolean => OWN.has(base) || (base === 'node' && OWN.has(baseOf(args[0] ?? '')))

const flood = (why: string, files?: readonly string[], err?: true): Prints => ({
  is: 'flood',
  why,
  ...(files === undefined ? {} : { files }),
  ...(err === undefined ? {} : { err }),
})

/** `psql db 'select …'`, `sqlite3 db 'select …'`: two operands are a database and a query. */
const queried = ({ base, args }: Argv): boolean =>
  (base === 'sqlite3' || base === 'duckdb') && operandsOf(args).length > 1

function verbIs(args: readonly (string | undefined)[], verbs: string, values: string | undefined): boolean {
  const [first, second] = operandsOf(args, values)
  if (verbs === '') return first === undefined
  if (first === undefined) return false
  return listOf(verbs).some((verb) => verb === first || (second !== undefined && verb === `${first}+${second}`))
}

function byRow(row: Row, args: readonly (string | undefined)[]): Prints {
  const even = has(args, row.even)
  if (row.follow !== undefined && !has(args, row.ends) && (row.follow === 'always' || has(args, row.follow)))
    return { is: 'follow', why: row.why }
  if (row.follow === 'always') return LITTLE
  if (!even && has(args, row.unless)) return LITTLE
  if (row.only !== undefined && !even && !has(args, row.only)) return LITTLE
  if (!even && row.count !== undefined) {
    const count = countOf(args, row.count)
    if (count !== undefined && count <= (row.most ?? 0)) return LITTLE
  }
  if (row.files === undefined) return flood(row.why, undefined, row.err)
  const pattern = row.files === 'after-first' && !has(args, '-e -f --regexp --file')
  const operands = operandsOf(args, row.values).slice(pattern ? 1 : 0)
  const recursive = has(args, '-r -R --recursive')
  if (operands.length === 0 && !recursive) return THROUGH
  return flood(row.why, recursive ? undefined : allKnown(operands))
}

/** The operands, where all of them are known files. */
const allKnown = (operands: readonly (string | undefined)[]): readonly string[] | undefined =>
  operands.every((one): one is string => one !== undefined && one !== '-') ? operands : undefined

type Special = (args: readonly (string | undefined)[]) => Prints | undefined

const ends: Prints = { is: 'little', ends: true }

/** `head -n 5`: bounded and ends; with a sign it is the rest of a file, which is not. */
const head: Special = (args) => {
  const bytes = countOf(args, '-c --bytes')
  if (args.some((arg) => /^(?:-c|--bytes)/.test(arg ?? '')))
    return (bytes ?? Number.NaN) <= MOST_BYTES ? ends : wholeOf(args)
  if (!args.some((arg) => /^(?:-n|--lines|-\d)/.test(arg ?? ''))) return ends
  return (countOf(args, '-n --lines') ?? Number.NaN) <= MOST_LINES ? ends : wholeOf(args)
}

const tail: Special = (args) => {
  if (has(args, '-f -F --follow --retry')) return { is: 'follow', why: 'goes on until it is stopped' }
  const end = head(args)
  return end === ends ? LITTLE : end
}

const wholeOf = (args: readonly (string | undefined)[]): Prints =>
  flood(
    'most of a file',
    allKnown(operandsOf(args, '-n -c --lines --bytes').filter((one) => !/^\+\d+$/.test(one ?? ''))),
  )

/** `sed -n '1,5p'` and `sed 5q` show so many lines; in place nothing is shown. */
const sed: Special = (args) => {
  if (args.some((arg) => /^(?:-[nErsz]*i|--in-place)/.test(arg ?? ''))) return LITTLE
  const [script, ...files] = has(args, '-e -f') ? [undefined, ...operandsOf(args, '-e -f')] : operandsOf(args)
  if (script !== undefined) {
    if (Number(/^(\d+)q$/.exec(script)?.[1] ?? Number.NaN) <= MOST_LINES) return ends
    const range = /^(\d+)(?:,(\d+))?p(?:;\d+q)?$/.exec(script)
    if (range !== null && has(args, '-n') && Number(range[2] ?? range[1]) - Number(range[1]) < MOST_LINES) return LITTLE
  }
  return files.length === 0 ? THROUGH : flood('whole files', allKnown(files))
}

const awk: Special = (args) => {
  const [, ...files] = operandsOf(args, '-F -v -f')
  return files.length === 0 ? THROUGH : flood('whole files', allKnown(files))
}

const find: Special = (args) => {
  if (
    args.includes('-quit') ||
    (args.includes('-exec') === false && args.includes('-delete') && !args.includes('-print'))
  )
    return LITTLE
  const depth = args.indexOf('-maxdepth')
  if (depth >= 0 && /^[01]$/.test(args[depth + 1] ?? '')) return LITTLE
  return flood('a line for each file of a tree')
}

/** Texts of entries, which a list of entries does not hold otherwise. */
const LARGE_FIELDS = /\b(?:body|comments|files|jobs|log|text|commits)\b/

const gh: Special = (args) => {
  const [what, verb] = operandsOf(args, '-R --repo')
  if (verb !== 'list' && what !== 'search') return undefined
  const limit = countOf(args, '-L --limit')
  const fields = args[args.indexOf('--json') + 1]
  const large = args.includes('--json') && (fields === undefined || LARGE_FIELDS.test(fields))
  return large || (limit !== undefined && limit > 100) ? flood('texts of many entries') : LITTLE
}

/** First line of a grep: with `-m 1` it stops reading. */
const grep: Special = (args) => {
  if (has(args, '-q --quiet --silent')) return ends
  const most = countOf(args, '-m --max-count')
  return most !== undefined && most <= MOST_LINES && !has(args, '-r -R --recursive') ? ends : undefined
}

/** A file is written beside, and the rest goes on. */
const tee: Special = () => THROUGH

const SPECIAL: Readonly<Record<string, Special | undefined>> = Object.assign(Object.create(null), {
  head,
  ghead: head,
  tail,
  gtail: tail,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  find,
  gfind: find,
  gh,
  grep,
  egrep: grep,
  fgrep: grep,
  tee,
})
