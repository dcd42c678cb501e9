/** Files that go to another machine or come from it: `scp`, `sftp`, `ftp`, `lftp`. */
import { type Arg, concat, exact, prefixOf, textOf, unknown, type Value } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { cutArg, type Parsed, parseArgs, specify } from '../options.ts'
import { stdinText } from '../parts.ts'
import { all, REMOTE } from './common.ts'

/** `scp`, `sftp -b`: `host:path` is theirs, the rest ours. */
export function* scp(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify('-P: -i:names -F: -J: -l: -o: -S: -c: -D: -X: -r -p -q -v -C -B -3 -4 -6 -O -T'),
    call.args,
  )
  const tree = parsed.flags.has('-r')
  const program = all(parsed, '-S').at(-1)
  const proxies = all(parsed, '-o').flatMap(proxied)
  if (proxies.length > 0) return [...proxies, ...copied(parsed, tree)]
  if (program) return [{ do: 'script', path: program, args: [] }, ...copied(parsed, tree)]
  return copied(parsed, tree)
}

/** Commands of this machine that options of ssh name. */
function proxied(option: Arg): readonly Doing[] {
  const found = /^\s*(?:proxycommand|localcommand|knownhostscommand)\s*[= ]\s*/i.exec(prefixOf(option.value))
  return found ? [{ do: 'code', language: 'sh', text: cutArg(option, found[0].length).value, label: 'ssh option' }] : []
}

function copied(parsed: Parsed, tree: boolean): readonly Doing[] {
  const to = parsed.operands.at(-1)
  const from = parsed.operands.slice(0, -1)
  if (to === undefined || from.length === 0) return []
  if (theirs(to)) {
    const own = from.filter((arg) => !theirs(arg))
    return own.length === 0
      ? []
      : [
          { do: 'send', to: to.value, files: own },
          ...(tree ? own.map((at): Doing => ({ do: 'path', act: 'read', at, tree: true })) : []),
        ]
  }
  const remote = from.some(theirs)
  // Into a directory, a file keeps its name.
  const name = from.length === 1 ? /([^/:]+)\/*$/.exec(textOf(from[0]!.value) ?? '')?.[1] : undefined
  if (remote && name !== undefined && /^(?:\.{1,2}|.*\/)$/.test(textOf(to.value) ?? ''))
    return [
      {
        do: 'path',
        act: 'write',
        at: { ...to, value: concat(to.value, exact(`/${name}`)) },
        ...(tree ? { tree } : {}),
        content: REMOTE,
      },
    ]
  return [
    { do: 'path', act: 'write', at: to, ...(tree ? { tree: true } : {}), ...(remote ? { content: REMOTE } : {}) },
    ...from.filter((arg) => !theirs(arg)).map((at): Doing => ({ do: 'path', act: 'read', at })),
  ]
}

const theirs = (arg: Arg): boolean => /^(?:[\w.-]+@)?[\w.-]+:|^(?:scp|sftp):\/\//.test(prefixOf(arg.value))

/** `sftp`, `ftp`: commands on stdin or behind `-c`; `put` sends, `get` writes, `!` runs here. */
export function* ftp(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify('-b:read -c: -e: -f:read -P: -p -i: -F: -J: -o: -l: -s: -S: -u: -r -q -v -C -B: -D: -R: -n -d -g'),
    call.args,
  )
  const host = parsed.operands[0]
  const to = host?.value ?? unknown('variable')
  const doings: Doing[] = all(parsed, '-o').flatMap(proxied)
  for (const at of [...all(parsed, '-b'), ...(call.base === 'lftp' ? all(parsed, '-f') : [])])
    doings.push({ do: 'path', act: 'read', at })
  if (parsed.operands[1] && host && theirs(host))
    doings.push({ do: 'path', act: 'write', at: parsed.operands[1], content: REMOTE })
  const texts = call.base === 'lftp' ? [...all(parsed, '-c'), ...all(parsed, '-e')].map((arg) => textOf(arg.value)) : []
  for (const text of [...texts, ...((yield* stdinText(call)) ?? [])])
    for (const line of (text ?? '').split(/[\n;]/)) doings.push(...ftpLine(call, line.trim(), to))
  if (call.stdin.none !== true) doings.push({ do: 'send', to, files: [], content: { ...call.stdin, text: exact('') } })
  return doings
}

function ftpLine(call: Invocation, line: string, to: Value): readonly Doing[] {
  if (line.startsWith('!'))
    return [{ do: 'code', language: 'sh', text: exact(line.slice(1)), label: `${call.base} escape` }]
  const [verb, ...words] = line.split(/\s+/).filter((word) => !word.startsWith('-'))
  const at = (text: string): Arg => ({ value: exact(text), span: call.command.span })
  const [first, second] = words
  if (first === undefined) return []
  if (/^(?:m?put|reput|send|append|mirror)$/.test(verb ?? '')) return [{ do: 'send', to, files: words.map(at) }]
  if (/^(?:reget|get|recv|mget)$/.test(verb ?? ''))
    return [{ do: 'path', act: 'write', at: at(second ?? first.slice(first.lastIndexOf('/') + 1)), content: REMOTE }]
  if (/^(?:m?rm|m?delete|rmdir)$/.test(verb ?? ''))
    return [{ do: 'other', act: 'change', service: call.base, what: line, note: 'verb' }]
  return []
}

/** `rclone`: `remote:path` is theirs, the rest ours; `sync` and `purge` take away what lies there. */
export function* rclone(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify(
      '-n|--dry-run -i|--interactive -v -q -P|--progress --config:read --include: --exclude: --filter: --filter-from:read --transfers: --checkers: --bwlimit: --log-file:append --log-level: --max-age: --min-age: --backup-dir: --drive-root-folder-id: -h|--help --version',
    ),
    call.args,
  )
  const [verb, from, to] = parsed.operands
  const name = textOf(verb?.value) ?? ''
  if (['-n', '-i', '-h', '--version'].some((flag) => parsed.flags.has(flag)) || from === undefined) return []
  const lost = (at: Arg): Doing =>
    theirs(at)
      ? { do: 'other', act: 'destroy', service: 'rclone', what: `${name} ${textOf(at.value) ?? '…'}` }
      : { do: 'path', act: 'delete', at, tree: true }
  if (/^(?:delete|deletefile|purge|rmdirs|cleanup|dedupe)$/.test(name)) return [lost(from)]
  if (!/^(?:copy|copyto|move|moveto|sync|bisync)$/.test(name) || to === undefined) return []
  const mirrors = name === 'sync' || name === 'bisync'
  const goes: readonly Doing[] = name.startsWith('move')
    ? [{ ...lost(from), ...(theirs(from) ? {} : { note: 'move' }) }]
    : []
  if (theirs(to))
    return [
      ...(theirs(from) ? [] : [{ do: 'send' as const, to: to.value, files: [from] }]),
      ...(mirrors ? [lost(to)] : []),
      ...goes,
    ]
  if (!theirs(from))
    return [{ do: 'copy', from: [from], to, tree: true, into: 'no', ...(mirrors ? { mirror: true } : {}) }, ...goes]
  return [
    { do: 'path', act: 'write', at: to, tree: true, content: REMOTE, note: 'unpack' },
    ...(mirrors ? [lost(to)] : []),
    ...goes,
  ]
}
