/** Copying, moving and linking: `cp mv ln install` and their kind, where the last operand is the destination. */
import { type Arg, concat, exact, showGlob, suffixOf, textOf, type Value } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { cutArg, type Parsed, parseArgs, specify } from './options.ts'
import { onEach, pure } from './parts.ts'
import { onPath } from './row.ts'

const CP = specify(
  '-a|--archive --attributes-only -b --backup? --copy-contents -d --debug -f|--force -i|--interactive -H -l|--link ' +
    '-L|--dereference -n|--no-clobber -P|--no-dereference -p --preserve? --no-preserve: --parents -R|-r|--recursive ' +
    '--reflink? --remove-destination --sparse: --strip-trailing-slashes -s|--symbolic-link -S|--suffix: ' +
    '-t|--target-directory: -T|--no-target-directory -u --update? -v|--verbose -x|--one-file-system -Z --context? ' +
    '-c -X -N --keep-directory-symlink --help --version',
)
const MV = specify(
  '-b --backup? --debug --exchange -f|--force -i|--interactive -n|--no-clobber --no-copy --strip-trailing-slashes ' +
    '-S|--suffix: -t|--target-directory: -T|--no-target-directory -u --update? -v|--verbose -Z --context -h --help --version',
)
const LN = specify(
  '-b --backup? -d|-F|--directory -f|--force -i|--interactive -L|--logical -n|--no-dereference -P|--physical ' +
    '-r|--relative -s|--symbolic -S|--suffix: -t|--target-directory: -T|--no-target-directory -v|--verbose -h -w --help --version',
)
const INSTALL = specify(
  '-b --backup? -c -C|--compare -d|--directory -D --debug -g|--group: -m|--mode: -o|--owner: -p|--preserve-timestamps ' +
    '-s|--strip --strip-program: -S|--suffix: -t|--target-directory: -T|--no-target-directory -v|--verbose ' +
    '--preserve-context -Z --context? -f: -M -U -B: -h: -l: -N: --help --version',
)

interface Ends {
  readonly from: readonly Arg[]
  readonly to: Arg
  readonly into: 'yes' | 'no' | 'maybe'
}

/** Where things go: `-t DIR`, else the last operand. Undefined where there is no destination: the program fails. */
function ends(parsed: Parsed): Ends | undefined {
  const directory = parsed.values.get('-t')?.at(-1)
  if (directory) return { from: parsed.operands, to: directory, into: 'yes' }
  const to = parsed.operands.at(-1)
  if (to === undefined || parsed.operands.length < 2) return undefined
  const from = parsed.operands.slice(0, -1)
  if (parsed.flags.has('-T')) return { from, to, into: 'no' }
  return { from, to, into: from.length > 1 || suffixOf(to.value).endsWith('/') ? 'yes' : 'maybe' }
}

const isHelp = (parsed: Parsed): boolean => parsed.flags.has('--help') || parsed.flags.has('--version')

/** Whether files that are there stay: `-n`, or a prompt that nobody answers. The last of `-f -i -n` holds. */
function keepsOld(parsed: Parsed, call: Invocation): boolean {
  const last = parsed.order.findLast(({ option }) => ['-f', '-i', '-n'].includes(option))?.option
  if (parsed.flags.has('-n') && last !== '-i') return true
  if (last === '-i') return call.stdin.none === true
  const update = textOf(parsed.values.get('--update')?.at(-1)?.value)
  return update === 'none' || update === 'none-fail'
}

/** With `-b` what is there already stays beside the new file under another name. */
function backups(parsed: Parsed, { from, to, into }: Ends): readonly Doing[] {
  const kind = textOf(parsed.values.get('--backup')?.at(-1)?.value)
  if ((!parsed.flags.has('-b') && !parsed.flags.has('--backup')) || kind === 'none' || kind === 'off') return []
  const suffix = parsed.values.get('-S')?.at(-1)?.value ?? exact('~')
  const named = (arg: Arg, name: Value): Doing => onPath('write', { ...arg, value: concat(name, suffix) })
  const below = from.flatMap((arg) => {
    const name = textOf(arg.value)?.replace(/\/+$/, '').split('/').at(-1)
    return name === undefined ? [] : [named(to, concat(to.value, exact(`/${name}`)))]
  })
  return into === 'yes' ? below : into === 'no' ? [named(to, to.value)] : [named(to, to.value), ...below]
}

