/** task (go-task): tasks of a `Taskfile.yml` with what they depend on. */
import type { Asking } from '../../core/question.ts'
import { type Arg, exact, textOf } from '../../core/value.ts'
import { absolute, dirname, type Flavour, flavourOf, join } from '../../paths/lexical.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { dirOf, flagged, joinTexts, last, unreadScript, word } from './js.ts'
import { fileText } from './project.ts'
import { readYaml, type Yaml } from './yaml.ts'

/** Directories looked at upward for a task file. */
const MOST_LEVELS = 16
/** Tasks of one call. */
const MOST_TASKS = 200
const MOST_DEPTH = 24

const TASK = specify(
  '-d|--dir: -t|--taskfile: -n|--dry -l|--list -a|--list-all -i|--init -f|--force -p|--parallel -s|--silent -v|--verbose -w|--watch -y|--yes -o|--output: -c|--color -C|--concurrency: -I|--interval: -x|--exit-code -g|--global --summary --status -j|--json --sort: -h|--help --version',
)

const NAMES = [
  'Taskfile.yml',
  'taskfile.yml',
  'Taskfile.yaml',
  'taskfile.yaml',
  'Taskfile.dist.yml',
  'Taskfile.dist.yaml',
]

type Fields = { readonly [key: string]: Yaml }

const fieldsOf = (value: Yaml | undefined): Fields =>
  typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: Yaml | undefined): readonly Yaml[] =>
  Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value]
