/** Adding, removing, updating packages: manifests and lock files change beside the call, life-cycle scripts run. */
import { type Asking, ask } from '../../core/question.ts'
import { type Arg, showValue, textOf } from '../../core/value.ts'
import { join } from '../../paths/lexical.ts'
import type { Doing } from '../doing.ts'
import { cutArg } from '../options.ts'
import { cycle, fileOf, type Manager, projectOf, type Selection, selected, unreadScript } from './js.ts'
import { type Project, packagesOf, rootOf } from './project.ts'
import { readSpec } from './vetted.ts'

const LOCKS: Readonly<Record<Manager['tool'], string>> = {
  npm: 'package-lock.json',
  pnpm: 'pnpm-lock.yaml',
  yarn: 'yarn.lock',
  bun: 'bun.lock',
}

/** Older projects of bun have a lock file that is no text. */
function* lockName(m: Manager, dir: string | undefined): Asking<string> {
  if (m.tool !== 'bun' || dir === undefined) return LOCKS[m.tool]
  const old = yield* ask('stat', { path: join(dir, 'bun.lockb', m.flavour) })
  return old === 'absent' || old === 'unknown' ? LOCKS.bun : 'bun.lockb'
}

const edit = (at: Arg, note: string): Doing => ({ do: 'path', act: 'edit', at, note })

/** The lock file changes (`lock`) or may (`lock-maybe`); with `manifests`, so do those of the packages that are meant. */
export function* lockEdits(
  m: Manager,
  note: 'lock' | 'lock-maybe',
  how: { readonly manifests: boolean; readonly lock: boolean; readonly selection?: Selection | undefined },
): Asking<readonly Doing[]> {
  const project = yield* projectOf(m)
  const known = typeof project === 'object' ? project : undefined
  const root = known === undefined ? undefined : yield* rootOf(known, m.flavour)
  const lockDir = root?.dir ?? m.dir
  const out: Doing[] = []
  if (how.lock) out.push(edit(fileOf(m, lockDir, yield* lockName(m, lockDir)), note))
  if (!how.manifests) return out
  const chosen = how.selection === undefined ? undefined : yield* selected(m, how.selection)
  const dirs: readonly (string | undefined)[] =
    chosen === undefined || typeof chosen === 'string' ? [known?.dir ?? m.dir] : chosen.map(({ dir }) => dir)
  return [...out, ...dirs.map((dir) => edit(fileOf(m, dir, 'package.json'), note))]
}

/** Packages by name, address or path. */
export function packagesAdded(m: Manager, specs: readonly Arg[], everywhere: boolean): readonly Doing[] {
  return specs.flatMap((arg): Doing[] => {
    const text = textOf(arg.value)
    const spec = text === undefined ? undefined : readSpec(text)
    if (spec?.is === 'local')
      return [
        {
          do: 'path',
          act: 'read',
          at: cutArg(arg, /^(?:file|link|portal|workspace):(?:\/\/)?/.exec(text!)?.[0].length ?? 0),
          tree: true,
        },
      ]
    return [
      {
        do: 'other',
        act: 'install',
        service: m.tool,
        what: spec?.name ?? showValue(arg.value),
        ...(everywhere ? { local: true } : {}),
        ...(spec?.is === 'address' ? { note: 'remote' } : {}),
      },
    ]
  })
}

/** Programs of the user that are taken away: a guard among them ends with it. */
export const removed = (service: string, words: readonly Arg[]): readonly Doing[] =>
  words.map((arg) => ({ do: 'other', act: 'kill', service, what: showValue(arg.value) }))

/** Scripts of the project itself that an install runs, those of its workspaces included. */
export function* lifecycle(m: Manager, names: string): Asking<readonly Doing[]> {
  if (m.parsed.flags.has('--ignore-scripts')) return []
  const project = yield* projectOf(m)
  if (project === 'absent') return []
  if (project === 'unknown') return [unreadScript(m, 'the install scripts of package.json')]
  const root = yield* rootOf(project, m.flavour)
  const members = yield* packagesOf(root, m.flavour)
  if (members === 'unknown') return [...cycle(m, root, names), unreadScript(m, 'the install scripts of the workspaces')]
  return [root, ...members].flatMap((one: Project) => cycle(m, one, names))
}

/** The scripts that packing or publishing runs. */
export function* publishScripts(m: Manager, names: string): Asking<readonly Doing[]> {
  const project = yield* projectOf(m)
  if (project === 'unknown') return [unreadScript(m, 'the publish scripts of package.json')]
  return project === 'absent' ? [] : cycle(m, project, names)
}

/** A package becomes public. */
export function* publish(m: Manager, folder: Arg | undefined, dry: boolean, scripts: string): Asking<readonly Doing[]> {
  const project = yield* projectOf(m)
  const name = typeof project === 'object' ? project.name : undefined
  const what = folder === undefined ? (name ?? 'the package') : showValue(folder.value)
  const before = yield* publishScripts(m, scripts)
  return dry ? before : [...before, { do: 'other', act: 'publish', service: m.tool, what, note: 'release' }]
}