/** Reader of `cp`. */
export const cp: Reader = pure((call) => {
  const parsed = parseArgs(CP, call.args)
  if (isHelp(parsed)) return []
  const found = ends(parsed)
  if (found === undefined) return onEach('read', parsed.operands)
  const { from, to } = found
  const into = parsed.flags.has('--parents') ? 'yes' : found.into
  const keeps = keepsOld(parsed, call)
  if (parsed.flags.has('-l') || parsed.flags.has('-s')) {
    const force = parsed.flags.has('-f') || parsed.flags.has('--remove-destination')
    return [{ do: 'link', from, to, symbolic: parsed.flags.has('-s'), force, into }, ...backups(parsed, found)]
  }
  if (parsed.flags.has('--attributes-only')) return [...onEach('names', from), onPath('mode', to)]
  const tree = parsed.flags.has('-r') || parsed.flags.has('-R') || parsed.flags.has('-a') || parsed.hidden
  // Of `-L -H -P -d` the last one holds; a whole tree keeps its links where none says otherwise.
  const last = parsed.order.findLast(({ option }) => ['-L', '-H', '-P', '-d', '-a'].includes(option))?.option
  const links = last === undefined ? tree : last !== '-L' && last !== '-H'
  const aside = backups(parsed, found)
  const saves = aside.length > 0 ? { saves: true } : {}
  return [
    { do: 'copy', from, to, tree, into, ...(keeps ? { keeps } : {}), ...(links ? { links } : {}), ...saves },
    ...aside,
  ]
})

/** Reader of `mv`. */
export const mv: Reader = pure((call) => {
  const parsed = parseArgs(MV, call.args)
  if (isHelp(parsed)) return []
  const found = ends(parsed)
  if (found === undefined) return []
  if (parsed.flags.has('--exchange'))
    return [
      { do: 'move', from: found.from, to: found.to, into: 'no' },
      { do: 'move', from: [found.to], to: found.from[0]!, into: 'no' },
    ]
  const keeps = keepsOld(parsed, call)
  const aside = backups(parsed, found)
  const saves = aside.length > 0 ? { saves: true } : {}
  return [{ do: 'move', ...found, ...(keeps ? { keeps } : {}), ...saves }, ...aside]
})

/** Reader of `ln`. `-n` takes a link to a directory for what it is, which is what scripts that swap a link want. */
export const ln: Reader = pure((call) => {
  const parsed = parseArgs(LN, call.args)
  if (isHelp(parsed)) return []
  const symbolic = parsed.flags.has('-s')
  const force = parsed.flags.has('-f')
  const found = ends(parsed)
  if (found === undefined)
    return parsed.operands.length === 1
      ? [{ do: 'link', from: parsed.operands, to: undefined, symbolic, force, into: 'maybe' }]
      : []
  const plain = parsed.flags.has('-n') || parsed.flags.has('-h')
  const into = found.into === 'maybe' && plain ? 'no' : found.into
  return [{ do: 'link', ...found, symbolic, force, into }, ...backups(parsed, found)]
})

/** Reader of `link`: a hard link and nothing else. */
export const link: Reader = pure((call) => {
  const [from, to] = parseArgs(specify('--help --version'), call.args).operands
  return from && to ? [{ do: 'link', from: [from], to, symbolic: false, force: false, into: 'no' }] : []
})

/** Reader of `install`: directories with `-d`, else copies. */
export const install: Reader = pure((call) => {
  const parsed = parseArgs(INSTALL, call.args)
  if (isHelp(parsed)) return []
  if (parsed.flags.has('-d')) return parsed.operands.map((at) => ({ do: 'path', act: 'create', at, note: 'dir' }))
  const found = ends(parsed)
  if (found === undefined) return []
  const aside = backups(parsed, found)
  const saves = aside.length > 0 ? { saves: true } : {}
  const doings: Doing[] = [{ do: 'copy', ...found, tree: false, ...saves }, ...aside]
  const strip = parsed.values.get('--strip-program')?.at(-1)
  if (strip && parsed.flags.has('-s')) doings.push({ do: 'run', argv: [strip, found.to] })
  return doings
})

/** Reader of `ditto`: contents of directories are merged into the destination; with archives it packs and unpacks. */
export const ditto: Reader = pure((call) => {
  const parsed = parseArgs(
    specify('-c -x -k -z -j -v -V -X --arch: --bom: --zlibCompressionLevel: --password --sequesterRsrc --keepParent'),
    call.args,
    {},
  )
  const to = parsed.operands.at(-1)
  if (to === undefined || parsed.operands.length < 2) return []
  const from = parsed.operands.slice(0, -1)
  if (parsed.flags.has('-x')) return [...onEach('read', from), { do: 'unpack', archive: from[0], into: to }]
  if (parsed.flags.has('-c')) return [...onEach('read', from, true), onPath('write', to)]
  return [{ do: 'copy', from: from, to, tree: true, into: 'no' }]
})

/** Reader of `robocopy` and `xcopy`: switches begin with a slash, the first two other words are directories. */
export const robocopy: Reader = pure((call) => {
  const switches = call.args.flatMap(
    (arg) =>
      textOf(arg.value)
        ?.match(/^\/[a-z0-9+:?-]+$/i)?.[0]
        .toLowerCase() ?? [],
  )
  const words = call.args.filter((arg) => !/^\/[a-z0-9+:?-]+$/i.test(textOf(arg.value) ?? ''))
  const [from, to] = words
  if (from === undefined || switches.includes('/?') || switches.includes('/l')) return []
  const target = to ?? { ...call.command, value: exact('.') }
  const mirror = switches.includes('/mir') || switches.includes('/purge')
  const tree = mirror || switches.includes('/s') || switches.includes('/e')
  const doings: Doing[] = [{ do: 'copy', from: [from], to: target, tree, into: 'no', ...(mirror ? { mirror } : {}) }]
  if (switches.includes('/mov') || switches.includes('/move'))
    doings.push(onPath('delete', from, switches.includes('/move')))
  return doings
})

