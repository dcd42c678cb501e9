/** Verbs of our own program that read files of the workspace: what `cat` may not show, they may not either. */
import { type Arg, exact, textOf } from '../../core/value.ts'
import type { Doing, Reader } from '../doing.ts'
import { cutArg, parseArgs, specify } from '../options.ts'
import type { Prefix } from './reader.ts'

/** `ctx run` is transparent: what it runs is judged. */
export const CTX: Prefix = {
  names: 'ctx sallyport',
  options: '--focus: --cwd: --timeout: --budget: --bg --bg-after: --shell --raw --pty --workspace:',
  verbs: 'run',
  login: '--shell',
  dir: '--cwd',
  why: 'our own capture of a command',
}

const OPTIONS = specify(
  '--lines: --bytes: --records: --json-pointer: --shape: --budget: --raw --json --fixed --all --context: --glob: --max-matches: --query: --skip: --exact --command: --exit: --focus:',
)
const PROXY = specify('--url: --header:')
/** Verbs whose first operand is an address. */
const ADDRESSED = new Set(['get', 'stats', 'search'])
const REPO = 'repo:'

/** `ctx get repo:FILE`, `ctx search repo:DIR TEXT`, `ctx stats repo:`, `ctx digest FILE`. Other verbs read no file. */
export const ctxVerbs: Reader = function* (call) {
  const served = server(call.args)
  if (served !== undefined) return served.length === 0 ? [] : [{ do: 'run', argv: served }]
  const [verb, ...operands] = parseArgs(OPTIONS, call.args).operands
  const name = textOf(verb?.value)
  if (name === 'digest')
    return operands.filter((arg) => textOf(arg.value) !== '-').map((at): Doing => ({ do: 'path', act: 'read', at }))
  const [address] = operands
  if (name === undefined || address === undefined || !ADDRESSED.has(name)) return []
  const text = textOf(address.value)
  if (text !== undefined && !text.startsWith(REPO)) return []
  return [{ do: 'path', act: 'read', at: pathIn(address), ...(name === 'get' ? {} : { tree: true }) }]
}

/** The command that `ctx mcp proxy` starts: behind `--`, or after its options. Undefined for other verbs. */
function server(args: readonly Arg[]): readonly Arg[] | undefined {
  const { operands } = parseArgs(PROXY, args, { stop: true })
  if (textOf(operands[0]?.value) !== 'mcp') return undefined
  const verb = parseArgs(PROXY, operands.slice(1), { stop: true }).operands
  return textOf(verb[0]?.value) === 'proxy' ? parseArgs(PROXY, verb.slice(1), { stop: true }).operands : undefined
}

/** The path of an address, without the selectors that may stand in the same word; the workspace where there is none. */
function pathIn(address: Arg): Arg {
  const path = cutArg(address, REPO.length)
  const text = textOf(path.value)
  if (text === undefined) return path
  return { ...path, value: exact(text.replace(/ --.*$/s, '') || '.') }
}
