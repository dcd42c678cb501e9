/** Compressors, which put a file in the place of another, and `zip`, `7z`, `cpio`, `ar`, `jar`. */
import { type Arg, exact, prefixOf, textOf, unknown } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { cutArg, type Parsed, parseArgs, specify } from './options.ts'
import { ending, isDash, like, onEach, out, paths, pure, word } from './parts.ts'
import { changed, inputOf, onPath } from './row.ts'
import { listedIn } from './splice.ts'

const COMPRESS = specify(
  '-c|--stdout|--to-stdout -d|--decompress|--uncompress -f|--force -k|--keep -l|--list -n|--no-name -N|--name -q|--quiet ' +
    '-r|--recursive -S|--suffix: -t|--test -v|--verbose -o:write --output: --rm -j -z|--compress -1 -9 -0 -h|--help -V|--version ' +
    '-L|--license -T|--threads: -M|--memlimit|--memory: -F|--format: -C|--check: -p|--processes: -b: -e -s -m --fast --best ' +
    '--rsyncable --ultra --long? -D: --train --files?  --files0? -B: -w|--lgwin: -Z|--zopfli --output-dir-flat: --output-dir-mirror: -X -x',
)

const ENDINGS: Readonly<Record<string, string>> = {
  gzip: '.gz',
  gunzip: '.gz',
  pigz: '.gz',
  unpigz: '.gz',
  bzip2: '.bz2',
  bunzip2: '.bz2',
  pbzip2: '.bz2',
  lbzip2: '.bz2',
  xz: '.xz',
  unxz: '.xz',
  pixz: '.xz',
  lzma: '.lzma',
  unlzma: '.lzma',
  zstd: '.zst',
  unzstd: '.zst',
  zstdmt: '.zst',
  lz4: '.lz4',
  unlz4: '.lz4',
  brotli: '.br',
  compress: '.Z',
  uncompress: '.Z',
  lzop: '.lzo',
  lzip: '.lz',
}

/** Names of the programs that `compress` below reads. */
export const COMPRESSORS = Object.keys(ENDINGS).join(' ')

/** These keep what they read unless told otherwise. */
const KEEPERS = /^(?:un)?(?:zstd|zstdmt|lz4|brotli|lzop)$/

/** Reader of gzip and its kind: the file moves into its compressed form, or back. */
export const compress: Reader = pure((call) => {
  const parsed = parseArgs(COMPRESS, call.args)
  const has = (...names: readonly string[]) => names.some((name) => parsed.flags.has(name))
  if (has('-h', '-V', '-L')) return []
  const files = paths(parsed.operands)
  if (has('-l')) return onEach('names', files)
  if (has('-t')) return onEach('read', files, has('-r'))
  const unpacks = has('-d') || /^un|^bunzip2$|^gunzip$/.test(call.base)
  const output = [...(parsed.values.get('-o') ?? []), ...(parsed.values.get('--output') ?? [])]
  if (has('-c') || files.length === 0)
    return [...onEach('read', files), out(changed(inputOf(call, parsed.operands), false))]
  if (output.length > 0) return [...onEach('read', files), ...onEach('write', output)]
  const keeper = KEEPERS.test(call.base)
  const keep = has('-k') || (keeper && !has('--rm') && !has('-j'))
  if (has('-r')) return [...onEach('read', files, true), ...onEach('edit', files, true)]
  const suffix = textOf(parsed.values.get('-S')?.at(-1)?.value) ?? ENDINGS[call.base] ?? '.gz'
  // Without -f a file that is there stays, unless somebody answers.
  const keeps = !has('-f') && call.stdin.none ? { keeps: true } : {}
  return files.flatMap((file): readonly Doing[] => {
    const to = unpacks ? plain(file, suffix) : ending(file, suffix)
    if (keep) return [onPath('read', file), ...(keeps.keeps ? [onPath('create', to)] : [onPath('write', to)])]
    return [{ do: 'move', from: [file], to, into: 'no', ...keeps }]
  })
})

