/** `mmv FROM TO`: moves, copies, links or appends all files that a pattern fits; `#1` in TO is what a wildcard stood for. */
import { type Arg, textOf } from '../core/value.ts'
import type { Doing, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { like, pure } from './parts.ts'
import { globValue, patternParts } from './pattern.ts'
import { onPath } from './row.ts'

const MMV = specify(
  '-m|--move -x|--copydel -r|--rename -c|--copy -o|--overwrite -a|--append -l|--hardlink -s|--symlink -h|--hidden ' +
    '-D|--makedirs -d|--force|--delete -p|--protect -g|--go -t|--terminate -v|--verbose -n|--dryrun --help --version',
)
/** Modes in which the files of FROM stay where they are. */
const STAYS = ['-c', '-o', '-a', '-l', '-s']

/** Reader of `mmv`. Pairs on stdin are not followed. */
export const mmv: Reader = pure((call) => {
  const { flags, operands } = parseArgs(MMV, call.args)
  const [from, to] = operands
  if (from === undefined || to === undefined || flags.has('-n') || flags.has('--help') || flags.has('--version'))
    return []
  const stays = STAYS.some((flag) => flags.has(flag))
  const source = patterned(from, (text) => text)
  const target = patterned(to, (text) => text.replaceAll(/#[lu]?\d+/g, '*'))
  const away: Doing = { do: 'path', act: 'delete', at: source, note: 'move' }
  return [stays ? onPath('read', source) : away, onPath(flags.has('-a') ? 'append' : 'write', target)]
})

function patterned(arg: Arg, change: (text: string) => string): Arg {
  const text = textOf(arg.value)
  // A semicolon stands for directories at any depth.
  return text === undefined
    ? arg
    : like(arg, globValue(patternParts(change(text).replaceAll(';', '**/'), { deep: true })))
}
