/** make: recipes of the targets and of all that they need, as the shell would get them. */
import type { Asking } from '../../core/question.ts'
import { type Arg, exact, textOf, textsOf, unknown } from '../../core/value.ts'
import { absolute, flavourOf, isAbsolute } from '../../paths/lexical.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { cutArg, type Parsed, parseArgs, specify } from '../options.ts'
import { dirOf, unreadScript, word } from './js.ts'
import { expandMake, given, literal, newExpansion, type Variable } from './make-expand.ts'
import { newReading, type Reading, type Rule, readMakefile } from './make-read.ts'
import { fileText } from './project.ts'

/** Targets that are made for one call. */
const MOST_TARGETS = 200
/** Recipe lines of one call. */
const MOST_RECIPES = 1_000
/** Prerequisites of prerequisites … */
const MOST_DEPTH = 64

const MAKE = specify(
  '-C|--directory: -f|--file|--makefile: -n|--just-print|--dry-run|--recon -q|--question -t|--touch -p|--print-data-base -v|--version -h|--help -j? --jobs? -k|--keep-going -s|--silent|--quiet -B|--always-make -i|--ignore-errors -e|--environment-overrides -I|--include-dir: -l? --load-average? --max-load? -o|--old-file|--assume-old: -W|--what-if|--new-file|--assume-new: --eval: -O? --output-sync? -r|--no-builtin-rules -R|--no-builtin-variables -w|--print-directory --no-print-directory -S|--no-keep-going -d --debug? --trace --warn-undefined-variables --shuffle? -b -m',
)

/** What make itself knows of; recipes mostly name compilers by these. */
const BUILT_IN =
  'CC=cc CXX=c++ CPP=cc AR=ar AS=as LD=ld RM=rm_-f FC=f77 LEX=lex YACC=yacc MAKEINFO=makeinfo TEX=tex CO=co GET=get LINT=lint ARFLAGS=-rv SHELL=/bin/sh MAKE_VERSION=4.4 MAKELEVEL=0'

export const make: Reader = function* (call): Asking<readonly Doing[]> {
  const parsed = parseArgs(MAKE, call.args)
  if (['-v', '-h', '-t', '-p'].some((flag) => parsed.flags.has(flag))) return []
  const dir = placeOf(call, parsed)
  const nowhere = { call, dir }
  const names = parsed.values.get('-f')
  const assigned = new Map<string, Variable>()
  const goals: string[] = []
  for (const arg of parsed.operands) {
    const text = textOf(arg.value)
    const name = /^([A-Za-z_][\w.-]*)(?:::?|\+|\?)?=/.exec(text ?? prefix(arg))
    if (name) assigned.set(name[1]!, given(cutArg(arg, name[0].length).value))
    else if (textsOf(arg.value) === undefined) return [unreadScript(nowhere, 'a target of unknown name')]
    else goals.push(...textsOf(arg.value)!.filter((goal) => !/^\d+$/.test(goal)))
  }
  if (dir === undefined && !names?.some((arg) => textOf(arg.value) === '-'))
    return [unreadScript(nowhere, 'a makefile')]
  const flavour = flavourOf(call.platform)
  const r = newReading(
    dir ?? '/',
    flavour,
    call.command,
    variablesOf(call, parsed, dir, assigned, goals),
    new Set(assigned.keys()),
  )
  for (const arg of parsed.values.get('--eval') ?? []) yield* readMakefile(r, textOf(arg.value) ?? '')
  const opaque = yield* readAll(r, call, names)
  if (opaque !== undefined) return opaque
  const cwd = dir === undefined || dir === call.cwd ? {} : { cwd: word(call, dir) }
  const shell = shellOf(parsed.operands)
  const atOnce = [...shell, ...r.atOnce].map(
    (text): Doing => ({ do: 'code', language: 'sh', text: exact(text), label: 'Makefile', ...cwd }),
  )
  const unread = r.unread.map((what) => unreadScript(nowhere, what))
  if (parsed.flags.has('-n') || parsed.flags.has('-q')) return [...atOnce, ...unread]
  const work: Work = { r, call, cwd, done: new Set(), out: [...atOnce, ...unread] }
  for (const goal of goals.length > 0 ? goals : defaultGoal(r)) build(work, goal, 0, new Map())
  if (r.spent.over) work.out.push(unreadScript(nowhere, 'a makefile that grows too large'))
  return work.out
}

/** `SHELL=…` on the line runs in place of a shell, for each line of a recipe. */
function shellOf(operands: readonly Arg[]): readonly string[] {
  const given = operands.map((arg) => /^SHELL\s*:?:?=(.*)$/s.exec(textOf(arg.value) ?? '')?.[1]?.trim())
  return given.filter((text) => text !== undefined && text !== '' && !SHELLS.test(text)).map((text) => `${text} -c :`)
}

const SHELLS = /^(?:[\w./-]*\/)?(?:ba|da|z|k|mk|a|fi|busybox )?sh(?:\.exe)?$|^\/usr\/bin\/env \w*sh$/

