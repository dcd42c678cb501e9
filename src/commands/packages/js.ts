/** What the JavaScript package managers share: a call after its own options, scripts, paths, settings. */
import type { Asking } from '../../core/question.ts'
import { type Arg, concat, exact, textOf, unknown, type Value } from '../../core/value.ts'
import { absolute, type Flavour, flavourOf, join } from '../../paths/lexical.ts'
import type { Doing, Invocation } from '../doing.ts'
import { type Parsed, parseArgs, type Specification } from '../options.ts'
import { like, type Project, packagesOf, projectAt, rootOf } from './project.ts'

/** A call of a package manager: `dir` is where it works, undefined where that is not known. */
export interface Manager {
  readonly call: Invocation
  readonly tool: 'npm' | 'pnpm' | 'yarn' | 'bun'
  readonly dir: string | undefined
  readonly flavour: Flavour
  readonly parsed: Parsed
}

/** The directory of a call: `option`'s value where given, seen from the working directory. */
export function dirOf(call: Invocation, given: Arg | undefined): string | undefined {
  const flavour = flavourOf(call.platform)
  if (given === undefined) return call.cwd
  const text = textOf(given.value)
  if (text === undefined || text === '') return text === '' ? call.cwd : undefined
  return call.cwd === undefined ? (text.startsWith('/') ? text : undefined) : absolute(call.cwd, text, flavour)
}

export const managerOf = (
  call: Invocation,
  tool: Manager['tool'],
  parsed: Parsed,
  given: Arg | undefined,
): Manager => ({ call, tool, parsed, dir: dirOf(call, given), flavour: flavourOf(call.platform) })

export const word = (call: Invocation, text: string): Arg => ({
  value: exact(text),
  span: call.command.span,
  provenance: 'constant',
})

export const last = (parsed: Parsed, option: string): Arg | undefined => parsed.values.get(option)?.at(-1)

export const flagged = (parsed: Parsed, ...flags: readonly string[]): boolean =>
  flags.some((flag) => parsed.flags.has(flag) && textOf(last(parsed, flag)?.value) !== 'false')

/**
 * Something runs, and nobody can say what: the manifest could not be had, or the name of the script. Where even the
 * directory is not known it is a script of unknown name, which is nothing of ours inside a container.
 */
export const unreadScript = (m: Pick<Manager, 'dir' | 'call'>, what: string): Doing =>
  m.dir === undefined
    ? { do: 'script', path: { ...m.call.command, value: unknown('variable') }, args: [] }
    : { do: 'opaque', what, note: 'unknown-script' }

/** Characters that a shell takes as they are. */
const PLAIN = /^[\w@%+=:,./-]+$/

/** A script with arguments behind it, quoted as the package managers do; what is not known comes in as `$1`, `$2` … */
export function withArgs(text: string, args: readonly Arg[]): Pick<Extract<Doing, { do: 'code' }>, 'text' | 'args'> {
  const open: Arg[] = []
  const words = args.map((arg): string => {
    const known = textOf(arg.value)
    if (known !== undefined) return PLAIN.test(known) ? known : `'${known.replaceAll("'", "'\\''")}'`
    open.push(arg)
    return `"$${open.length > 9 ? `{${open.length}}` : open.length}"`
  })
  return { text: exact([text, ...words].join(' ')), ...(open.length > 0 ? { args: open } : {}) }
}

/** One script of a project as shell code. */
export function scriptCode(m: Manager, project: Project, name: string, args: readonly Arg[] = []): readonly Doing[] {
  const text = project.scripts.get(name)
  if (text === undefined) return []
  const cwd = project.dir === m.call.cwd ? {} : { cwd: word(m.call, project.dir) }
  const label = `package.json scripts.${name}`
  const code = withArgs(text, args)
  const shell = last(m.parsed, '--script-shell')
  if (shell === undefined) return [{ do: 'code', language: 'sh', ...code, label, ...cwd }]
  const argv = [shell, word(m.call, '-c'), { ...word(m.call, ''), value: code.text }, word(m.call, name)]
  return [{ do: 'run', argv: [...argv, ...(code.args ?? [])], ...cwd }]
}

/** Whether the manager runs `preX` and `postX` around a person's own script X: yarn stopped with version 2. */
const wraps = (m: Manager, project: Project): boolean => {
  if (flagged(m.parsed, '--ignore-scripts')) return false
  return m.tool !== 'yarn' || !/^yarn@(?:[2-9]|\d\d|berry|stable)/.test(project.manager ?? '')
}

/** A script with what runs before and after it. */
export const wholeScript = (m: Manager, project: Project, name: string, args: readonly Arg[]): readonly Doing[] => {
  if (!project.scripts.has(name)) return []
  const around = wraps(m, project)
  return [
    ...(around ? scriptCode(m, project, `pre${name}`) : []),
    ...scriptCode(m, project, name, args),
    ...(around ? scriptCode(m, project, `post${name}`) : []),
  ]
}

/** Several scripts of one project in order, as in a life cycle. */
export const cycle = (m: Manager, project: Project, names: string): readonly Doing[] =>
  flagged(m.parsed, '--ignore-scripts') ? [] : names.split(' ').flatMap((name) => scriptCode(m, project, name))

/** The project of the call. */
export function* projectOf(m: Manager): Asking<Project | 'absent' | 'unknown'> {
  return m.dir === undefined ? 'unknown' : yield* projectAt(m.dir, m.flavour)
}

