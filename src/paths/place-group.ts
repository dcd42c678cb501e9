/** Places that begin alike, as one text. */

/**
 * Lines of a path, a tab and its entries, with a newline before and behind each: a text that is searched is there at once.
 * An entry is the number of its row, a slash for a tree, a colon and the pattern of its name; bars stand between entries.
 */
export type PlaceGroup = string

/** The paths of a group and their entries, in the order of the tables. */
export function linesOf(group: PlaceGroup | undefined): Lines {
  if (group === undefined) return []
  let lines = taken.get(group)
  if (lines === undefined) {
    lines = group
      .slice(1, -1)
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)] as const)
    taken.set(group, lines)
  }
  return lines
}

type Lines = readonly (readonly [path: string, entries: string])[]

/** Groups that were taken apart: there are as many as beginnings of places, twice where case does not count. */
const taken = new Map<PlaceGroup, Lines>()

/** A group of entries by path. Throws for what a line cannot hold. */
export function groupOf(entries: ReadonlyMap<string, string>): PlaceGroup {
  let out = '\n'
  for (const [path, list] of entries) {
    if (/[\t\n]/.test(path + list)) throw new Error(`the place ${path} has a sign in its name`)
    out += `${path}\t${list}\n`
  }
  return out
}

/** The entries at a path; undefined where there are none. */
export function entriesAt(group: PlaceGroup, path: string): string | undefined {
  const at = group.indexOf(`\n${path}\t`)
  // A path may hold these signs, but none of the tables does.
  if (at < 0 || path.includes('\n') || path.includes('\t')) return undefined
  return group.slice(at + path.length + 2, group.indexOf('\n', at + 1))
}