const prefix = (arg: Arg): string => (arg.value.is === 'partly' ? arg.value.prefix : '')

/** Directories of `-C`, one after the other. */
function placeOf(call: Invocation, parsed: Parsed): string | undefined {
  let dir = call.cwd
  for (const arg of parsed.values.get('-C') ?? [])
    dir = dirOf(dir === undefined ? { ...call, cwd: undefined } : { ...call, cwd: dir }, arg)
  return dir
}

function variablesOf(
  call: Invocation,
  parsed: Parsed,
  dir: string | undefined,
  assigned: ReadonlyMap<string, Variable>,
  goals: readonly string[],
): Map<string, Variable> {
  const variables = new Map<string, Variable>()
  for (const pair of BUILT_IN.split(' ')) {
    const [name, text] = pair.split('=') as [string, string]
    variables.set(name, literal(text.replace('_', ' ')))
  }
  for (const [name, value] of call.env) variables.set(name, given(value))
  // What the command line sets reaches a make below, too.
  const again = [...assigned].flatMap(([name, { texts }]) =>
    texts.length === 1 ? [`${name}='${texts[0]!.replaceAll("'", "'\\''")}'`] : [],
  )
  const program = [call.base, ...again].join(' ')
  variables.set('MAKE', { texts: [program] })
  variables.set('MAKE_COMMAND', literal(call.base))
  variables.set('CURDIR', dir === undefined ? { texts: [], value: unknown('variable') } : literal(dir))
  variables.set('PWD', variables.get('CURDIR')!)
  variables.set('MAKECMDGOALS', literal(goals.join(' ')))
  variables.set('MAKEFLAGS', literal(parsed.flags.has('-n') ? 'n' : ''))
  for (const [name, variable] of assigned) variables.set(name, variable)
  return variables
}