/** The name without the ending of its compressed form. */
function plain(file: Arg, suffix: string): Arg {
  const text = textOf(file.value)
  if (text !== undefined) {
    if (text.endsWith(suffix)) return like(file, exact(text.slice(0, -suffix.length)))
    return like(file, exact(text.replace(/\.t[gbx]z2?$/, '.tar').replace(/\.(?:gz|bz2|xz|zst|Z)$/, '')))
  }
  const { value } = file
  const last = value.is === 'glob' ? value.parts.at(-1) : undefined
  if (value.is === 'glob' && last?.is === 'text' && last.text.endsWith(suffix)) {
    const cut = last.text.slice(0, -suffix.length)
    return like(file, {
      is: 'glob',
      parts: [...value.parts.slice(0, -1), ...(cut === '' ? [] : [{ is: 'text' as const, text: cut }])],
    })
  }
  return like(file, unknown('input'))
}

const UNZIP = specify(
  '-A -B -C -D -F -K -L -M -N -P: -U -V -W -X -Z -a -b -c -d: -f -h -j -l -n -o -p -q -s -t -u -v -x -z --help --version -I: -O:',
)

/** Reader of `unzip`. It prompts before it replaces a file; without an answer it does not. */
export const unzip: Reader = pure((call) => {
  const parsed = parseArgs(UNZIP, call.args)
  const has = (...names: readonly string[]) => names.some((name) => parsed.flags.has(name))
  const archive = parsed.operands[0]
  if (archive === undefined || has('--help', '--version')) return []
  if (has('-l', '-v', '-t', '-z', '-Z')) return onEach('names', [archive])
  if (has('-p', '-c')) return [...onEach('read', [archive]), out(changed(inputOf(call, [archive]), false))]
  const keeps = has('-n') || (!has('-o') && call.stdin.none === true)
  const into = parsed.values.get('-d')?.at(-1)
  return [
    ...onEach('read', paths([archive])),
    { do: 'unpack', archive: isDash(archive) ? undefined : archive, into, ...(keeps ? { keeps } : {}) },
  ]
})

const ZIP = specify(
  '-A -B -b|--temp-path: -c -D -d|--delete -E -e|--encrypt -f|--freshen -F -FF -g -h|--help -i|--include: -J -j -k -l -L ' +
    '-m|--move -n|--suffixes: -o -O|--output-file|--out:write -P|--password: -q|--quiet -R -r|--recurse-paths -S ' +
    '-s|--split-size: -T|--test -TT|--unzip-command: -t|--from-date: -tt: -u|--update -U -v -V -w -W -x|--exclude: -X -y -z ' +
    '-Z|--compression-method: -0 -9 -@ -sf|--show-files -lf|--logfile-path:write --version',
)

/** Reader of `zip`. `-x` and `-i` take all words up to the next option. */
export const zip: Reader = pure((call) => {
  const test = call.args.findIndex((arg) => textOf(arg.value) === '-TT')
  const tester = test < 0 ? undefined : call.args[test + 1]
  const lists = test < 0 ? call.args : [...call.args.slice(0, test), ...call.args.slice(test + 2)]
  const parsed = parseArgs(ZIP, withoutLists(lists))
  const has = (...names: readonly string[]) => names.some((name) => parsed.flags.has(name))
  const testers = [
    ...(parsed.values.get('--unzip-command') ?? []),
    ...(parsed.values.get('-TT') ?? []),
    ...(tester ? [tester] : []),
  ]
  const [archive, ...files] = parsed.operands
  if (archive === undefined || has('-h', '--version', '-sf')) return []
  const doings: Doing[] = testers.map((arg) => ({ do: 'code', language: 'sh', text: arg.value }))
  const place = isDash(archive) ? undefined : archive
  doings.push(...onEach('write', parsed.values.get('-O') ?? []), ...onEach('write', parsed.values.get('-lf') ?? []))
  if (has('-d')) return [...doings, ...(place ? [onPath('edit', place)] : [])]
  const listed = has('-@') ? (listedIn(call.stdin) ?? []) : []
  const sources = [...paths(files), ...listed]
  doings.push(...onEach('read', sources, has('-r', '-R')))
  if (place) doings.push(onPath('edit', place))
  else doings.push(out({ text: unknown('input'), taints: [], of: sources }))
  if (has('-m'))
    doings.push(
      ...onEach('delete', sources, has('-r', '-R')).map((doing) => (place ? { ...doing, note: 'move' } : doing)),
    )
  return doings
})

