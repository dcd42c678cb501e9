/** `run-s`, `run-p`, `npm-run-all`, `concurrently`: scripts of the project by name or pattern, in turn or at once. */

import type { Asking } from '../../core/question.ts'
import { type Arg, showValue, textOf } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs, specify } from '../options.ts'
import { flagged, managerOf, projectOf, runScript, unreadScript, word } from './js.ts'
import { like } from './project.ts'

const OPTIONS = specify(
  '-p|--parallel -s|--sequential -S|--serial -c|--continue-on-error -l|--print-label -n|--print-name -r|--race --max-parallel: --npm-path: --silent --aggregate-output -h|--help -v|--version',
)

export const runS: Reader = function* (call) {
  const parsed = parseArgs(OPTIONS, call.args)
  if (flagged(parsed, '-h', '-v')) return []
  return yield* scriptsNamed(call, parsed, parsed.operands.map(spelling))
}

/** An operand as it is written. A pattern that no file matches stays what it is, and a file of such a name is no script. */
const spelling = ({ value }: Arg): string | undefined => (value.is === 'glob' ? showValue(value) : textOf(value))

/** Scripts of the project by their names or patterns; undefined is a name that is not known. */
function* scriptsNamed(
  call: Invocation,
  parsed: Parsed,
  names: readonly (string | undefined)[],
): Asking<readonly Doing[]> {
  const m = managerOf(call, 'npm', parsed, undefined)
  const project = yield* projectOf(m)
  if (project === 'absent') return []
  if (project === 'unknown') return [unreadScript(m, 'scripts of package.json')]
  const out: Doing[] = []
  for (const text of names) {
    // An operand may hold arguments: `run-s "build -- --prod"`.
    const name = text?.split(' ')[0]
    if (name === undefined) return [...out, unreadScript(m, 'a script of unknown name')]
    const meant = name.includes('*') ? [...project.scripts.keys()].filter((script) => like(name, script)) : [name]
    for (const script of meant) out.push(...(yield* runScript(m, word(call, script), [], undefined)))
  }
  return out
}

const CONCURRENTLY = specify(
  '-n|--names: -c|--prefix-colors: -p|--prefix: -l|--prefix-length: -m|--max-processes: -s|--success: -t|--timestamp-format: --name-separator: --restart-tries: --restart-after: --default-input-target: --teardown: --hide: -k|--kill-others --kill-others-on-fail --kill-signal: -r|--raw --no-color -g|--group -i|--handle-input -P|--passthrough-arguments -h|--help -v|--version',
)

/** `npm:build`, `pnpm:test:*`: a script of the project in place of a shell text. */
const SHORT = /^(?:npm|yarn|pnpm|bun|node|deno):(\S.*)$/

export const concurrently: Reader = function* (call) {
  const parsed = parseArgs(CONCURRENTLY, call.args)
  const out: Doing[] = []
  for (const arg of [...parsed.operands, ...(parsed.values.get('--teardown') ?? [])]) {
    const short = SHORT.exec(spelling(arg) ?? '')?.[1]
    if (short === undefined) out.push({ do: 'code', language: 'sh', text: arg.value, label: 'concurrently' })
    else out.push(...(yield* scriptsNamed(call, parsed, [short])))
  }
  return out
}
