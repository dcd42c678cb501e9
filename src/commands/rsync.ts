/** `rsync`: a local copy, or one from or to another machine. */
import { type Asking, ask } from '../core/question.ts'
import { type Arg, exact, textOf } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { onEach, placeOf } from './parts.ts'
import { onPath } from './row.ts'

const RSYNC = specify(
  '-v|--verbose -q -a|--archive -r|--recursive -R|--relative -b|--backup --backup-dir: --suffix: -u|--update --inplace ' +
    '--append --append-verify -d|--dirs -l -L -k -K -H -p -E -A -X -o -g -D -t -O -J --super --fake-super -S -n|--dry-run ' +
    '-W -x -B: -e|--rsh: --rsync-path: --existing --ignore-existing --remove-source-files --del|--delete --delete-before ' +
    '--delete-during --delete-delay --delete-after --delete-excluded --ignore-errors --force --max-delete: --max-size: ' +
    '--min-size: --partial --partial-dir: --delay-updates -m --numeric-ids --usermap: --groupmap: --chown: --chmod: ' +
    '--timeout: --contimeout: -I --size-only --modify-window: -T|--temp-dir: -y --compare-dest: --copy-dest: --link-dest: ' +
    '-z --compress-choice|--zc: --compress-level: --skip-compress: -C -f|--filter: -F --exclude: --exclude-from:read ' +
    '--include: --include-from:read --files-from:read -0 --protect-args -s --address: --port: --sockopts: --blocking-io ' +
    '--stats -8 -h -P --progress -i|--itemize-changes --out-format|--log-format: --log-file:write --log-file-format: ' +
    '--password-file:read --list-only --bwlimit: --write-batch:write --only-write-batch:write --read-batch:read ' +
    '--protocol: --iconv: --checksum-seed: -4 -6 -c --info: --debug: --remote-option|-M: --mkpath --stop-at: --help --version',
)

const DELETES = ['--del', '--delete-before', '--delete-during', '--delete-delay', '--delete-after', '--delete-excluded']

/** Whether an operand lies on another machine: `host:path`, `user@host:path`, `rsync://…`, `host::module`. */
const isRemote = (arg: Arg): boolean => {
  const text = textOf(arg.value) ?? (arg.value.is === 'partly' ? arg.value.prefix : '')
  return /^rsync:\/\//.test(text) || /^(?!\.{0,2}\/)[^/:]+:(?!\\)/.test(text)
}

/** Whether a source is a file, which becomes the destination where that is no directory. */
function* isFile(call: Invocation, arg: Arg | undefined): Asking<boolean> {
  const text = textOf(arg?.value)
  const path = text === undefined ? undefined : placeOf(call, text)
  const stat = path === undefined ? 'unknown' : yield* ask('stat', { path })
  return typeof stat === 'object' && stat.kind !== 'dir'
}

/**
 * The directory that a source comes to lie in with `-R`, which keeps its whole path, or what follows `/./` in it. Undefined
 * where that is not known.
 */
function relativeTo(source: Arg, to: Arg): Arg | undefined {
  const text = textOf(source.value)
  const dest = textOf(to.value)
  if (text === undefined || dest === undefined) return undefined
  const cut = text.indexOf('/./')
  const names = (cut < 0 ? text : text.slice(cut + 3)).split('/').filter((name) => name !== '' && name !== '.')
  if (names.length === 0 || names.includes('..')) return undefined
  return { ...to, value: exact(`${dest.replace(/\/+$/, '')}/${names.slice(0, -1).join('/')}`) }
}

/** Reader of `rsync`. */
export const rsync: Reader = function* (call) {
  const parsed = parseArgs(RSYNC, call.args)
  if (['--help', '--version', '--list-only', '-n'].some((flag) => parsed.flags.has(flag))) return []
  const doings: Doing[] = []
  for (const [name, args] of parsed.values) {
    const role = RSYNC.byName.get(name)?.role
    if (role === 'read' || role === 'write') doings.push(...onEach(role, args))
  }
  const shell = parsed.values.get('-e')?.at(-1)
  const to = parsed.operands.at(-1)
  if (to === undefined || parsed.operands.length < 2) return doings
  const from = parsed.operands.slice(0, -1)
  const tree = parsed.flags.has('-r') || parsed.flags.has('-a') || parsed.hidden
  const mirror = DELETES.some((flag) => parsed.flags.has(flag))
  const remote = [...from, to].find(isRemote)
  // The remote shell is a command line of its own; plain ssh needs no look.
  const rsh = shell && textOf(shell.value)
  if (shell && !/^ssh(?: -[46aCqTx]| -[piloFS] ?\S+| -o ?[\w=]+)*$/.test(rsh ?? '?') && remote)
    doings.push({ do: 'code', language: 'sh', text: shell.value })
  if (isRemote(to)) {
    doings.push({ do: 'send', to: to.value, files: from.filter((arg) => !isRemote(arg)) })
    if (mirror)
      doings.push({
        do: 'other',
        act: 'destroy',
        service: 'rsync',
        what: `files missing here at ${textOf(to.value) ?? 'a host'}`,
      })
  } else if (from.some(isRemote)) {
    const host = textOf(from.find(isRemote)!.value) ?? 'a host'
    doings.push({ do: 'other', act: 'fetch', service: 'rsync', what: host, at: to })
    // Names come from the other side, so any name below the destination may be replaced.
    const one = !tree && !/\/$/.test(textOf(to.value) ?? '')
    doings.push(one ? onPath('write', to) : { do: 'unpack', archive: undefined, into: to })
    if (mirror) doings.push(onPath('delete', to, true))
    const local = from.filter((arg) => !isRemote(arg))
    if (local.length > 0) doings.push({ do: 'copy', from: local, to, tree, into: 'yes' })
  } else if (parsed.flags.has('-R')) {
    const common = { tree, ...(parsed.flags.has('-l') || parsed.flags.has('-a') ? { links: true } : {}) }
    for (const arg of from) {
      const at = relativeTo(arg, to)
      doings.push(
        at === undefined
          ? { do: 'unpack', archive: undefined, into: to }
          : { do: 'copy', from: [arg], to: at, into: 'yes', ...common },
      )
    }
    if (mirror) doings.push(onPath('delete', to, true))
  } else {
    // `dir/` means its content; `dir` means itself below the destination.
    const contents = from.filter((arg) => /\/\.?$/.test(textOf(arg.value) ?? ''))
    const whole = from.filter((arg) => !contents.includes(arg))
    const keeps = parsed.flags.has('--ignore-existing') ? { keeps: true } : {}
    const links = parsed.flags.has('-l') || parsed.flags.has('-a') ? { links: true } : {}
    const common = { tree, ...(mirror ? { mirror } : {}), ...keeps, ...links }
    if (contents.length > 0) doings.push({ do: 'copy', from: contents, to, into: 'no', ...common })
    const folders = tree && (whole.length > 1 || !(yield* isFile(call, whole[0])))
    if (whole.length > 0)
      doings.push({ do: 'copy', from: whole, to, into: folders || whole.length > 1 ? 'yes' : 'maybe', ...common })
  }
  if (parsed.flags.has('--remove-source-files'))
    doings.push(
      ...onEach(
        'delete',
        from.filter((arg) => !isRemote(arg)),
        true,
      ),
    )
  const backup = parsed.values.get('--backup-dir')?.at(-1)
  if (backup && !remote) doings.push(onPath('create', backup))
  return doings
}