function withoutLists(args: readonly Arg[]): readonly Arg[] {
  const kept: Arg[] = []
  let inList = false
  for (const arg of args) {
    const text = textOf(arg.value) ?? prefixOf(arg.value)
    if (/^(?:-[xi]|--exclude|--include)$/.test(text)) inList = true
    else if (text.startsWith('-') || text === '@') inList = false
    if (!inList) kept.push(arg)
  }
  return kept
}

/** Reader of 7-Zip: a command, an archive, then switches and names in any order. */
export const sevenZip: Reader = pure((call) => {
  const words = call.args.filter((arg) => !(textOf(arg.value) ?? prefixOf(arg.value)).startsWith('-'))
  const switches = call.args.filter((arg) => !words.includes(arg))
  const has = (name: string) => switches.some((arg) => textOf(arg.value) === name)
  const outSwitch = switches.find((arg) => prefixOf(arg.value).startsWith('-o'))
  const [verb, archive, ...files] = words
  const command = textOf(verb?.value)
  if (archive === undefined) return []
  switch (command) {
    case 'x':
    case 'e': {
      if (has('-so')) return [...onEach('read', [archive]), out(changed(inputOf(call, [archive]), false))]
      const keeps = has('-aos') || has('-aou') || (!has('-y') && !has('-aoa') && call.stdin.none === true)
      const into = outSwitch && cutArg(outSwitch, 2)
      return [...onEach('read', [archive]), { do: 'unpack', archive, into, ...(keeps ? { keeps } : {}) }]
    }
    case 'a':
    case 'u':
      return [
        ...onEach('read', files, true),
        onPath('edit', archive),
        ...(has('-sdel') ? onEach('delete', files, true) : []),
      ]
    case 'd':
    case 'rn':
      return [onPath('edit', archive)]
    case 'h':
      return onEach('names', words.slice(1))
    case undefined:
      return [{ do: 'opaque', what: '7z with an unknown command' }]
    default:
      return onEach('names', [archive])
  }
})

const CPIO = specify(
  '-i|--extract -o|--create -p|--pass-through -t|--list -A|--append -d|--make-directories -u|--unconditional -v|--verbose ' +
    '-m -l|--link -L -a -0|--null -B -c -f -n -r|--rename -s -S -b -V -k -z -j -J -C|--io-size: -D|--directory: -E|--pattern-file:read ' +
    '-F|--file: -H|--format: -I: -M|--message: -O: -R|--owner: --rsh-command: --to-stdout --no-absolute-filenames ' +
    '--absolute-filenames --sparse --quiet --help --version --block-size:',
)

/** Reader of `cpio`. */
export const cpio: Reader = pure((call) => {
  const parsed = parseArgs(CPIO, call.args)
  const has = (...names: readonly string[]) => names.some((name) => parsed.flags.has(name))
  if (has('--help', '--version')) return []
  const shell: readonly Doing[] = (parsed.values.get('--rsh-command') ?? []).map((arg) => ({
    do: 'code',
    language: 'sh',
    text: arg.value,
  }))
  const file = ['-F', '-I', '-O'].flatMap((name) => parsed.values.get(name) ?? []).at(-1)
  const listed = listedIn(call.stdin) ?? []
  const keeps = has('-u') ? {} : { keeps: true }
  if (has('-p')) {
    const to = parsed.operands[0] ?? word(call, '.')
    return [...shell, { do: 'copy', from: listed, to, tree: false, into: 'yes', ...keeps }]
  }
  if (has('-o', '-A'))
    return [
      ...shell,
      ...onEach('read', listed),
      ...(file ? [onPath(has('-A') ? 'edit' : 'write', file)] : [out(changed(call.stdin, false))]),
    ]
  const read = file ? onEach('read', [file]) : []
  if (has('-t')) return [...shell, ...read]
  if (has('--to-stdout')) return [...shell, ...read, out(changed(inputOf(call, file ? [file] : []), false))]
  return [...shell, ...read, { do: 'unpack', archive: file, into: parsed.values.get('-D')?.at(-1), ...keeps }]
})