/** Which packages of a workspace are meant: by name, directory or pattern; undefined: all of them. */
export interface Selection {
  readonly names: readonly Value[] | undefined
  /** The project at the root counts, too. */
  readonly root: boolean
}

/** The packages that a selection names, from the workspace around the call. */
export function* selected(m: Manager, selection: Selection): Asking<readonly Project[] | 'absent' | 'unknown'> {
  const project = yield* projectOf(m)
  if (typeof project === 'string') return project
  const root = yield* rootOf(project, m.flavour)
  const members = yield* packagesOf(root, m.flavour)
  if (members === 'unknown') return 'unknown'
  // Where there is no workspace the project itself is all there is.
  const all = selection.root || members.length === 0 ? [root, ...members] : members
  const names = selection.names
  if (names === undefined) return all
  const texts = names.map(textOf)
  if (texts.includes(undefined)) return 'unknown'
  const chosen = all.filter((member) => (texts as readonly string[]).some((text) => names_(text, member, m, root)))
  return chosen
}

/** `api`, `@acme/api`, `./packages/api`, `packages/api`, `@acme/*`; `api...` and `...api` are taken for all. */
function names_(text: string, member: Project, m: Manager, root: Project): boolean {
  if (/\.\.\.|[[\]{}^!]/.test(text)) return true
  const bare = text.replace(/\/+$/, '')
  if (member.name !== undefined && (like(bare, member.name) || like(`@*/${bare}`, member.name))) return true
  return [m.dir, root.dir].some((base) => {
    if (base === undefined) return false
    const at = join(base, bare.replace(/^\.\//, ''), m.flavour)
    return like(at.replace('/**', '/*'), member.dir) || member.dir.startsWith(`${at}/`)
  })
}

/** Runs a script in each of the selected packages, or in the nearest one. */
export function* runScript(
  m: Manager,
  name: Arg,
  args: readonly Arg[],
  selection: Selection | undefined,
): Asking<readonly Doing[]> {
  const text = textOf(name.value)
  if (text === undefined) return [unreadScript(m, 'a script of package.json whose name is unknown')]
  const projects = selection === undefined ? yield* projectOf(m) : yield* selected(m, selection)
  if (projects === 'absent') return []
  if (projects === 'unknown') return [unreadScript(m, `script ${text} of package.json`)]
  const list: readonly Project[] = Array.isArray(projects) ? projects : [projects as Project]
  return list.flatMap((project) => wholeScript(m, project, text, args))
}

/** An act on a file of a project: relative where the directory is not known. */
export const fileOf = (m: Manager, dir: string | undefined, name: string): Arg =>
  word(m.call, dir === undefined || dir === m.call.cwd ? name : join(dir, name, m.flavour))

export const joinTexts = (args: readonly Arg[]): Value =>
  args.reduce<Value>((all, arg, i) => (i === 0 ? arg.value : concat(concat(all, exact(' ')), arg.value)), exact(''))

/** A call split at its verb: options before and behind it count alike.. */
export interface Split {
  readonly verb: string | undefined
  readonly parsed: Parsed
  readonly words: readonly Arg[]
}

/** Reads options up to the verb and behind it; with `stops`, only up to the first word behind those verbs. */
export function splitCall(spec: Specification, args: readonly Arg[], stops: (verb: string) => boolean): Split {
  const head = parseArgs(spec, args, { stop: true })
  const [first, ...rest] = head.operands
  const verb = first === undefined ? undefined : (textOf(first.value) ?? '')
  const tail = parseArgs(spec, rest, verb !== undefined && stops(verb) ? { stop: true } : {})
  const values = new Map(head.values)
  for (const [name, more] of tail.values) values.set(name, [...(values.get(name) ?? []), ...more])
  return {
    verb,
    words: tail.operands,
    parsed: { ...tail, values, flags: new Set([...head.flags, ...tail.flags]), unsure: head.unsure || tail.unsure },
  }
}

/** A script of the project by its name, or else a program that is installed. */
export function* scriptOrProgram(
  m: Manager,
  words: readonly Arg[],
  selection: Selection | undefined,
): Asking<readonly Doing[]> {
  const [name, ...args] = words
  if (name === undefined) return []
  const text = textOf(name.value)
  const chosen = selection === undefined ? yield* projectOf(m) : yield* selected(m, selection)
  if (chosen === 'unknown' || text === undefined) return [unreadScript(m, `script ${text ?? '?'} of package.json`)]
  const projects: readonly Project[] = chosen === 'absent' ? [] : Array.isArray(chosen) ? chosen : [chosen as Project]
  if (projects.some((project) => project.scripts.has(text)))
    return projects.flatMap((project) => wholeScript(m, project, text, args))
  return m.parsed.flags.has('--if-present') ? [] : yield* inEach(m, words, selection)
}

/** Runs a program in the directory of the call, or in that of each selected package. */
export function* inEach(m: Manager, argv: readonly Arg[], selection: Selection | undefined): Asking<readonly Doing[]> {
  if (argv.length === 0) return []
  if (selection === undefined)
    return [{ do: 'run', argv, ...(m.dir === undefined || m.dir === m.call.cwd ? {} : { cwd: word(m.call, m.dir) }) }]
  const chosen = yield* selected(m, selection)
  if (chosen === 'absent') return []
  if (chosen === 'unknown') return [unreadScript(m, 'a program in workspaces that could not be listed')]
  return chosen.map(({ dir }): Doing => ({ do: 'run', argv, cwd: word(m.call, dir) }))
}
