/** The world as it is: the file system, the environment and git answer. */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { isSettled } from '../core/native-path.ts'
import { once } from '../core/once.ts'
import type { Answer, Asks, Question, Stat } from '../core/question.ts'
import type { World } from '../core/world.ts'
import { textOfBytes } from './bytes.ts'
import { clock } from './clock.ts'
import { type GitRunner, gitBrings, gitConfig, gitRunner, gitState } from './disk-git.ts'
import { gitSetting } from './disk-git-config.ts'
import { kindOf, list } from './disk-list.ts'
import { linksAmong, textsIn } from './disk-many.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * A world that reads this machine and changes nothing. `env` and `cwd` are the process's own where not given; a
 * relative path in a question starts at `cwd`. Its clock counts milliseconds. No answer throws: what goes wrong is
 * `unknown`.
 */
export function diskWorld(options: { env?: Environment; cwd?: string } = {}): World {
  const env = options.env ?? process.env
  const cwd = options.cwd ?? process.cwd()
  const at = (path: string) => (isSettled(path) ? path : resolve(cwd, path))
  const program = once(() => which('git', env, cwd))
  const runner = once((): GitRunner => gitRunner(env, program()))

  function reply(question: Question, left: number): Answer {
    switch (question.ask) {
      case 'stat':
        return stat(at(question.path))
      case 'list':
        return list(at(question.dir), question.limit)
      case 'text':
        return text(at(question.path), question.limit)
      case 'texts':
        return textsIn({ ...question, dir: at(question.dir) }, left)
      case 'links':
        return linksAmong(question.paths, cwd)
      case 'env': {
        const value = lookup(env, question.name)
        return value === undefined ? 'unset' : { value }
      }
      case 'which': {
        const path = which(question.program, env, cwd)
        return path === undefined ? 'absent' : { path }
      }
      case 'time':
        return 'left'
      case 'gitConfig':
        return (
          gitSetting(program(), env, at(question.repo), question.key) ??
          gitConfig(runner(), at(question.repo), question.key, left)
        )
      case 'git':
        return gitState(runner(), at(question.repo), question.of, left)
      case 'gitBrings':
        return gitBrings(runner(), { ...question, repo: at(question.repo) }, left)
    }
  }

  return {
    now: clock,
    answer(question, left) {
      try {
        return reply(question, left)
      } catch (error) {
        return ABSENT.has(codeOf(error)) && CAN_BE_ABSENT.has(question.ask) ? 'absent' : 'unknown'
      }
    },
  }
}

/** What the system says of a place that is not there, or that cannot be there. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])
const CAN_BE_ABSENT = new Set<Question['ask']>(['stat', 'list', 'text', 'texts', 'which'])

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')

const LOOK = { throwIfNoEntry: false } as const
const EXACT = { bigint: true, throwIfNoEntry: false } as const

function stat(path: string): Asks['stat'][1] {
  const plain = lstatSync(path, LOOK)
  if (plain === undefined) return 'absent'
  // Numbers of files may be larger than a number can say exactly; to ask for them so takes longer.
  const found = Number.isSafeInteger(plain.ino) && Number.isSafeInteger(plain.dev) ? plain : lstatSync(path, EXACT)
  if (found === undefined) return 'absent'
  const kind = kindOf(found)
  const facts: Stat = {
    kind,
    size: Number(found.size),
    mtime: Math.trunc(Number(found.mtimeMs)),
    inode: `${found.dev}:${found.ino}`,
    links: Number(found.nlink),
    mode: Number(found.mode) & 0o7777,
  }
  return kind === 'link' ? { ...facts, target: readlinkSync(path) } : facts
}

/** Opening a device may already do something, so what is no regular file is never opened. */
function text(path: string, limit: number): Asks['text'][1] | 'unknown' {
  let handle: number | undefined
  try {
    // An error is dear, and many files that are asked for are not there.
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return 'absent'
    if (!found.isFile()) return 'unreadable'
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const opened = fstatSync(handle)
    if (!opened.isFile()) return 'unreadable'
    // One byte more than asked, or than there should be, tells whether there is more.
    const size = Math.min(Math.max(opened.size, 0), limit) + 1
    const bytes = new Uint8Array(size)
    let read = 0
    while (read < size) {
      const n = readSync(handle, bytes, read, size - read, null)
      if (n === 0) break
      read += n
    }
    return textOfBytes(bytes.subarray(0, read), limit)
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return 'absent'
    return codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM' ? 'unreadable' : 'unknown'
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function lookup(env: Environment, name: string): string | undefined {
  if (process.platform !== 'win32') return Object.hasOwn(env, name) ? env[name] : undefined
  const wanted = name.toUpperCase()
  const found = Object.keys(env).find((key) => key.toUpperCase() === wanted)
  return found === undefined ? undefined : env[found]
}

/** The file that a program's name stands for along PATH, or undefined. */
function which(program: string, env: Environment, cwd: string): string | undefined {
  const endings =
    process.platform === 'win32' ? ['', ...(lookup(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';')] : ['']
  const named = program.includes('/') || (process.platform === 'win32' && program.includes('\\'))
  // An empty entry of PATH is the working directory.
  const dirs = named ? [cwd] : (lookup(env, 'PATH') ?? '').split(delimiter).map((dir) => resolve(cwd, dir))
  if (program === '') return undefined
  for (const dir of dirs) {
    for (const ending of endings) {
      const path = isAbsolute(program) ? program + ending : join(dir, program + ending)
      if (isProgram(path)) return path
    }
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