/** Reader of `ar`: letters first, then the archive and its members. */
export const ar: Reader = pure((call) => {
  const words = call.args.filter((arg, i) => i === 0 || !(textOf(arg.value) ?? '').startsWith('--'))
  const letters = (textOf(words[0]?.value) ?? '').replace(/^-/, '')
  // `a`, `b`, `i` name a member to insert at; `N` a count.
  const extra = /[abi]/.test(letters) ? 1 : 0
  const archive = words[1 + extra]
  const files = words.slice(2 + extra)
  if (archive === undefined) return []
  if (/[rq]/.test(letters)) return [...onEach('read', files), onPath('edit', archive)]
  if (/[dms]/.test(letters)) return [onPath('edit', archive)]
  if (letters.includes('x')) return [...onEach('read', [archive]), { do: 'unpack', archive, into: undefined }]
  if (letters.includes('p')) return [...onEach('read', [archive]), out(changed(inputOf(call, [archive]), false))]
  return onEach('names', [archive])
})

const JAR = specify(
  '-c|--create -x|--extract -t|--list -u|--update -i|--generate-index: -f|--file: -e|--main-class: -m|--manifest:read -C -v -0 -M -k ' +
    '-d|--describe-module --dir: -P -n --release: --help -h --version -p: --module-version: --hash-modules: --validate',
)

/** Reader of `jar`, whose first word may be a bundle without a dash. */
export const jar: Reader = pure((call) => {
  const first = textOf(call.args[0]?.value) ?? ''
  const args: readonly Arg[] = /^[ctxuivfme0Mn]+$/.test(first) ? oldForm(call, first) : call.args
  const parsed: Parsed = parseArgs(JAR, args)
  const has = (...names: readonly string[]) => names.some((name) => parsed.flags.has(name))
  if (has('-h', '--help', '--version')) return []
  const file = parsed.values.get('-f')?.at(-1)
  const read = file ? onEach('read', [file]) : []
  if (has('-x')) return [...read, { do: 'unpack', archive: file, into: parsed.values.get('--dir')?.at(-1) }]
  if (has('-c', '-u')) {
    const sources = [...onEach('read', parsed.values.get('-m') ?? []), ...onEach('read', parsed.operands, true)]
    return file ? [...sources, onPath(has('-c') ? 'write' : 'edit', file)] : sources
  }
  return read
})

function oldForm(call: Invocation, letters: string): readonly Arg[] {
  const rest = [...call.args.slice(1)]
  const made: Arg[] = []
  for (const letter of letters) {
    made.push(word(call, `-${letter}`))
    if ('fme'.includes(letter)) {
      const value = rest.shift()
      if (value) made.push(value)
    }
  }
  return [...made, ...rest]
}

/** Reader of `unrar` and `rar`. */
export const rar: Reader = pure((call) => {
  const words = call.args.filter((arg) => !(textOf(arg.value) ?? prefixOf(arg.value)).startsWith('-'))
  const has = (pattern: RegExp) => call.args.some((arg) => pattern.test(textOf(arg.value) ?? ''))
  const [verb, archive, ...files] = words
  const command = textOf(verb?.value) ?? '?'
  if (archive === undefined) return []
  if (/^[xe]$/.test(command)) {
    const last = files.at(-1)
    const into = last && /\/$/.test(textOf(last.value) ?? '') ? last : undefined
    const keeps = has(/^-o-$/) || (!has(/^-(?:o\+|y)$/) && call.stdin.none === true)
    return [...onEach('read', [archive]), { do: 'unpack', archive, into, ...(keeps ? { keeps } : {}) }]
  }
  if (/^(?:a|u|f|m|mf)$/.test(command))
    return [
      ...onEach('read', files, true),
      onPath('edit', archive),
      ...(/^m/.test(command) || has(/^-df$/) ? onEach('delete', files, true) : []),
    ]
  if (/^[dkcsr]/.test(command)) return [onPath('edit', archive)]
  if (command === 'p') return [...onEach('read', [archive]), out(changed(inputOf(call, [archive]), false))]
  return onEach('names', [archive])
})

const SQUASH = specify('-d|-dest: -f|-force -l|-ls -ll -n -s -e|-ef: -i')

/** Reader of `unsquashfs`. */
export const unsquashfs: Reader = pure((call) => {
  const parsed = parseArgs(SQUASH, call.args, { single: true })
  const archive = parsed.operands[0]
  if (archive === undefined) return []
  if (['-l', '-ll', '-s'].some((flag) => parsed.flags.has(flag))) return onEach('names', [archive])
  return [
    onPath('read', archive),
    { do: 'unpack', archive, into: parsed.values.get('-d')?.at(-1) ?? word(call, 'squashfs-root') },
  ]
})
