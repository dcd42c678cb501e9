/** Deleting: `rm` and what stands in for it. */
import { type Arg, exact, textOf } from '../core/value.ts'
import type { Doing, Reader } from './doing.ts'
import { type Parsed, parseArgs, specify } from './options.ts'
import { onEach, pure } from './parts.ts'
import { globValue, hasPattern, patternParts } from './pattern.ts'
import { onPath } from './row.ts'

const RM = specify(
  '-f|--force -i -I --interactive? -r|-R|--recursive -d|--dir -v|--verbose -P -W -x --one-file-system ' +
    '--no-preserve-root --preserve-root? --help --version',
)

/** Operands above which `rm -I` prompts. */
const PROMPT_ABOVE = 3

/** Whether `rm` prompts before each file: the last of `-i`, `-f`, `--interactive` holds. */
function prompts(parsed: Parsed, recursive: boolean): boolean {
  let asks = false
  for (const { option, arg } of parsed.order) {
    if (option === '-f') asks = false
    else if (option === '-i') asks = true
    else if (option === '-I') asks = recursive || parsed.operands.length > PROMPT_ABOVE
    else if (option === '--interactive') {
      const when = arg === undefined ? 'always' : textOf(arg.value)
      if (when === 'always' || when === 'yes') asks = true
      else if (when === 'once') asks = recursive || parsed.operands.length > PROMPT_ABOVE
      else asks = false
    }
  }
  return asks
}

/** Reader of `rm`. A prompt that nobody answers keeps the file; one that stdin answers does not. */
export const rm: Reader = pure((call) => {
  const parsed = parseArgs(RM, call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const recursive = parsed.flags.has('-r') || parsed.hidden
  if (prompts(parsed, recursive) && !parsed.hidden && call.stdin.none) return []
  return onEach('delete', parsed.operands, recursive)
})

const windowsSwitch = (arg: Arg): boolean => /^\/[a-z?]$/i.test(textOf(arg.value) ?? '')

/** Names for `del` of cmd: `/s` goes into subdirectories, and a pattern stays a pattern. */
function windowsDelete(args: readonly Arg[]): readonly Doing[] {
  const tree = args.some((arg) => /^\/s$/i.test(textOf(arg.value) ?? ''))
  return args.filter((arg) => !windowsSwitch(arg)).map((arg) => onPath('delete', globbed(arg, true), tree))
}

/** An exact text with pattern characters as the pattern that it is for the program. */
export function globbed(arg: Arg, always: boolean): Arg {
  const text = textOf(arg.value)
  if (!always || text === undefined || !hasPattern(text)) return arg
  return { ...arg, value: globValue(patternParts(text, { deep: true })), provenance: 'constant' }
}

/** Reader of `rmdir` and `rd`: directories that are empty, but trees with the `/s` of cmd. */
export const rmdir: Reader = pure((call) => {
  const parsed = parseArgs(specify('-p|--parents -v|--verbose --ignore-fail-on-non-empty --help --version'), call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  if (call.platform === 'win32' && call.args.some(windowsSwitch)) return windowsDelete(call.args)
  return onEach('delete', parsed.operands)
})

/** Reader of `del` and `erase`: of cmd, or the package `del-cli`. */
export const del: Reader = pure((call) => {
  if (call.args.some(windowsSwitch)) return windowsDelete(call.args)
  const parsed = parseArgs(specify('-f|--force -d|--dry-run --help --version'), call.args)
  if (['-d', '--help', '--version'].some((flag) => parsed.flags.has(flag))) return []
  return parsed.operands
    .filter((arg) => !(textOf(arg.value) ?? '').startsWith('!'))
    .map((arg) => onPath('delete', globbed(arg, true), true))
})

/** Reader of `rimraf`: old versions match patterns themselves, new ones with `--glob`; both are taken as patterns. */
export const rimraf: Reader = pure((call) => {
  const parsed = parseArgs(
    specify(
      '-g|--glob? -G|--no-glob -v -V -i|--interactive --impl: --tmp: --max-retries: --retry-delay: --backoff: -h|--help --version',
    ),
    call.args,
  )
  if (['-h', '--version'].some((flag) => parsed.flags.has(flag))) return []
  return parsed.operands.map((arg) => onPath('delete', globbed(arg, !parsed.flags.has('-G')), true))
})

/** Reader of `trash` and its kind: gone from its place, but moved, so that nothing is lost. */
export const trash: Reader = pure((call) => {
  const parsed = parseArgs(specify('-f -r -R -i -v -d -F --trash-dir: --help --version -h'), call.args)
  if (['-h', '--help', '--version'].some((flag) => parsed.flags.has(flag))) return []
  // `gio trash f`: the first word is the verb.
  const operands = call.base === 'gio' ? parsed.operands.slice(1) : parsed.operands
  if (call.base === 'gio') {
    const verb = textOf(parsed.operands[0]?.value)
    if (verb === 'remove') return onEach('delete', operands)
    if (verb === 'cat') return onEach('read', operands)
    if (verb === 'mkdir') return onEach('create', operands)
    if (verb === 'save') return onEach('write', operands)
    const to = operands.at(-1)
    if (verb === 'copy' && to && operands.length > 1)
      return [{ do: 'copy', from: operands.slice(0, -1), to, tree: false, into: operands.length > 2 ? 'yes' : 'maybe' }]
    if (verb === 'move' && to && operands.length > 1)
      return [{ do: 'move', from: operands.slice(0, -1), to, into: operands.length > 2 ? 'yes' : 'maybe' }]
    if (verb !== 'trash') return []
    if (call.args.some((arg) => textOf(arg.value) === '--empty'))
      return [onPath('delete', { ...call.command, value: exact(`${call.home}/.local/share/Trash`) }, true)]
  }
  return operands.map((at) => ({ do: 'path', act: 'delete', at, tree: true, note: 'move' }))
})

/** Reader of `trash-empty`. */
export const trashEmpty: Reader = pure((call) => [
  onPath('delete', { ...call.command, value: exact(`${call.home}/.local/share/Trash`) }, true),
])