const DD_VALUES = /^(if|of|conv|oflag|iflag|seek|bs|count|skip|ibs|obs|cbs|status|iseek|oseek)=/

const unmatched = (arg: Arg): Arg =>
  arg.value.is === 'glob' ? { ...arg, value: exact(showGlob(arg.value.parts)) } : arg

/** Reader of `dd`: operands in any order. */
export const dd: Reader = pure((given) => {
  // A pattern behind `of=` would have to match a name that begins so: it stays as it is written.
  const call = { ...given, args: given.args.map(unmatched) }
  const of = (name: string) => {
    const arg = call.args.findLast((given) => startsWith(given, `${name}=`))
    return arg && cutArg(arg, name.length + 1)
  }
  const words = call.args.map((arg) => textOf(arg.value))
  if (words.includes('--help') || words.includes('--version')) return []
  const from = of('if')
  const to = of('of')
  const doings: Doing[] = from ? [...onEach('read', [from])] : []
  const append = /append/.test(textOf(of('oflag')?.value ?? exact('')) ?? '')
  // Without a place to begin at, what stands at the beginning goes.
  const keepsRest =
    /notrunc/.test(textOf(of('conv')?.value ?? exact('')) ?? '') && (of('seek') ?? of('oseek')) !== undefined
  const input = from
    ? { text: { is: 'unknown' as const, why: 'input' as const }, taints: [], files: [from] }
    : call.stdin
  if (to)
    doings.push({
      do: 'path',
      act: append ? 'append' : keepsRest ? 'edit' : 'write',
      at: to,
      ...(append || keepsRest ? {} : { content: input }),
    })
  else doings.push({ do: 'out', content: input })
  const odd = call.args.find((arg) => arg.value.is !== 'exact' && !DD_VALUES.test(prefix(arg)))
  if (odd) doings.push({ do: 'path', act: 'write', at: odd })
  return doings
})

const prefix = (arg: Arg): string => (arg.value.is === 'partly' ? arg.value.prefix : '')
const startsWith = (arg: Arg, text: string): boolean => (textOf(arg.value) ?? prefix(arg)).startsWith(text)

/** Reader of `rename`: `rename s/a/b/ f…` (Perl) or `rename a b f…` (util-linux). */
export const rename: Reader = pure((call) => {
  const parsed = parseArgs(
    specify(
      '-n|--nono|--no-act -f|--force -v|--verbose -s|--symlink -o|--no-overwrite -i -e: -d -h|--help -V|--version --last -a|--all',
    ),
    call.args,
  )
  if (['-h', '-V', '-n'].some((flag) => parsed.flags.has(flag))) return []
  const expressions = parsed.values.get('-e') ?? []
  const first = textOf(parsed.operands[0]?.value) ?? ''
  const perl = expressions.length > 0 || call.base !== 'rename' || /^(?:s|y|tr)[^\w\s]|[$;(]/.test(first)
  const files = expressions.length > 0 ? parsed.operands : parsed.operands.slice(perl ? 1 : 2)
  const code = expressions.length > 0 ? expressions : perl ? parsed.operands.slice(0, 1) : []
  const keeps = !parsed.flags.has('-f') && perl
  const change = perl
    ? substitution(expressions.length === 0 ? first : '')
    : plainChange(first, textOf(parsed.operands[1]?.value))
  return [
    ...code.map((arg): Doing => ({ do: 'code', language: 'perl', text: arg.value })),
    ...files.map(
      (arg): Doing => ({ do: 'move', from: [arg], to: renamed(arg, change), into: 'no', ...(keeps ? { keeps } : {}) }),
    ),
  ]
})

/** A change of a file's name that can be followed. */
type Change = ((name: string) => string) | undefined

const plainChange = (from: string, to: string | undefined): Change =>
  to === undefined || from === '' ? undefined : (name) => name.replace(from, () => to)

/** `s/a/b/` of plain text, with `\\.` and a `$` at the end. */
function substitution(expression: string): Change {
  const match = /^s\/((?:[\w -]|\\[.-])+)(\$?)\/([\w .-]*)\/$/.exec(expression)
  if (!match) return undefined
  const from = match[1]!.replaceAll('\\', '')
  const to = match[3]!
  if (match[2] === '$') return (name) => (name.endsWith(from) ? name.slice(0, -from.length) + to : name)
  return (name) => name.replace(from, () => to)
}

/** The new name, or any name in the same directory. */
function renamed(arg: Arg, change: Change): Arg {
  const text = textOf(arg.value)
  const directory = /^.*\//.exec(text ?? '')?.[0] ?? ''
  if (text !== undefined && change)
    return { ...arg, value: exact(directory + change(text.slice(directory.length))), provenance: 'constant' }
  return directory === ''
    ? { ...arg, value: { is: 'unknown', why: 'input' }, provenance: 'unknown' }
    : { ...arg, value: { is: 'partly', prefix: directory, suffix: '', why: 'input' }, provenance: 'unknown' }
}
