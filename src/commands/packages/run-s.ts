/** `run-s`, `run-p`, `npm-run-all`: scripts of the project by name or pattern, one after the other or at once. */
import { textOf } from '../../core/value.ts'
import type { Doing, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { flagged, managerOf, projectOf, runScript, unreadScript, word } from './js.ts'
import { like } from './project.ts'

const OPTIONS = specify(
  '-p|--parallel -s|--sequential -S|--serial -c|--continue-on-error -l|--print-label -n|--print-name -r|--race --max-parallel: --npm-path: --silent --aggregate-output -h|--help -v|--version',
)

export const runS: Reader = function* (call) {
  const parsed = parseArgs(OPTIONS, call.args)
  if (flagged(parsed, '-h', '-v')) return []
  const m = managerOf(call, 'npm', parsed, undefined)
  const project = yield* projectOf(m)
  if (project === 'absent') return []
  if (project === 'unknown') return [unreadScript(m, 'scripts of package.json')]
  const out: Doing[] = []
  for (const arg of parsed.operands) {
    // An operand may hold arguments: `run-s "build -- --prod"`.
    const name = textOf(arg.value)?.split(' ')[0]
    if (name === undefined) return [...out, unreadScript(m, 'a script of unknown name')]
    const names = name.includes('*') ? [...project.scripts.keys()].filter((script) => like(name, script)) : [name]
    for (const script of names) out.push(...(yield* runScript(m, word(call, script), [], undefined)))
  }
  return out
}
