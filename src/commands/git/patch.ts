/** Files that a patch would change, read off its headers. */
export interface Patched {
  readonly path: string
  readonly act: 'edit' | 'delete' | 'create'
}

/** How many files of one patch are looked at; a larger one counts as unreadable. */
export const MOST_PATCHED = 2_000

const unquote = (text: string): string =>
  text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text.replace(/\t.*$/, '').trimEnd()

const strip = (path: string, levels: number): string => path.split('/').slice(levels).join('/')

/**
 * The files of a unified diff: what it edits, makes, deletes and renames, names without their first `levels`
 * components. Undefined where nothing in the text reads as a diff, or there are too many.
 */
export function patchedFiles(text: string, levels: number, reverse: boolean): readonly Patched[] | undefined {
  const found = new Map<string, Patched['act']>()
  const put = (name: string, act: Patched['act']): void => {
    const path = strip(unquote(name), levels)
    if (path !== '') found.set(path, act)
  }
  let old: string | undefined
  for (const line of text.split('\n')) {
    const rename = /^(rename|copy) (from|to) (.+)$/.exec(line)
    if (rename) {
      // These lines carry no prefix to strip.
      const path = unquote(rename[3]!)
      if (rename[2] === 'to') found.set(path, reverse ? 'delete' : 'create')
      else if (rename[1] === 'rename') found.set(path, reverse ? 'create' : 'delete')
      continue
    }
    const git = /^diff --git "?a\/(.+?)"? "?b\/(.+?)"?$/.exec(line)
    if (git && git[1] === git[2]) put(`a/${git[1]}`, 'edit')
    if (line.startsWith('--- ')) old = line.slice(4)
    else if (line.startsWith('+++ ') && old !== undefined) {
      const next = line.slice(4)
      const made = unquote(old) === '/dev/null'
      const gone = unquote(next) === '/dev/null'
      put(gone ? old : next, gone ? (reverse ? 'create' : 'delete') : made ? (reverse ? 'delete' : 'create') : 'edit')
      old = undefined
    }
    if (found.size > MOST_PATCHED) return undefined
  }
  return found.size === 0 ? undefined : [...found].map(([path, act]) => ({ path, act }))
}
