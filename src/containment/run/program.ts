/** Finding the program of an argv the way `execvp` finds it, so that a failure is known before anything is started. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** `refused`: a clause that names the program; `code`: what a shell would give, 126 (not executable) or 127 (not found). */
export interface NoProgram {
  readonly code: 126 | 127
  readonly refused: string
}

type Found = { readonly path: string } | NoProgram

const DEFAULT_PATH = '/bin:/usr/bin'
/** What of a script's first line the kernel reads. */
const SHEBANG_BYTES = 256

/** The file that `name` stands for, seen from `cwd` with this PATH. */
export function findProgram(name: string, cwd: string, path: string | undefined): Found {
  if (name === '') return { code: 127, refused: 'the name of the command is empty' }
  const tried = name.includes('/')
    ? [isAbsolute(name) ? name : join(cwd, name)]
    : (path ?? DEFAULT_PATH).split(delimiter).map((dir) => join(isAbsolute(dir) ? dir : join(cwd, dir), name))
  let barred: NoProgram | undefined
  for (const file of tried) {
    const found = executable(file, name, cwd)
    if (found !== undefined && 'path' in found) return found
    barred ??= found
  }
  return barred ?? { code: 127, refused: `there is no command ${JSON.stringify(name)}` }
}

/** Undefined where there is no such file. */
function executable(file: string, name: string, cwd: string): Found | undefined {
  const shown = JSON.stringify(name)
  try {
    const stat = statSync(file)
    if (stat.isDirectory()) return { code: 126, refused: `${shown} is a directory` }
    accessSync(file, constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EACCES') return { code: 126, refused: `${shown} may not be executed` }
    return { code: 126, refused: `${shown} cannot be executed (${code})` }
  }
  const interpreter = interpreterOf(file)
  if (interpreter !== undefined && !present(isAbsolute(interpreter) ? interpreter : join(cwd, interpreter)))
    return { code: 127, refused: `the interpreter ${JSON.stringify(interpreter)} of ${shown} is absent` }
  return { path: file }
}

/** What a script names behind `#!`; undefined for anything else, or where the file may be executed but not read. */
function interpreterOf(file: string): string | undefined {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const head = Buffer.alloc(SHEBANG_BYTES)
    const text = head.toString('latin1', 0, readSync(fd, head, 0, SHEBANG_BYTES, 0))
    return /^#![ \t]*([^ \t\n\0]+)/.exec(text)?.[1]
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

const present = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined
