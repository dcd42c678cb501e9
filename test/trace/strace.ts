/** Reads what strace wrote of a run: the changes that the kernel made, in order. */

export type ChangeKind = 'write' | 'delete' | 'rename' | 'mode' | 'connect'

/** One change that succeeded. */
export interface Change {
  readonly kind: ChangeKind
  /** Absolute and without dots; for `connect` the address as strace prints it. Links in it are as the call named them. */
  readonly path: string
}

/** What strace is told to write down. */
export const TRACED =
  'open,openat,openat2,creat,truncate,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,mknod,mknodat,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,connect,chdir,fchdir,clone,clone3,fork,vfork'

interface Call {
  readonly pid: number
  readonly name: string
  readonly args: string
  readonly result: string
}

/** The calls of a trace, halves of interrupted ones put together. */
function callsOf(text: string): readonly Call[] {
  const open = new Map<number, string>()
  const out: Call[] = []
  for (const line of text.split('\n')) {
    const [, pid, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    if (rest === undefined) continue
    const id = Number(pid)
    if (rest.endsWith('<unfinished ...>')) {
      open.set(id, rest.slice(0, -'<unfinished ...>'.length).trimEnd())
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>\s?(.*)$/.exec(rest)
    const whole = resumed === null ? rest : `${open.get(id) ?? ''}${resumed[1]}`
    const call = /^(\w+)\((.*)\)\s+= (.*)$/.exec(whole)
    if (call !== null) out.push({ pid: id, name: call[1]!, args: call[2]!, result: call[3]! })
  }
  return out
}

const WRITES = /O_(?:WRONLY|RDWR|TRUNC)/

/** Links as they are at a moment of the run: the path of each, and the path that it stands for. */
export type Links = ReadonlyMap<string, string>

/** Links that stand in each other's way end somewhere. */
const MOST_LINKS = 40

/** A path with the links among its directories followed; the last component stays as it is. */
function physical(path: string, links: Links): string {
  let steps = 0
  const parts = path.split('/').slice(1)
  let done = ''
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const next = `${done}/${part}`
    const to = parts.length > 0 && steps < MOST_LINKS ? links.get(next) : undefined
    if (to === undefined) done = next
    else {
      steps++
      parts.unshift(...to.split('/').slice(1))
      done = ''
    }
  }
  return done
}

/**
 * The changes of a run that began in `cwd`, with these links there. Failed calls changed nothing; the places are physical
 * but for the last component.
 */
export function changesOf(text: string, cwd: string, start: Links = new Map()): readonly Change[] {
  const links = new Map(start)
  const calls = callsOf(text)
  const parents = new Map<number, number>()
  for (const { pid, name, result } of calls)
    if (/^(?:clone|clone3|fork|vfork)$/.test(name) && /^\d+/.test(result)) parents.set(Number.parseInt(result, 10), pid)
  const dirs = new Map<number, string>()
  const dirOf = (pid: number): string => {
    const known = dirs.get(pid)
    if (known !== undefined) return known
    const parent = parents.get(pid)
    const dir = parent === undefined ? cwd : dirOf(parent)
    dirs.set(pid, dir)
    return dir
  }
  const out: Change[] = []
  for (const { pid, name, args, result } of calls) {
    const here = dirOf(pid)
    if (/^-1\b|^\?/.test(result) && name !== 'connect') continue
    const texts = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => unescaped(match[1]!))
    const bases = [...args.matchAll(/(?:AT_FDCWD|\d+)<([^>]*)>/g)].map((match) => match[1]!)
    const at = (i: number): string => clean(texts[i] ?? '', bases[i] ?? here)
    const add = (kind: ChangeKind, given: string): void => {
      const path = kind === 'connect' ? given : physical(given, links)
      out.push({ kind, path })
      if (kind === 'delete' || kind === 'rename') links.delete(path)
    }
    switch (name) {
      case 'chdir':
        dirs.set(pid, at(0))
        break
      case 'fchdir':
        dirs.set(pid, bases[0] ?? here)
        break
      case 'open':
      case 'openat':
      case 'openat2':
      case 'creat':
        if (name === 'creat' || WRITES.test(args)) add('write', /<([^>]*)>$/.exec(result)?.[1] ?? at(0))
        break
      case 'truncate':
      case 'mkdir':
      case 'mkdirat':
      case 'mknod':
      case 'mknodat':
        add('write', at(0))
        break
      case 'symlink':
      case 'symlinkat':
        {
          const made = clean(texts[1] ?? '', bases[0] ?? here)
          add('write', made)
          const at = physical(made, links)
          links.set(at, clean(texts[0] ?? '', at.slice(0, at.lastIndexOf('/')) || '/'))
        }
        break
      case 'link':
      case 'linkat':
        add('write', clean(texts[1] ?? '', bases[1] ?? here))
        break
      case 'unlink':
      case 'unlinkat':
      case 'rmdir':
        add('delete', at(0))
        break
      case 'rename':
      case 'renameat':
      case 'renameat2':
        add('rename', at(0))
        add('write', clean(texts[1] ?? '', bases[1] ?? bases[0] ?? here))
        break
      case 'chmod':
      case 'fchmodat':
      case 'chown':
      case 'lchown':
      case 'fchownat':
        add('mode', at(0))
        break
      case 'fchmod':
      case 'fchown':
        add('mode', bases[0] ?? '')
        break
      case 'connect':
        if (/AF_INET/.test(args)) add('connect', args.replace(/^[^{]*/, ''))
        break
      default:
    }
  }
  return out
}

const unescaped = (text: string): string =>
  text.replace(/\\(?:([0-7]{1,3})|(.))/g, (_all, octal: string | undefined, other: string) =>
    octal === undefined ? ({ n: '\n', t: '\t' }[other] ?? other) : String.fromCharCode(Number.parseInt(octal, 8)),
  )

/** An absolute path without dots and doubled slashes. */
function clean(path: string, base: string): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
