/** Commands that spread what they read over files: `tee`, `split`, `csplit`. */
import { type Arg, concat, exact, unknown, type Value } from '../core/value.ts'
import type { Doing, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { isDash, onEach, out, paths, pure, says } from './parts.ts'

/** Reader of `tee`. */
export const tee: Reader = pure((call) => {
  const parsed = parseArgs(specify('-a|--append -i|--ignore-interrupts -p --output-error? --help --version'), call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const content = call.stdin
  const writes = paths(parsed.operands).map(
    (at): Doing =>
      parsed.flags.has('-a') ? { do: 'path', act: 'append', at } : { do: 'path', act: 'write', at, content },
  )
  return [...writes, out(call.stdin)]
})

/** Reader of `sponge`: it soaks up stdin before it writes, so a file may be its own source. */
export const sponge: Reader = pure((call) => {
  const parsed = parseArgs(specify('-a -h'), call.args)
  const [file] = parsed.operands
  if (parsed.flags.has('-h')) return []
  if (file === undefined) return [out(call.stdin)]
  const write: Doing = parsed.flags.has('-a')
    ? { do: 'path', act: 'append', at: file }
    : { do: 'path', act: 'write', at: file, content: call.stdin }
  return [write, says('')]
})

/** Every name that begins with a prefix, in the directory of that prefix. */
const beginning = (prefix: Value, suffix: Value): Value =>
  concat(concat(prefix, { is: 'glob', parts: [{ is: 'star' }] }), suffix)

const SPLIT = specify(
  '-a|--suffix-length: -b|--bytes: -C|--line-bytes: -d --numeric-suffixes? -x --hex-suffixes? -e|--elide-empty-files ' +
    '--filter: -l|--lines: -n|--number: -p: -t|--separator: -u|--unbuffered --additional-suffix: --verbose --help --version',
)

/** Reader of `split`. */
export const split: Reader = pure((call) => {
  const parsed = parseArgs(SPLIT, call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const [input, prefix] = parsed.operands
  const doings: Doing[] = input && !isDash(input) ? [...onEach('read', [input])] : []
  const filter = parsed.values.get('--filter')?.at(-1)
  if (filter) return [...doings, { do: 'code', language: 'sh', text: filter.value }]
  const suffix = parsed.values.get('--additional-suffix')?.at(-1)?.value ?? exact('')
  return [...doings, pieces(call.command, prefix?.value ?? exact('x'), suffix)]
})

const pieces = (command: Arg, prefix: Value, suffix: Value): Doing => ({
  do: 'path',
  act: 'write',
  at: {
    ...command,
    value: prefix.is === 'unknown' ? unknown('variable') : beginning(prefix, suffix),
    provenance: 'constant',
  },
})

/** Reader of `csplit`. */
export const csplit: Reader = pure((call) => {
  const parsed = parseArgs(
    specify(
      '-b|--suffix-format: -f|--prefix: -k|--keep-files -n|--digits: -s|-q|--quiet|--silent -z --suppress-matched --help --version',
    ),
    call.args,
  )
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const prefix = parsed.values.get('-f')?.at(-1)?.value ?? exact('xx')
  return [...onEach('read', paths(parsed.operands.slice(0, 1))), pieces(call.command, prefix, exact(''))]
})
