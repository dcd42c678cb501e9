/** `npx` and its kin: a program of the project runs, one that is fetched for the call is code from elsewhere. */
import { type Asking, ask } from '../../core/question.ts'
import { type Arg, prefixOf, showValue, textOf } from '../../core/value.ts'
import { dirname, join } from '../../paths/lexical.ts'
import type { Doing } from '../doing.ts'
import { type Manager, projectOf, word } from './js.ts'
import type { Project } from './project.ts'
import { VETTED } from './tools.ts'
import { lastPart, programOf, readSpec } from './vetted.ts'

/** Directories above the working directory whose `node_modules/.bin` is looked into. */
const MOST_LEVELS = 16

/** Something that is fetched and run. A package of the registry is less than an address: someone can look it up. */
export const fetched = (m: Manager, what: string, address: boolean): Doing => ({
  do: 'other',
  act: 'run-remote',
  service: m.tool,
  what,
  ...(address ? {} : { note: 'package' }),
})

/** Packages given by `-p`: each that is neither known nor a dependency is code from elsewhere. */
export function* packagesFor(m: Manager, packages: readonly Arg[]): Asking<readonly Doing[]> {
  const out: Doing[] = []
  const project = packages.length === 0 ? 'absent' : yield* projectOf(m)
  for (const arg of packages) {
    const text = textOf(arg.value)
    const spec = text === undefined ? undefined : readSpec(text)
    if (spec?.is === 'local') continue
    if (spec === undefined || spec.is === 'address') out.push(fetched(m, showValue(arg.value), spec !== undefined))
    else if (!vetted(project, spec.name)) out.push(fetched(m, spec.name, false))
  }
  return out
}

const vetted = (project: Project | 'absent' | 'unknown', name: string): boolean =>
  programOf(name, VETTED) !== undefined || (typeof project === 'object' && project.dependencies.has(name))

/**
 * Runs a program by name. `packages` are those that were asked for beside it; `fetches` is false where only what is
 * installed may run (`pnpm exec`, `npx --no-install`).
 */
export function* execute(
  m: Manager,
  argv: readonly Arg[],
  how: { readonly packages: readonly Arg[]; readonly fetches: boolean },
): Asking<readonly Doing[]> {
  const [name, ...args] = argv
  if (name === undefined) return yield* packagesFor(m, how.packages)
  const cwd = m.dir === undefined || m.dir === m.call.cwd ? {} : { cwd: word(m.call, m.dir) }
  const text = textOf(name.value)
  if (text === undefined) {
    const scoped = /^@?[\w./-]+@/.test(prefixOf(name.value))
    return scoped
      ? yield* execute(m, [word(m.call, prefixOf(name.value).replace(/@[^@]*$/, '')), ...args], how)
      : [{ do: 'run', argv, ...cwd }]
  }
  if (how.packages.length > 0) return [...(yield* packagesFor(m, how.packages)), { do: 'run', argv, ...cwd }]
  const spec = readSpec(text)
  if (spec.is === 'local' || !how.fetches) return [{ do: 'run', argv, ...cwd }]
  if (spec.is === 'address') return [fetched(m, text, true)]
  const known = programOf(spec.name, VETTED)
  const project = yield* projectOf(m)
  const own = typeof project === 'object' && project.dependencies.has(spec.name)
  if (known === undefined && !own && !(yield* installed(m, spec.name))) return [fetched(m, spec.name, false)]
  const program = word(m.call, known ?? lastPart(spec.name))
  return [{ do: 'run', argv: [text === textOf(program.value) ? name : program, ...args], ...cwd }]
}

/** Whether a program lies in `node_modules/.bin` here or above. */
export function* installed(m: Manager, name: string): Asking<boolean> {
  if (m.dir === undefined || name.includes('/')) return false
  let dir = m.dir
  for (let level = 0; level < MOST_LEVELS; level++) {
    const found = yield* ask('stat', { path: join(dir, `node_modules/.bin/${name}`, m.flavour) })
    if (found !== 'absent') return found !== 'unknown'
    const parent = dirname(dir, m.flavour)
    if (parent === dir) return false
    dir = parent
  }
  return false
}

/** `npm init X`, `yarn create X`: the package `create-X`. */
export function starterOf(text: string): string {
  const match = /^(@[^/@]+)(?:\/([^@]+))?(@.*)?$/.exec(text)
  if (match) return `${match[1]}/create${match[2] === undefined ? '' : `-${match[2]}`}${match[3] ?? ''}`
  return /^(?:git|https?:|github:)|\//.test(text) ? text : `create-${text.replace(/^create-/, '')}`
}
