/** Reads makefiles: variables, rules, includes, conditionals. Nothing runs here; what would run at reading is listed. */
import { type Asking, ask } from '../../core/question.ts'
import type { Arg } from '../../core/value.ts'
import { type Flavour, join } from '../../paths/lexical.ts'
import { expandMake, literal, newExpansion, type Spent, type Variable } from './make-expand.ts'
import { fileText, like } from './project.ts'

/** Files that one makefile may include, all together. */
const MOST_FILES = 32
/** Logical lines of all makefiles of a call. */
const MOST_LINES = 20_000
/** Rules of a call. */
const MOST_RULES = 5_000
/** Names of a directory that a pattern in `include` is matched with. */
const MOST_NAMES = 256
/** Branches of conditionals that may both hold give a variable several texts; more are not told apart. */
const MOST_BRANCHES = 4

export interface Rule {
  readonly targets: readonly string[]
  /** The pattern of a static pattern rule, `%.o: %.c` between the colons. */
  readonly pattern?: string
  readonly prerequisites: readonly string[]
  readonly recipe: string[]
  readonly double: boolean
}

export interface Makefile {
  readonly variables: Map<string, Variable>
  readonly rules: Rule[]
  /** Variables of one target alone. */
  readonly own: Map<string, Map<string, Variable>>
  /** Shell texts that run while the makefile is read. */
  readonly atOnce: string[]
  /** Files that are there and could not be read. */
  readonly unread: string[]
  oneShell: boolean
}

export interface Reading extends Makefile {
  readonly dir: string
  readonly flavour: Flavour
  readonly like: Arg
  /** Variables that the makefile cannot change: those of the command line. */
  readonly fixed: ReadonlySet<string>
  files: number
  lines: number
  readonly spent: Spent
  /** Files that were included. */
  readonly seen: Set<string>
}

export const newReading = (
  dir: string,
  flavour: Flavour,
  like: Arg,
  variables: Map<string, Variable>,
  fixed: ReadonlySet<string>,
): Reading => ({
  dir,
  flavour,
  like,
  fixed,
  variables,
  rules: [],
  own: new Map(),
  atOnce: [],
  unread: [],
  oneShell: false,
  files: 0,
  lines: 0,
  spent: { steps: 0, characters: 0, over: false },
  seen: new Set(),
})

/** Lines with their continuations; recipe lines keep theirs, since the shell reads them. */
function logicalLines(text: string): readonly string[] {
  const out: string[] = []
  let open = false
  for (const line of text.split(/\r?\n/)) {
    if (open) out[out.length - 1] += `\n${line}`
    else out.push(line)
    open = /(?:^|[^\\])(?:\\\\)*\\$/.test(line)
  }
  return out
}

const unfolded = (line: string): string =>
  line.includes('\\\n')
    ? line
        .split('\\\n')
        .map((part, i, all) => (i === 0 ? part.trimEnd() : i === all.length - 1 ? part.trimStart() : part.trim()))
        .join(' ')
    : line

/** A line of make without its comment. */
const bare = (line: string): string => unfolded(line).replace(/(^|[^\\])#.*$/, '$1')

const expand = (r: Reading, text: string): string => expandMake(text, newExpansion(r.variables, r.like, r.spent))

interface Branch {
  /** `yes`, `no`, or `maybe` where the test is not known: both branches count. */
  readonly now: 'yes' | 'no' | 'maybe'
  /** Some branch of this conditional was surely taken. */
  readonly taken: boolean
}

/** Reads one text into `r`. */
export function* readMakefile(r: Reading, text: string): Asking<void> {
  const branches: Branch[] = []
  let rules: readonly Rule[] = []
  let define: { name: string; lines: string[]; depth: number } | undefined
  const live = () => branches.every(({ now }) => now !== 'no')
  const maybe = () => branches.some(({ now }) => now === 'maybe')
  for (const raw of logicalLines(text)) {
    if (++r.lines > MOST_LINES || r.rules.length > MOST_RULES) {
      r.unread.push('a makefile that is too long')
      return
    }
    if (define !== undefined) {
      if (/^\s*define\b/.test(raw)) define.depth++
      if (/^\s*endef\b/.test(raw) && --define.depth === 0) {
        if (live()) assign(r.variables, r.fixed, define.name, define.lines.join('\n'), maybe())
        define = undefined
      } else define.lines.push(raw)
      continue
    }
    const recipe = raw.startsWith('\t')
    const line = bare(raw)
    const words = line.trim()
    if (!recipe || rules.length === 0) {
      if (yield* conditional(r, words, branches)) continue
    }
    if (!live()) continue
    if (recipe && rules.length > 0) {
      for (const rule of rules) rule.recipe.push(raw.slice(1))
      continue
    }
    if (words === '') continue
    const start = /^(?:override\s+|private\s+)*define\s+(\S+)/.exec(words)
    if (start) {
      define = { name: start[1]!, lines: [], depth: 1 }
      continue
    }
    const include = /^[-s]?include\s+(.*)$/.exec(words)
    if (include) {
      yield* includeFiles(r, expand(r, include[1]!).split(/\s+/).filter(Boolean))
      rules = []
      continue
    }
    if (assignment(r, unfolded(line), maybe())) {
      rules = []
      continue
    }
    if (/^(?:export|unexport|vpath|undefine)\b/.test(words)) continue
    const found = ruleOf(r, unfolded(raw), maybe())
    if (found !== undefined) rules = found
    else atOnce(r, words)
  }
}

/** `$(shell …)` and `$(eval …)` that stand by themselves run while the file is read. */
function atOnce(r: Reading, text: string): void {
  for (const match of expand(r, text).matchAll(/\$\((?!\()[\s\S]*\)/g)) r.atOnce.push(`: "${match[0]}"`)
}

const CONDITIONAL = /^(else\s+)?(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)$/

function* conditional(r: Reading, line: string, branches: Branch[]): Asking<boolean> {
  if (/^endif\b/.test(line)) {
    branches.pop()
    return true
  }
  const match = CONDITIONAL.exec(line)
  if (match === null && !/^else\b/.test(line)) return false
  if (match === null || match[1] !== undefined) {
    const open = branches.pop()
    if (open === undefined) return true
    const before = open.taken || open.now === 'yes'
    const test = match === null ? 'yes' : yield* holds(r, match[2]!, match[3]!)
    branches.push({ now: before ? 'no' : open.now === 'maybe' && test === 'yes' ? 'maybe' : test, taken: before })
    return true
  }
  branches.push({ now: yield* holds(r, match[2]!, match[3]!), taken: false })
  return true
}

function* holds(r: Reading, kind: string, rest: string): Asking<Branch['now']> {
  if (kind === 'ifdef' || kind === 'ifndef') {
    const name = rest.trim()
    const here = r.variables.get(name)
    let set: boolean | undefined = here === undefined ? undefined : here.texts.some((text) => text !== '')
    if (set === undefined) {
      const found = yield* ask('env', { name })
      if (found === 'unknown') return 'maybe'
      set = found !== 'unset' && found.value !== ''
    }
    return set === (kind === 'ifdef') ? 'yes' : 'no'
  }
  const pair = /^\((.*)\)$/.exec(rest.trim())
  const quoted = /^(?:"([^"]*)"|'([^']*)')\s*(?:"([^"]*)"|'([^']*)')$/.exec(rest.trim())
  let sides: readonly [string, string]
  if (quoted) sides = [quoted[1] ?? quoted[2]!, quoted[3] ?? quoted[4]!]
  else if (pair) {
    const comma = commaOf(pair[1]!)
    if (comma < 0) return 'maybe'
    sides = [pair[1]!.slice(0, comma).trim(), pair[1]!.slice(comma + 1).trim()]
  } else return 'maybe'
  const left = yield* fromEnvironment(expand(r, sides[0]))
  const right = yield* fromEnvironment(expand(r, sides[1]))
  if (left.includes('$') || right.includes('$')) return 'maybe'
  return (left === right) === (kind === 'ifeq') ? 'yes' : 'no'
}

function commaOf(text: string): number {
  let level = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(' || text[i] === '{') level++
    else if (text[i] === ')' || text[i] === '}') level--
    else if (text[i] === ',' && level === 0) return i
  }
  return -1
}

/** A text with the variables of the environment filled in where they are known. */
function* fromEnvironment(text: string): Asking<string> {
  let out = text
  for (const match of text.matchAll(/\$\{([A-Za-z_]\w*)\}/g)) {
    const found = yield* ask('env', { name: match[1]! })
    if (found !== 'unknown') out = out.replace(match[0], () => (found === 'unset' ? '' : found.value))
  }
  return out
}

const ASSIGNMENT = /^\s*((?:(?:export|override|private)\s+)*)([^\s:#=!?+]+)\s*(::?:?=|\?=|\+=|!=|=)[ \t]*([\s\S]*)$/

function assignment(r: Reading, line: string, maybe: boolean): boolean {
  const match = ASSIGNMENT.exec(line)
  if (match === null) return false
  const [, , name, sign, text] = match as unknown as [string, string, string, string, string]
  setVariable(r, r.variables, expand(r, name), sign, text, maybe)
  return true
}

function setVariable(
  r: Reading,
  into: Map<string, Variable>,
  name: string,
  sign: string,
  text: string,
  maybe: boolean,
): void {
  const before = into.get(name) ?? r.variables.get(name)
  if (sign === '?=' && before !== undefined) return
  if (/\$[({]shell\b/.test(text) && sign.startsWith(':')) atOnce(r, text)
  if (sign === '!=') {
    r.atOnce.push(text)
    assign(into, r.fixed, name, `$(shell ${text})`, maybe)
  } else if (sign === '+=' && before !== undefined) {
    const texts = before.texts.map((old) => `${old} ${text}`)
    if (!r.fixed.has(name)) into.set(name, { ...before, texts })
  } else if (sign.startsWith(':')) {
    // Expanded now; a value that is not known now stays as it is written.
    const x = newExpansion(r.variables, r.like, r.spent)
    const now = expandMake(text, x)
    if (x.open.length > 0 || /\$\(/.test(now))
      assign(into, r.fixed, name, text.includes(`$(${name})`) ? '' : text, maybe)
    else assign(into, r.fixed, name, now.replace(/\$(?!\{[A-Za-z_])/g, '$$$$'), maybe)
  } else assign(into, r.fixed, name, text, maybe)
}

function assign(
  into: Map<string, Variable>,
  fixed: ReadonlySet<string>,
  name: string,
  text: string,
  maybe: boolean,
): void {
  if (fixed.has(name)) return
  const before = into.get(name)
  const texts = maybe && before !== undefined ? [...new Set([...before.texts, text])] : [text]
  into.set(name, { texts: texts.slice(-MOST_BRANCHES) })
}

/** `targets: prerequisites ; recipe`, a static pattern, or a variable of a target. Undefined: the line is no rule. */
function ruleOf(r: Reading, line: string, maybe: boolean): readonly Rule[] | undefined {
  const colon = colonOf(line)
  if (colon < 0) return undefined
  const targets = expand(r, line.slice(0, colon)).split(/\s+/).filter(Boolean)
  const double = line[colon + 1] === ':'
  let rest = line.slice(colon + (double ? 2 : 1))
  const own = ASSIGNMENT.exec(rest)
  if (own && !/^\s*;/.test(rest)) {
    for (const target of targets) {
      const into = r.own.get(target) ?? new Map<string, Variable>()
      r.own.set(target, into)
      setVariable(r, into, own[2]!, own[3]!, own[4]!, maybe)
    }
    return []
  }
  const semicolon = rest.indexOf(';')
  const recipe = semicolon < 0 ? [] : [rest.slice(semicolon + 1).trim()]
  if (semicolon >= 0) rest = rest.slice(0, semicolon)
  rest = rest.replace(/(^|[^\\])#.*$/, '$1')
  const second = colonOf(rest)
  const pattern = second < 0 ? undefined : expand(r, rest.slice(0, second)).trim()
  const prerequisites = expand(r, second < 0 ? rest : rest.slice(second + 1))
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '|' && word !== '.WAIT')
  if (targets.includes('.ONESHELL')) r.oneShell = true
  const rule: Rule = { targets, prerequisites, recipe, double, ...(pattern === undefined ? {} : { pattern }) }
  r.rules.push(rule)
  return [rule]
}

/** The colon that ends the targets: not one inside a reference, not that of a drive. */
function colonOf(line: string): number {
  let level = 0
  for (let i = 0; i < line.length; i++) {
    const c = line[i]
    if (c === '(' || c === '{') level++
    else if (c === ')' || c === '}') level--
    else if (c === '#' && level === 0) return -1
    else if (c === ':' && level === 0 && !/^[\\/]/.test(line.slice(i + 1))) return i
  }
  return -1
}

function* includeFiles(r: Reading, names: readonly string[]): Asking<void> {
  for (const name of names) {
    if (name.includes('$')) continue
    for (const path of yield* matching(r, name)) {
      // A file that includes itself is read once.
      if (r.seen.has(path)) continue
      r.seen.add(path)
      if (++r.files > MOST_FILES) {
        r.unread.push('more makefiles than can be followed')
        return
      }
      const found = yield* fileText(path)
      if (found === 'absent') continue
      if (found === 'unknown' || found === 'unreadable') r.unread.push(`makefile ${name}`)
      else {
        const list = r.variables.get('MAKEFILE_LIST')?.texts[0] ?? ''
        r.variables.set('MAKEFILE_LIST', literal(`${list} ${name}`))
        yield* readMakefile(r, found.text)
      }
    }
  }
}

/** Files that a word of `include` names; a pattern only in its last component. */
function* matching(r: Reading, name: string): Asking<readonly string[]> {
  const slash = name.lastIndexOf('/')
  const last = name.slice(slash + 1)
  if (!last.includes('*')) return [join(r.dir, name, r.flavour)]
  const dir = join(r.dir, name.slice(0, slash + 1) || '.', r.flavour)
  const list = yield* ask('list', { dir, limit: MOST_NAMES })
  if (list === 'absent') return []
  if (list === 'unknown' || list.cut) {
    r.unread.push(`makefiles ${name}`)
    return []
  }
  return list.entries.filter((entry) => like(last, entry.name)).map((entry) => join(dir, entry.name, r.flavour))
}
