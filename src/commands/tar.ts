/** `tar` and `bsdtar`: what is packed, unpacked or run by options. */
import { type Arg, exact, textOf, unknown } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { type Parsed, parseArgs, specify } from './options.ts'
import { isDash, onEach, out, pure, word } from './parts.ts'
import { changed, inputOf, onPath } from './row.ts'
import { listedIn } from './splice.ts'

const TAR = specify(
  '-A|--catenate|--concatenate -c|--create -d|--diff|--compare --delete -r|--append -t|--list -u|--update -x|--extract|--get ' +
    '--test-label -f|--file: -C|--directory: -T|--files-from: -X|--exclude-from:read --exclude: --add-file: -b|--blocking-factor: ' +
    '-F|--info-script|--new-volume-script: -g|--listed-incremental:edit -H|--format: -I|--use-compress-program: -K|--starting-file: ' +
    '-L|--tape-length: -N|--newer|--after-date: --newer-mtime: -V|--label: --to-command: --checkpoint? --checkpoint-action: ' +
    '--rsh-command: --rmt-command: --transform|--xform: --strip-components: -s: --owner: --group: --mode: --mtime: --one-top-level? ' +
    '--suffix: --backup? --index-file:write --level: --hole-detection: --sort: --quoting-style: --quote-chars: --volno-file:edit ' +
    '--owner-map:read --group-map:read --record-size: --pax-option: --occurrence? --to-stdout|-O --remove-files -k|--keep-old-files ' +
    '--skip-old-files --keep-newer-files -U|--unlink-first --recursive-unlink --overwrite --overwrite-dir --no-overwrite-dir ' +
    '-P|--absolute-names -h|--dereference -v|--verbose -w|--interactive|--confirmation -z|--gzip|--gunzip -j|--bzip2 -J|--xz ' +
    '--zstd --lzma --lzip --lzop -Z|--compress -a|--auto-compress -p -m -o -n -S -W|--verify -M -G -i -l -R -B -E -q ' +
    '--wildcards --no-wildcards --no-recursion --recursion --numeric-owner --totals? --utc --warning: -?|--help --usage --version ' +
    '--passphrase: --options: --uid: --gid: --uname: --gname: --mac-metadata --no-mac-metadata --include: --null --exclude-vcs',
)

/** Whether an archive is a file that stays, so that what goes into it only moves. */
const isKept = (file: Arg | undefined): boolean => {
  const name = file && textOf(file.value)
  return name !== undefined && name !== '-' && !/^\/(?:dev|proc)\//.test(name)
}

/** Options with which something named is left out. */
const LEAVES_OUT = ['--exclude', '-X', '-N', '--newer-mtime', '--no-recursion', '--exclude-vcs', '-T', '-A'] as const

/** Letters of the old form whose values follow as words of their own, in the order of the letters. */
const OLD_VALUES = 'fCTXbFgHIKLNVs'

/** `tar xzf a.tgz`: the first word is a bundle without a dash; rewritten to options. */
function modern(args: readonly Arg[]): readonly Arg[] {
  const first = args[0] && textOf(args[0].value)
  if (args[0] === undefined || first === undefined || first.startsWith('-') || !/^[A-Za-z0-9]+$/.test(first))
    return args
  const rest = [...args.slice(1)]
  const made: Arg[] = []
  for (const letter of first) {
    made.push({ ...args[0], value: exact(`-${letter}`) })
    if (OLD_VALUES.includes(letter)) {
      const value = rest.shift()
      if (value) made.push(value)
    }
  }
  return [...made, ...rest]
}

