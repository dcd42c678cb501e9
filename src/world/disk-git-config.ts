/**
 * One key of git's configuration, read from the files as git would: starting git costs more than all the rest of a
 * verdict. Only the plain case is read here (files of a usual form, a repository of one's own, Debian's or another usual
 * build of git); in any other `undefined` says that git itself must be asked. The order of the files is that of
 * git-config(1): system, user (two places), repository.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import { isRooted, parentOf, under } from '../core/native-path.ts'
import { readGitConfig } from './git-config.ts'

/** Where the build of git that lies here has its system-wide file. Other builds have it where only they know. */
const SYSTEM: Readonly<Record<string, string>> = { '/usr/bin/git': '/etc/gitconfig' }
/** Bytes of a file that is looked at. */
const MOST_BYTES = 128 * 1024
const MOST_LEVELS = 64

/** Thrown where a file or a place is not of the plain kind. */
class NotPlain extends Error {}

/**
 * All values of `key` for a call of `program` in the directory `repo` (absolute), in git's order; undefined where only
 * git knows. `env` is git's: its own variables were taken out.
 */
export function gitSetting(
  program: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  repo: string,
  key: string,
): readonly string[] | undefined {
  const system = program === undefined ? undefined : SYSTEM[program]
  const home = env['HOME']
  if (system === undefined || process.platform !== 'linux' || home === undefined || !isRooted(home)) return undefined
  // git refuses other names.
  if (!/^[A-Za-z][A-Za-z0-9-]*(?:\..+)?\.[A-Za-z][A-Za-z0-9-]*$/.test(key)) return undefined
  const xdg = env['XDG_CONFIG_HOME'] || under(home, '.config')
  if (!isRooted(xdg)) return undefined
  try {
    const own = repositoryFile(repo)
    const files = [system, under(xdg, 'git/config'), under(home, '.gitconfig'), ...(own === undefined ? [] : [own])]
    const texts = files.map((file) => plainText(file, file === own))
    return texts.flatMap((text) => readGitConfig(text, key))
  } catch {
    return undefined
  }
}

/** The configuration file of the repository around a directory; undefined where there is none. */
function repositoryFile(from: string): string | undefined {
  const start = statSync(from)
  if (!start.isDirectory()) throw new NotPlain()
  let at = from
  for (let level = 0; level < MOST_LEVELS; level++) {
    const found = lstatSync(under(at, '.git'), { throwIfNoEntry: false })
    if (found !== undefined) return fileOf(at, found.isDirectory() ? under(at, '.git') : linkedDir(at))
    // A repository without a work tree; a mount, at which git stops looking; another's directory.
    if (lstatSync(under(at, 'HEAD'), { throwIfNoEntry: false }) !== undefined) throw new NotPlain()
    const above = parentOf(at)
    if (above === at) return undefined
    if (statSync(above).dev !== start.dev) throw new NotPlain()
    at = above
  }
  throw new NotPlain()
}

/** Where the file `.git` of a linked work tree leads. */
function linkedDir(tree: string): string {
  const file = under(tree, '.git')
  mine(file)
  const target = /^gitdir: (\/[^\n]+)\n?$/.exec(read(file))?.[1]
  if (target === undefined) throw new NotPlain()
  return target
}

/** The configuration file that a git directory uses. */
function fileOf(tree: string, dir: string): string {
  // git reads no configuration of a repository that belongs to somebody else.
  mine(tree)
  mine(dir)
  if (lstatSync(under(dir, 'HEAD'), { throwIfNoEntry: false }) === undefined) throw new NotPlain()
  const shared = lstatSync(under(dir, 'commondir'), { throwIfNoEntry: false })
  if (shared === undefined) {
    const whole = ['objects', 'refs'].every((name) =>
      statSync(under(dir, name), { throwIfNoEntry: false })?.isDirectory(),
    )
    if (!whole) throw new NotPlain()
    return under(dir, 'config')
  }
  // Written by `git worktree add`: two levels up.
  if (read(under(dir, 'commondir')).trim() !== '../..') throw new NotPlain()
  const common = parentOf(parentOf(dir))
  mine(common)
  return under(common, 'config')
}

function mine(path: string): void {
  const uid = process.geteuid?.()
  // Under sudo git takes the repositories of the one who called it, too.
  if (uid === undefined || lstatSync(path).uid !== uid) throw new NotPlain()
}

/** A file of settings, empty where it is absent. Every line must be of the plain form. `own`: of a repository. */
function plainText(file: string, own: boolean): string {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) {
    // A repository without settings is none that git would have made; a dead link is not absent.
    if (own || lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw new NotPlain()
    return ''
  }
  const text = read(file)
  for (const line of text.split('\n')) if (!LINE.test(line)) throw new NotPlain()
  if (INCLUDES.test(text) || (own && EXTENDED.test(text))) throw new NotPlain()
  return text
}

/** A blank line, a comment, a section, or a setting on one line, without escapes but in quotes. */
const LINE =
  /^[ \t]*(?:[#;][^\r\0]*|\[[A-Za-z][A-Za-z0-9-]*(?: "[^"\\\r\0]*")?\][ \t]*|[A-Za-z][A-Za-z0-9-]*[ \t]*=(?:[^"\\\r\0#;]|"[^"\\\r\0]*")*(?:[#;][^\r\0]*)?)?$/
const INCLUDES = /^[ \t]*\[include(?:if)?[\] ]/im
/** Forms of repositories in which other files count as well. */
const EXTENDED = /^[ \t]*\[extensions|repositoryformatversion[ \t]*=(?![ \t]*0[ \t]*$)/im

function read(file: string): string {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(fd)
    if (!found.isFile() || found.size > MOST_BYTES) throw new NotPlain()
    const buffer = Buffer.alloc(found.size + 1)
    const got = readSync(fd, buffer, 0, buffer.length, 0)
    if (got !== found.size) throw new NotPlain()
    const text = buffer.toString('utf8', 0, got)
    // Bytes that are no UTF-8 do not survive, and a mark at the start is no part of a section.
    if (text.includes('\ufffd') || text.startsWith('\ufeff')) throw new NotPlain()
    return text
  } finally {
    closeSync(fd)
  }
}
