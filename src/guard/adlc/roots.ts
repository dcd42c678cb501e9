/** Places outside repositories that the published guard protects: the agent host's own, the plugin's, toolchains. */
import type { Adlc } from '../../adlc/adlc.ts'
import type { Asking } from '../../core/question.ts'
import { isAbsolute, keyOfPath, normalise, type PathSense, plainInside, plainPath } from '../../paths/lexical.ts'
import { resolvePath } from '../../paths/resolve.ts'
import { PUBLISHED_DATA_ROOTS, PUBLISHED_ROOTS } from '../../paths/tables/trust-root.ts'

/** Plain paths (`plainPath`), for the home directory by name and physically. */
export interface Roots {
  /** Where the home directory really lies could not be found out. */
  readonly unsure: boolean
  /** Data of the published guard: nobody reads or changes it. */
  readonly data: readonly string[]
  /** The agent host's own and the plugin's: nothing there is changed, and no program of there is run by hand. */
  readonly platform: readonly string[]
  /** Where toolchains live: used by everyone, changed by nobody. */
  readonly toolchains: readonly string[]
}

const PLATFORM = /^~\/(?:\.gemini|\.config\/antigravity-booster|\.local\/bin\/agb)\/?$/

export function* rootsOf(adlc: Adlc): Asking<Roots> {
  const { sense } = adlc
  const real = yield* resolvePath(adlc.home, { follow: true, budget: adlc.paths })
  const homes = [...new Set([adlc.home, ...(real.is === 'path' ? [real.target] : [])])]
  return { unsure: real.is !== 'path', ...rootsAt(homes, sense) }
}

type RootPaths = Omit<Roots, 'unsure'>
let known: { readonly key: string; readonly roots: RootPaths } | undefined

/** The roots of a person's home directories: the same all through a process, nearly always. */
function rootsAt(homes: readonly string[], sense: PathSense): RootPaths {
  const key = `${sense.flavour} ${sense.foldsCase} ${homes.join('\0')}`
  if (known?.key === key) return known.roots
  const at = (texts: readonly string[]): readonly string[] => [
    ...new Set(texts.flatMap((text) => homes.map((home) => plainPath(text.replace(/^~(?=\/)/, home), sense)))),
  ]
  const roots = {
    data: at(PUBLISHED_DATA_ROOTS),
    platform: at(PUBLISHED_ROOTS.filter((root) => PLATFORM.test(root))),
    toolchains: at(PUBLISHED_ROOTS.filter((root) => !PLATFORM.test(root))),
  }
  known = { key, roots }
  return roots
}

export interface Spelled {
  /** As named, as the entry that it is, and what it leads to: absolute, each once. */
  readonly spellings: readonly string[]
  readonly unresolved: boolean
  readonly exists: boolean
  readonly kind: 'file' | 'dir' | 'link' | 'device' | undefined
}

/** Every absolute path that one absolute path stands for. */
export function* spell(path: string, adlc: Adlc): Asking<Spelled> {
  const { sense } = adlc
  if (!isAbsolute(path, sense.flavour)) return { spellings: [], unresolved: true, exists: false, kind: undefined }
  const place = yield* resolvePath(path, { follow: true, budget: adlc.paths })
  const named = normalise(path, sense.flavour)
  if (place.is !== 'path') return { spellings: [named], unresolved: true, exists: false, kind: undefined }
  const all = new Map([named, place.entry, place.target].map((one) => [keyOfPath(one, sense), one]))
  return { spellings: [...all.values()], unresolved: false, exists: place.exists, kind: place.kind }
}

const KINDS = ['data', 'platform', 'toolchains'] as const
export type RootKind = 'data' | 'platform' | 'toolchains'

/** The protected root that one of these paths is or lies in. */
export function rootHit(
  spellings: readonly string[],
  roots: Roots,
  sense: PathSense,
): { readonly kind: RootKind; readonly root: string } | undefined {
  const plain = spellings.map((path) => plainPath(path, sense))
  for (const kind of KINDS) {
    for (const root of roots[kind])
      for (const path of plain) if (plainInside(path, root)) return { kind, root: `/${root}` }
  }
  return undefined
}

/** The protected root that lies in one of these paths. */
export function rootBelow(spellings: readonly string[], roots: Roots, sense: PathSense): string | undefined {
  const plain = spellings.map((path) => plainPath(path, sense))
  const all = [...roots.data, ...roots.platform, ...roots.toolchains]
  const root = all.find((one) => plain.some((path) => path !== one && plainInside(one, path)))
  return root === undefined ? undefined : `/${root}`
}