/** Programs that options run. */
function runs(parsed: Parsed): readonly Doing[] {
  const doings: Doing[] = []
  for (const name of ['--to-command', '-F', '--rsh-command', '--rmt-command'])
    for (const arg of parsed.values.get(name) ?? []) doings.push({ do: 'code', language: 'sh', text: arg.value })
  for (const arg of parsed.values.get('--checkpoint-action') ?? []) {
    const text = textOf(arg.value)
    const code = text?.match(/^exec=(.*)$/s)?.[1]
    if (text === undefined) doings.push({ do: 'code', language: 'sh', text: unknown('variable') })
    else if (code !== undefined)
      doings.push({ do: 'code', language: 'sh', text: exact(code.replace(/^(["'])(.*)\1$/s, '$2')) })
  }
  for (const arg of parsed.values.get('-I') ?? []) {
    const text = textOf(arg.value)
    // The usual compressors are no news.
    if (
      !/^(?:pi|p)?(?:gz|xz|zstd|gzip|bzip2|bz2|igz|lz4|lzip|lzma|brotli|pixz|zst|zstdmt|lbzip2)(?: -\S+)*$/.test(
        text ?? '?',
      )
    )
      doings.push({ do: 'code', language: 'sh', text: arg.value })
  }
  return doings
}

/** Where members are read from or written to: operands below the last `-C` in front of them. */
function members(call: Invocation, parsed: Parsed): readonly Arg[] {
  let base: string | undefined = ''
  const found: Arg[] = []
  for (const { option, arg } of parsed.order) {
    if (arg === undefined) continue
    if (option === '-C') {
      const directory = textOf(arg.value)
      base = directory === undefined || base === undefined ? undefined : join(base, directory)
    } else if (option === '' || option === '--add-file') found.push(inside(call, base, arg))
  }
  return found
}

const join = (base: string, path: string): string =>
  path.startsWith('/') || base === '' ? path : `${base.replace(/\/$/, '')}/${path}`

function inside(call: Invocation, base: string | undefined, arg: Arg): Arg {
  if (base === '') return arg
  const text = textOf(arg.value)
  if (base === undefined || text === undefined) return { ...arg, value: unknown('variable'), provenance: 'unknown' }
  // `@archive` of bsdtar reads members of another archive.
  return word(call, join(base, text))
}

const onlyRemote = (arg: Arg): boolean => /^(?:[^/:@]+@)?[^/:]{2,}:/.test(textOf(arg.value) ?? '')

/** Reader of `tar`. */
export const tar: Reader = pure((call) => {
  const parsed = parseArgs(TAR, modern(call.args))
  const has = (...names: readonly string[]) => names.some((name) => parsed.flags.has(name))
  if (has('--help', '-?', '--usage', '--version')) return []
  const doings: Doing[] = [...runs(parsed)]
  for (const [name, args] of parsed.values) {
    const role = TAR.byName.get(name)?.role
    if (role === 'read' || role === 'write' || role === 'edit') doings.push(...onEach(role, args))
  }
  const lists = parsed.values.get('-T') ?? []
  const archive = parsed.values.get('-f')?.at(-1)
  const file = archive && !isDash(archive) ? archive : undefined
  const input = inputOf(call, file ? [file] : [])
  if (has('-c', '-r', '-u', '-A')) {
    // Names from a list on stdin; from a file they are names of the project, as far as one can tell.
    const listed = lists.some(isDash) ? (listedIn(call.stdin) ?? []) : []
    const sources = [...members(call, parsed), ...listed]
    doings.push(
      ...onEach(
        'read',
        lists.filter((arg) => !isDash(arg)),
      ),
      ...onEach('read', sources, true),
    )
    if (has('--remove-files'))
      doings.push(
        ...onEach('delete', sources, true).map((doing) => (isKept(file) ? { ...doing, note: 'move' } : doing)),
      )
    if (file && onlyRemote(file)) doings.push({ do: 'send', to: file.value, files: sources })
    else if (file) {
      doings.push(onPath(has('-c') ? 'write' : 'edit', file))
      if (isKept(file) && !LEAVES_OUT.some((flag) => has(flag))) doings.push({ do: 'kept', from: sources, at: file })
    } else doings.push(out({ text: unknown('input'), taints: [], of: sources }))
    return doings
  }
  if (file) doings.push(onPath('read', file))
  if (has('--delete') && file) return [...doings, onPath('edit', file)]
  if (has('-x')) {
    if (has('--to-stdout', '--to-command')) return [...doings, out(changed(input, false))]
    const directories = (parsed.values.get('-C') ?? []).map((arg) => textOf(arg.value))
    const last = parsed.values.get('-C')?.at(-1)
    const base = directories.includes(undefined)
      ? last
      : last &&
        word(
          call,
          directories.reduce<string>((all, dir) => join(all, dir!), ''),
        )
    const top = textOf(parsed.values.get('--one-top-level')?.at(-1)?.value)
    const into = top === undefined ? base : word(call, join(base ? (textOf(base.value) ?? '') : '', top))
    const keeps = has('-k', '--skip-old-files')
    // With absolute names members may lie anywhere.
    const anywhere = has('-P') ? { ...call.command, value: unknown('input') } : into
    return [...doings, { do: 'unpack', archive: file, into: anywhere, ...(keeps ? { keeps } : {}) }]
  }
  return doings
})
