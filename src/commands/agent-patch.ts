/**
 * Reads the text of an `apply_patch` call into what happens to which file.
 *
 * Strict, and never more lenient than the host: a patch that cannot be read as a whole is malformed, since what a
 * lenient reader skips the host may still apply.
 */
import type { Action } from '../core/call.ts'

/** More files than this in one patch are not a change that anybody reviews; it keeps the verdict's work bounded. */
export const MOST_FILES = 2_000

const HEADERS = { add: '*** Add File: ', delete: '*** Delete File: ', update: '*** Update File: ' } as const
const MOVE = '*** Move to: '
const END_OF_FILE = '*** End of File'
const ENVIRONMENT = '*** Environment ID: '

type Section = 'start' | 'add' | 'delete' | 'update'

/** The actions of a patch, in order; one `malformed` action where the text is not a whole patch. */
export function patchActions(text: string): readonly Action[] {
  const lines = bodyOf(text)
  if (lines === undefined) return malformed('a patch begins with "*** Begin Patch" and ends with "*** End Patch"')
  const actions: Action[] = []
  let section: Section = 'start'
  let path = ''
  let content: string[] = []
  let removed: string[] = []
  let added: string[] = []
  let fresh = false
  const close = () => {
    if (section === 'add') actions.push({ is: 'write', path, content: content.map((line) => `${line}\n`).join('') })
    if (section === 'update' && removed.length + added.length > 0) {
      const at = actions.findLastIndex((action) => action.is === 'edit' && action.path === path)
      const changes = [{ removed: removed.join('\n'), added: added.join('\n') }]
      if (at >= 0) actions[at] = { is: 'edit', path, changes }
    }
    content = []
    removed = []
    added = []
  }
  for (const [at, line] of lines.entries()) {
    // Inside an update a leading blank marks a line of context, so only there headers stand at the margin.
    const header = headerOf(section === 'update' ? line.trimEnd() : line.trim())
    if (header !== undefined) {
      close()
      if (header.path === '') return malformed(`line ${at + 2} of the patch names no file`)
      if (actions.length >= MOST_FILES) return malformed(`the patch changes more than ${MOST_FILES} files`)
      section = header.section
      path = header.path
      fresh = true
      if (section === 'delete') actions.push({ is: 'delete', path, tree: false })
      if (section === 'update') actions.push({ is: 'edit', path })
      continue
    }
    if (section === 'update' && fresh && line.trimEnd().startsWith(MOVE)) {
      const to = line.trimEnd().slice(MOVE.length).trim()
      if (to === '') return malformed(`line ${at + 2} of the patch names no file`)
      actions.push({ is: 'move', from: path, to })
      fresh = false
      continue
    }
    fresh = false
    if (section === 'add' && line.startsWith('+')) content.push(line.slice(1))
    else if (section === 'update' && isChange(line)) {
      if (line.startsWith('-')) removed.push(line.slice(1))
      if (line.startsWith('+')) added.push(line.slice(1))
    } else if (section === 'start' && at === 0 && line.trim().startsWith(ENVIRONMENT)) continue
    else if (section === 'delete' && line.trim() === '') continue
    else return malformed(`line ${at + 2} of the patch cannot be read`)
  }
  close()
  return actions.length > 0 ? actions : malformed('the patch changes no file')
}

/** The lines between the marks, or undefined where there are none. A here-document around the patch is taken off. */
function bodyOf(text: string): readonly string[] | undefined {
  let lines = text
    .trim()
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (/^<<\s*(?:EOF|'EOF'|"EOF")$/.test(lines[0] ?? '') && lines.at(-1)?.trim() === 'EOF') lines = lines.slice(1, -1)
  if (lines.length < 2 || lines[0]?.trim() !== '*** Begin Patch' || lines.at(-1)?.trim() !== '*** End Patch')
    return undefined
  return lines.slice(1, -1)
}

function headerOf(line: string): { readonly section: keyof typeof HEADERS; readonly path: string } | undefined {
  for (const section of ['add', 'delete', 'update'] as const) {
    const mark = HEADERS[section]
    if (line.startsWith(mark)) return { section, path: line.slice(mark.length).trim() }
    if (line === mark.trimEnd()) return { section, path: '' }
  }
  return undefined
}

const isChange = (line: string): boolean =>
  line === '' || /^[ +-]/.test(line) || line.startsWith('@@') || line.trimEnd() === END_OF_FILE

const malformed = (why: string): readonly Action[] => [{ is: 'malformed', why }]