/** Reads the makefiles of a call. What it gives stands for all that could not be read. */
function* readAll(
  r: Reading,
  call: Invocation,
  names: readonly Arg[] | undefined,
): Asking<readonly Doing[] | undefined> {
  for (const arg of names ?? []) {
    const text = textOf(arg.value)
    if (text === '-' || text === '/dev/stdin') {
      const code = yield* fromStdin(call)
      if (typeof code !== 'string') return code
      yield* readMakefile(r, code)
      continue
    }
    if (text === undefined || /^\/dev\/fd\//.test(text)) return [unreadScript({ call, dir: undefined }, 'a makefile')]
    const path = isAbsolute(text, r.flavour) ? text : absolute(r.dir, text, r.flavour)
    const found = yield* fileText(path)
    if (found === 'absent') return []
    if (found === 'unreadable') return [unreadable(call, path)]
    if (found === 'unknown') return [unreadScript({ call, dir: r.dir }, `makefile ${text}`)]
    r.variables.set('MAKEFILE_LIST', literal(text))
    yield* readMakefile(r, found.text)
  }
  if (names !== undefined) return undefined
  for (const name of ['GNUmakefile', 'makefile', 'Makefile']) {
    const path = absolute(r.dir, name, r.flavour)
    const found = yield* fileText(path)
    if (found === 'absent') continue
    if (found === 'unreadable') return [unreadable(call, path)]
    if (found === 'unknown') return [unreadScript({ call, dir: r.dir }, `makefile ${name}`)]
    r.variables.set('MAKEFILE_LIST', literal(name))
    yield* readMakefile(r, found.text)
    return undefined
  }
  return undefined
}

/** A makefile that is there and no text: where it lies decides. */
const unreadable = (call: Invocation, path: string): Doing => ({
  do: 'script',
  path: word(call, path),
  language: 'make',
  args: [],
})

/** The makefile on stdin, or what stands for it where its text is not known. */
function* fromStdin(call: Invocation): Asking<string | readonly Doing[]> {
  const { stdin } = call
  if (stdin.none) return ''
  const text = textOf(stdin.text)
  if (text !== undefined) return text
  const file = stdin.files?.length === 1 ? textOf(stdin.files[0]!.value) : undefined
  if (file !== undefined && call.cwd !== undefined) {
    const found = yield* fileText(absolute(call.cwd, file, flavourOf(call.platform)))
    if (typeof found === 'object') return found.text
    if (found === 'absent') return ''
  }
  return [{ do: 'code', language: 'make', text: stdin.text, taints: stdin.taints, label: 'a makefile on stdin' }]
}

/** The first target that is no setting of make and no pattern. */
function defaultGoal(r: Reading): readonly string[] {
  const set = r.variables.get('.DEFAULT_GOAL')?.texts.at(-1)
  if (set !== undefined && set !== '') return [set]
  for (const rule of r.rules)
    for (const target of rule.targets)
      if (!(target.startsWith('.') && !target.includes('/')) && !target.includes('%')) return [target]
  return []
}

interface Work {
  readonly r: Reading
  readonly call: Invocation
  readonly cwd: { readonly cwd?: Arg }
  readonly done: Set<string>
  readonly out: Doing[]
}

/** The part of a target that `%` of a pattern stands for. */
function stemOf(pattern: string, target: string): string | undefined {
  const at = pattern.indexOf('%')
  if (at < 0) return undefined
  const before = pattern.slice(0, at)
  const after = pattern.slice(at + 1)
  if (target.length < before.length + after.length || !target.startsWith(before) || !target.endsWith(after))
    return undefined
  return target.slice(before.length, target.length - after.length)
}

/** What makes a target: every rule that names it, else the first pattern that fits and has a recipe. */
function rulesFor(r: Reading, target: string): readonly { readonly rule: Rule; readonly stem: string }[] {
  const named = r.rules.flatMap((rule) => {
    if (!rule.targets.includes(target)) return []
    const stem = rule.pattern === undefined ? '' : (stemOf(rule.pattern, target) ?? '')
    return [{ rule, stem }]
  })
  if (named.some(({ rule }) => rule.recipe.length > 0)) return named
  for (const rule of r.rules) {
    if (rule.recipe.length === 0) continue
    for (const pattern of rule.targets) {
      const stem = stemOf(pattern, target)
      if (stem !== undefined && stem !== '') return [...named, { rule, stem }]
    }
  }
  const fallback = named.length === 0 ? r.rules.find((rule) => rule.targets.includes('.DEFAULT')) : undefined
  return fallback ? [{ rule: fallback, stem: '' }] : named
}

function build(work: Work, target: string, depth: number, inherited: ReadonlyMap<string, Variable>): void {
  const { r, done, out } = work
  if (done.has(target)) return
  if (done.size >= MOST_TARGETS || depth > MOST_DEPTH || out.length > MOST_RECIPES) {
    if (!done.has('\0')) out.push(unreadScript({ call: work.call, dir: r.dir }, 'more targets than can be followed'))
    done.add('\0')
    return
  }
  done.add(target)
  const found = rulesFor(r, target)
  const own = new Map([...inherited, ...(r.own.get(target) ?? [])])
  const needs = found.flatMap(({ rule, stem }) => rule.prerequisites.map((name) => name.replace('%', () => stem)))
  for (const need of needs) build(work, need, depth + 1, own)
  const singles = found.filter(({ rule }) => !rule.double && rule.recipe.length > 0)
  const recipes = [...singles.slice(-1), ...found.filter(({ rule }) => rule.double && rule.recipe.length > 0)]
  for (const { rule, stem } of recipes) out.push(...recipeOf(work, rule, target, stem, needs, own))
}

function recipeOf(
  work: Work,
  rule: Rule,
  target: string,
  stem: string,
  needs: readonly string[],
  own: ReadonlyMap<string, Variable>,
): readonly Doing[] {
  const { r, call, cwd } = work
  const variables = new Map([...r.variables, ...own])
  const dirOfPath = (path: string) => path.slice(0, path.lastIndexOf('/')) || '.'
  const fileOfPath = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const automatic: readonly (readonly [string, readonly string[]])[] = [
    ['@', [target]],
    ['<', needs.slice(0, 1)],
    ['^', [...new Set(needs)]],
    ['+', needs],
    ['?', needs],
    ['*', [stem]],
    ['%', []],
    ['|', []],
  ]
  for (const [name, paths] of automatic) {
    variables.set(name, literal(paths.join(' ')))
    variables.set(`${name}D`, literal(paths.map(dirOfPath).join(' ')))
    variables.set(`${name}F`, literal(paths.map(fileOfPath).join(' ')))
  }
  const lines = r.oneShell ? [rule.recipe.join('\n')] : rule.recipe
  const rest = lines.length > MOST_RECIPES ? [unreadScript({ call, dir: r.dir }, 'a recipe that is too long')] : []
  const read = lines.slice(0, MOST_RECIPES).flatMap((line): Doing[] => {
    const x = newExpansion(variables, call.command, r.spent)
    // A canned recipe (`define`) is several lines.
    const texts = expandMake(line, x)
      .split(/(?<!\\)\n/)
      .map((text) => text.replace(/^[\s@+-]+/, '').replace(/\\\n\t/g, '\\\n'))
    const all = r.oneShell ? [texts.join('\n')] : texts
    return all.filter((text) => text.trim() !== '' && !text.startsWith('#')).map((text) => shell(text, x.open))
  })
  return [...read, ...rest]

  function shell(text: string, open: readonly Arg[]): Doing {
    const program = variables.get('SHELL')?.texts[0] ?? ''
    const label = `Makefile:${target}`
    if (program === '' || /sh(?:\.exe)?$|\$/.test(program))
      return {
        do: 'code',
        language: 'sh',
        text: exact(text),
        label,
        ...(open.length > 0 ? { args: open } : {}),
        ...cwd,
      }
    return { do: 'run', argv: [word(call, program), word(call, '-c'), word(call, text)], ...cwd }
  }
}
