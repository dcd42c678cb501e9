/**
 * How the tables of places are written.
 *
 * A place is `~/x` (home), `$config/x`, `$state/x`, `$data/x`, `$cache/x` (XDG directories), `./x` (a workspace or
 * repository root), `.../x` (anywhere), or absolute (`/x`, `C:/x`). A trailing slash takes in everything below. The last
 * component may hold `*`.
 */
export interface PlaceRow {
  readonly at: readonly string[]
  readonly why: string
  /** Within a place with a trailing slash: `x/` a subtree, `*.pub` names, that are left out. */
  readonly except?: readonly string[]
}

/** A file name that says what the file is, wherever it lies. `*` stands for any run of characters. */
export interface NameRow {
  readonly names: readonly string[]
  readonly why: string
  /** Names that one of `names` fits and that are meant otherwise. */
  readonly except?: readonly string[]
}

/** A written place as its beginning, the plain path behind it, and the pattern of its last component. */
export function splitPlace(written: string): { start: string; rest: string; name: string | undefined; tree: boolean } {
  const from = written.indexOf('/') + 1
  const tree = written.endsWith('/')
  let rest = written.slice(from, tree ? -1 : undefined)
  let name: string | undefined
  if (rest.includes('*')) {
    const slash = rest.lastIndexOf('/')
    name = rest.slice(slash + 1)
    rest = rest.slice(0, Math.max(slash, 0))
  }
  return { start: written.slice(0, from), rest, name, tree }
}