const textIn = (value: Yaml | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

export const task: Reader = function* (call): Asking<readonly Doing[]> {
  const dashes = call.args.findIndex((arg) => textOf(arg.value) === '--')
  const own = dashes < 0 ? call.args : call.args.slice(0, dashes)
  const more = dashes < 0 ? [] : call.args.slice(dashes + 1)
  const parsed = parseArgs(TASK, own)
  if (flagged(parsed, '-n', '-l', '-a', '-i', '--summary', '--status', '-h', '--version')) return []
  const flavour = flavourOf(call.platform)
  const dir = dirOf(call, last(parsed, '-d'))
  const named = last(parsed, '-t')
  const found = yield* taskFile(dir, named === undefined ? undefined : dirOf({ ...call, cwd: dir }, named), flavour)
  if (found === 'absent') return []
  const place = { call, dir }
  const file = found === 'unknown' ? undefined : fieldsOf(readYaml(found.text))
  if (found === 'unknown' || file === undefined) return [unreadScript(place, 'a task of a task file')]
  const tasks = fieldsOf(file['tasks'])
  const root = dirname(found.path, flavour)
  const vars = new Map<string, string>()
  collect(vars, file['vars'])
  const goals: string[] = []
  for (const arg of parsed.operands) {
    const text = textOf(arg.value)
    if (text === undefined) return [unreadScript(place, 'a task whose name is unknown')]
    const pair = /^([A-Za-z_]\w*)=(.*)$/s.exec(text)
    if (pair) vars.set(pair[1]!, pair[2]!)
    else goals.push(text)
  }
  const work: Work = { call, tasks, vars, root, flavour, more, out: [], done: new Set() }
  for (const goal of goals.length > 0 ? goals : ['default']) build(work, goal, new Map(), 0)
  return work.out
}

function* taskFile(
  dir: string | undefined,
  named: string | undefined,
  flavour: Flavour,
): Asking<{ readonly path: string; readonly text: string } | 'absent' | 'unknown'> {
  if (named !== undefined) {
    const found = yield* fileText(named)
    return typeof found === 'object' ? { path: named, text: found.text } : found === 'unknown' ? found : 'absent'
  }
  if (dir === undefined) return 'unknown'
  let at = dir
  for (let level = 0; level < MOST_LEVELS; level++) {
    for (const name of NAMES) {
      const path = join(at, name, flavour)
      const found = yield* fileText(path)
      if (found === 'unknown') return 'unknown'
      if (found === 'unreadable') return 'absent'
      if (found !== 'absent') return { path, text: found.text }
    }
    const parent = dirname(at, flavour)
    if (parent === at) return 'absent'
    at = parent
  }
  return 'unknown'
}

function collect(into: Map<string, string>, vars: Yaml | undefined): void {
  for (const [name, value] of Object.entries(fieldsOf(vars))) {
    const shell = textIn(fieldsOf(value)['sh'])
    if (shell !== undefined) into.set(name, `$(${shell})`)
    else if (typeof value === 'string') into.set(name, value)
  }
}

interface Work {
  readonly call: Invocation
  readonly tasks: Fields
  readonly vars: ReadonlyMap<string, string>
  readonly root: string
  readonly flavour: Flavour
  /** Words behind `--`: `{{.CLI_ARGS}}`. */
  readonly more: readonly Arg[]
  readonly out: Doing[]
  readonly done: Set<string>
}

function build(work: Work, name: string, given: ReadonlyMap<string, string>, depth: number): void {
  const key = JSON.stringify([name, [...given]])
  if (work.done.has(key) || depth > MOST_DEPTH || work.done.size > MOST_TASKS) return
  work.done.add(key)
  const entry = Object.entries(work.tasks).find(
    ([one, value]) => one === name || listOf(fieldsOf(value)['aliases']).includes(name),
  )
  if (entry === undefined) {
    // Tasks of included files have a namespace.
    if (name.includes(':')) work.out.push(unreadScript({ call: work.call, dir: work.root }, `task ${name}`))
    return
  }
  const body = entry[1]
  const fields = fieldsOf(body)
  const vars = new Map([...work.vars])
  collect(vars, fields['vars'])
  for (const [one, text] of given) vars.set(one, text)
  const dir = textIn(fields['dir'])
  const at = dir === undefined ? work.root : absolute(work.root, dir, work.flavour)
  const steps = [
    ...listOf(fields['deps']).map((need): Yaml => (typeof need === 'string' ? { task: need } : need)),
    ...listOf(fields['preconditions']).map(
      (test): Yaml => (typeof test === 'string' ? test : (fieldsOf(test)['sh'] ?? '')),
    ),
    ...listOf(fields['status']),
    ...listOf(fields['cmds'] ?? fields['cmd'] ?? (typeof body === 'string' || Array.isArray(body) ? body : undefined)),
  ]
  for (const step of steps) {
    const inner = fieldsOf(step)
    const other = textIn(inner['task'])
    if (other !== undefined) {
      const passed = new Map<string, string>()
      collect(passed, inner['vars'])
      build(work, other.replace(/^:/, ''), passed, depth + 1)
      continue
    }
    const text = textIn(step) ?? textIn(inner['cmd']) ?? textIn(inner['defer'])
    if (text !== undefined && text !== '') work.out.push(command(work, name, text, vars, at))
  }
}

function command(work: Work, name: string, text: string, vars: ReadonlyMap<string, string>, dir: string): Doing {
  const open: Arg[] = []
  const hole = (value: Arg): string => {
    open.push(value)
    return `\${${open.length}}`
  }
  const filled = text.replace(/\{\{-?\s*(.*?)\s*-?\}\}/gs, (_, expression: string) => {
    const simple = /^\.(\w+)$/.exec(expression)?.[1]
    if (simple === 'CLI_ARGS')
      return work.more.every((arg) => textOf(arg.value) !== undefined)
        ? textOf(joinTexts(work.more))!
        : hole({ ...word(work.call, ''), value: joinTexts(work.more) })
    if (simple === 'TASK') return name
    if (simple === 'ROOT_DIR' || simple === 'TASKFILE_DIR') return work.root
    if (simple === 'USER_WORKING_DIR') return work.call.cwd ?? work.root
    const value = simple === undefined ? undefined : vars.get(simple)
    if (value !== undefined && !value.includes('{{')) return value
    // A variable that nothing sets comes from the environment.
    if (simple !== undefined && value === undefined) return `\${${simple}}`
    return hole({ ...word(work.call, ''), value: { is: 'unknown', why: 'variable' } })
  })
  return {
    do: 'code',
    language: 'sh',
    text: exact(filled),
    label: `Taskfile:${name}`,
    ...(open.length > 0 ? { args: open } : {}),
    ...(dir === work.call.cwd ? {} : { cwd: word(work.call, dir) }),
  }
}
