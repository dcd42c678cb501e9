/** just: recipes of a justfile with their dependencies, parameters and variables, as the shell would get them. */
import type { Asking } from '../../core/question.ts'
import { type Arg, exact, oneOf, textOf, unknown, type Value } from '../../core/value.ts'
import { dirname, type Flavour, flavourOf, join } from '../../paths/lexical.ts'
import type { Doing, Language, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { dirOf, flagged, last, unreadScript, word } from './js.ts'
import { fileText } from './project.ts'

/** Directories looked at upward for a justfile. */
const MOST_LEVELS = 16
/** Recipes run by one call. */
const MOST_RECIPES = 200
/** Files that a justfile imports. */
const MOST_FILES = 16
/** Characters of a line that is looked at for a recipe's head or an expression. */
const MOST_LINE = 4_096
/** Nesting of expressions. */
const MOST_DEPTH = 16

const JUST = specify(
  '-f|--justfile: -d|--working-directory: -n|--dry-run -l|--list --summary -s|--show: -e|--edit --init --fmt --evaluate --dump --choose --check --set: --shell: --shell-arg: --dotenv-path: --dotenv-filename: -q|--quiet -v|--verbose --variables --groups --man -g|--global-justfile --yes --no-deps --highlight --unstable --color: --command-color: --completions: --changelog -c|--command -u|--unsorted --timestamp -h|--help -V|--version',
)

const LOOKS = [
  '-n',
  '-l',
  '--summary',
  '-s',
  '-e',
  '--evaluate',
  '--dump',
  '--check',
  '--variables',
  '--groups',
  '--man',
  '--changelog',
  '--completions',
  '-h',
  '-V',
]

interface Recipe {
  readonly name: string
  readonly parameters: readonly {
    readonly name: string
    readonly rest: boolean
    readonly fallback: string | undefined
  }[]
  /** Dependencies as written, those behind `&&` last. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly body: string[]
}

interface Justfile {
  readonly recipes: Map<string, Recipe>
  readonly aliases: Map<string, string>
  readonly variables: Map<string, string>
  readonly settings: Map<string, string>
  first: string | undefined
  files: number
  readonly unread: string[]
}

export const just: Reader = function* (call): Asking<readonly Doing[]> {
  const parsed = parseArgs(JUST, call.args, { stop: true })
  if (flagged(parsed, ...LOOKS)) return []
  if (flagged(parsed, '-c')) return parsed.operands.length > 0 ? [{ do: 'run', argv: parsed.operands }] : []
  const flavour = flavourOf(call.platform)
  const named = last(parsed, '-f')
  const path = yield* fileOfCall(dirOf(call, undefined), named === undefined ? undefined : dirOf(call, named), flavour)
  const nowhere = { call, dir: call.cwd }
  if (path === 'absent') return []
  if (path === 'unknown') return [unreadScript(nowhere, 'a recipe of a justfile')]
  const file: Justfile = {
    recipes: new Map(),
    aliases: new Map(),
    variables: new Map(),
    settings: new Map(),
    first: undefined,
    files: 0,
    unread: [],
  }
  yield* readInto(file, path, flavour)
  const given = last(parsed, '-d')
  const dir = (given === undefined ? undefined : dirOf(call, given)) ?? dirname(path, flavour)
  const out: Doing[] = file.unread.map((what) => unreadScript(nowhere, what))
  const work: Work = {
    file,
    call,
    cwd: dir === call.cwd ? {} : { cwd: word(call, dir) },
    out,
    done: new Set(),
    set: new Map(),
  }
  let words = parsed.operands
  while (/^[A-Za-z_][\w-]*=/.test(textOf(words[0]?.value) ?? '')) {
    const [name, text] = textOf(words[0]!.value)!.split(/=(.*)/s) as [string, string]
    work.set.set(name, exact(text))
    words = words.slice(1)
  }
  if (words.length === 0 && file.first !== undefined) words = [word(call, file.first)]
  for (let turn = 0; words.length > 0 && turn < MOST_RECIPES; turn++) {
    const name = textOf(words[0]!.value)
    if (name === undefined) return [...out, unreadScript(nowhere, 'a recipe whose name is unknown')]
    const recipe = recipeOf(file, name)
    if (recipe === undefined)
      return name.includes('::') || name.includes('/') ? [...out, unreadScript(nowhere, `recipe ${name}`)] : out
    const count = recipe.parameters.some(({ rest }) => rest) ? words.length - 1 : recipe.parameters.length
    run(
      work,
      recipe,
      words.slice(1, 1 + count).map((arg) => arg.value),
      0,
    )
    words = words.slice(1 + count)
  }
  return out
}

function* fileOfCall(
  cwd: string | undefined,
  named: string | undefined,
  flavour: Flavour,
): Asking<string | 'absent' | 'unknown'> {
  if (named !== undefined) return named
  if (cwd === undefined) return 'unknown'
  let dir = cwd
  for (let level = 0; level < MOST_LEVELS; level++) {
    for (const name of ['justfile', '.justfile', 'Justfile', 'JUSTFILE']) {
      const path = join(dir, name, flavour)
      const found = yield* fileText(path)
      if (found === 'unknown') return 'unknown'
      if (found !== 'absent') return path
    }
    const parent = dirname(dir, flavour)
    if (parent === dir) return 'absent'
    dir = parent
  }
  return 'unknown'
}

const recipeOf = (file: Justfile, name: string): Recipe | undefined => file.recipes.get(file.aliases.get(name) ?? name)

const HEAD =
  /^@?([A-Za-z_][\w-]*)((?:\s+(?:[*+$]*[A-Za-z_][\w-]*)(?:\s*=\s*(?:'[^']*'|"[^"]*"|`[^`]*`|[\w()/+.]+))?)*)\s*:(?!=)\s*(.*)$/

function* readInto(file: Justfile, path: string, flavour: Flavour): Asking<void> {
  if (++file.files > MOST_FILES) return
  const found = yield* fileText(path)
  if (found === 'unknown') file.unread.push('a justfile')
  // A file that nobody can read stops just, too.
  if (typeof found === 'string') return
  let open: Recipe | undefined
  for (const line of found.text.replace(/\\\n\s*/g, '').split(/\r?\n/)) {
    if (open !== undefined && (/^[ \t]/.test(line) || (line === '' && open.body.length > 0))) {
      if (line !== '') open.body.push(line)
      continue
    }
    open = undefined
    if (line === '' || line.length > MOST_LINE || /^(?:#|\[)/.test(line)) continue
    const imported = /^(?:import|mod)\??\s+(?:[\w-]+\s+)?['"]([^'"]+)['"]/.exec(line)
    if (imported) {
      yield* readInto(file, join(dirname(path, flavour), imported[1]!, flavour), flavour)
      continue
    }
    const alias = /^alias\s+([\w-]+)\s*:=\s*([\w-]+)/.exec(line)
    if (alias) {
      file.aliases.set(alias[1]!, alias[2]!)
      continue
    }
    const setting = /^set\s+([\w-]+)(?:\s*:=\s*(.*))?$/.exec(line)
    if (setting) {
      file.settings.set(setting[1]!, setting[2] ?? 'true')
      continue
    }
    const variable = /^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$/.exec(line)
    if (variable) {
      file.variables.set(variable[1]!, variable[2]!)
      continue
    }
    const head = HEAD.exec(line)
    if (!head) continue
    const [before, after = ''] = head[3]!.replace(/\s#.*$/, '').split('&&') as [string, string?]
    open = {
      name: head[1]!,
      parameters: parametersOf(head[2]!),
      before: needsOf(before),
      after: needsOf(after),
      body: [],
    }
    file.recipes.set(open.name, open)
    file.first ??= open.name
  }
}

const parametersOf = (text: string): Recipe['parameters'] =>
  [...text.matchAll(/([*+$]*)([A-Za-z_][\w-]*)(?:\s*=\s*('[^']*'|"[^"]*"|`[^`]*`|[\w()/+.]+))?/g)].map((match) => ({
    name: match[2]!,
    rest: /[*+]/.test(match[1]!),
    fallback: match[3] ?? (match[1]!.includes('*') ? "''" : undefined),
  }))

/** `a (b "x") c`: each dependency with its arguments. */
const needsOf = (text: string): readonly string[] =>
  [...text.matchAll(/\(([^)]*)\)|([A-Za-z_][\w:-]*)/g)].map((match) => match[1] ?? match[2]!)

interface Work {
  readonly file: Justfile
  readonly call: Parameters<Reader>[0]
  readonly cwd: { readonly cwd?: Arg }
  readonly out: Doing[]
  readonly done: Set<string>
  /** Variables that the command line sets. */
  readonly set: Map<string, Value>
}

function run(work: Work, recipe: Recipe, args: readonly Value[], depth: number): void {
  const key = JSON.stringify([recipe.name, args])
  if (work.done.has(key) || work.done.size > MOST_RECIPES || depth > MOST_DEPTH) return
  work.done.add(key)
  const scope = new Map<string, Value>()
  for (const [i, parameter] of recipe.parameters.entries()) {
    const value = parameter.rest ? rest(args.slice(i)) : args[i]
    if (value !== undefined) scope.set(parameter.name, value)
    else if (parameter.fallback !== undefined) scope.set(parameter.name, evaluate(work, parameter.fallback, scope, 0))
    // just stops where an argument is missing.
    else return
  }
  const needs = (list: readonly string[]) => {
    for (const need of list) {
      const [name, ...words] = [...need.matchAll(/'[^']*'|"[^"]*"|[^\s'"]+/g)].map((match) => match[0])
      const found = name === undefined ? undefined : recipeOf(work.file, name)
      if (found)
        run(
          work,
          found,
          words.map((text) => evaluate(work, text, scope, 0)),
          depth + 1,
        )
    }
  }
  needs(recipe.before)
  work.out.push(...bodyOf(work, recipe, scope, args))
  needs(recipe.after)
}

const rest = (values: readonly Value[]): Value | undefined => {
  if (values.length === 0) return undefined
  const texts = values.map(textOf)
  return texts.includes(undefined) ? unknown('variable') : exact(texts.join(' '))
}

const SHEBANGS: readonly (readonly [RegExp, Language])[] = [
  [/python/, 'python'],
  [/node|bun|deno/, 'javascript'],
  [/perl/, 'perl'],
  [/ruby/, 'ruby'],
  [/sh\b/, 'sh'],
]

function bodyOf(
  work: Work,
  recipe: Recipe,
  scope: ReadonlyMap<string, Value>,
  args: readonly Value[],
): readonly Doing[] {
  const label = `justfile:${recipe.name}`
  const indent = /^[ \t]*/.exec(recipe.body[0] ?? '')![0].length
  const lines = recipe.body.map((line) => line.slice(Math.min(indent, /^[ \t]*/.exec(line)![0].length)))
  const positional = work.file.settings.get('positional-arguments') === 'true'
  const code = (text: string, language: Language): Doing => {
    const open: Arg[] = positional ? args.map((value) => ({ ...word(work.call, ''), value })) : []
    const filled = text.replace(/\{\{\{\{|\{\{((?:[^}]|\}(?!\}))*)\}\}/g, (whole, expression: string | undefined) => {
      if (expression === undefined) return whole === '{{{{' ? '{{' : whole
      const value = evaluate(work, expression, scope, 0)
      const known = textOf(value)
      if (known !== undefined) return known
      open.push({ ...word(work.call, ''), value })
      return `\${${open.length}}`
    })
    return { do: 'code', language, text: exact(filled), label, ...(open.length > 0 ? { args: open } : {}), ...work.cwd }
  }
  if (lines[0]?.startsWith('#!')) {
    const language = SHEBANGS.find(([pattern]) => pattern.test(lines[0]!))?.[1]
    return language === undefined ? [{ do: 'opaque', what: label }] : [code(lines.join('\n'), language)]
  }
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => code(line.replace(/^[@-]+/, ''), 'sh'))
}

/** The value of an expression: texts, names, `+` and `/` between them, backticks; calls are not worked out. */
function evaluate(work: Work, expression: string, scope: ReadonlyMap<string, Value>, depth: number): Value {
  if (depth > MOST_DEPTH || expression.length > MOST_LINE) return unknown('budget')
  const parts = [...expression.matchAll(/'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`|\+|\/|[\w-]+(?:\s*\([^()]*\))?|\S/g)].map(
    (match) => match[0],
  )
  let text = ''
  for (const [i, part] of parts.entries()) {
    if (i % 2 === 1) {
      if (part !== '+' && part !== '/') return unknown('variable')
      if (part === '/') text += '/'
      continue
    }
    const value = term(work, part, scope, depth)
    const known = textOf(value)
    if (known === undefined) return parts.length === 1 ? value : unknown('variable')
    text += known
  }
  return oneOf([text])
}

function term(work: Work, part: string, scope: ReadonlyMap<string, Value>, depth: number): Value {
  if (part.startsWith("'")) return exact(part.slice(1, -1))
  if (part.startsWith('"'))
    return exact(
      part
        .slice(1, -1)
        .replace(/\\n/g, '\n')
        .replace(/\\t/g, '\t')
        .replace(/\\(["\\])/g, '$1'),
    )
  if (part.startsWith('`')) return exact(`$(${part.slice(1, -1)})`)
  if (/^justfile_directory\s*\(|^invocation_directory\s*\(/.test(part))
    return work.cwd.cwd?.value ?? (work.call.cwd === undefined ? unknown('variable') : exact(work.call.cwd))
  const own = scope.get(part) ?? work.set.get(part)
  if (own !== undefined) return own
  const variable = work.file.variables.get(part)
  return variable === undefined ? unknown('variable') : evaluate(work, variable, new Map(), depth + 1)
}
