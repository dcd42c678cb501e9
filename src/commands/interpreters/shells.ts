/** POSIX-like shells. */
import { exact, prefixOf, textOf } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs, specify } from '../options.ts'
import { promptCode } from '../prompt-code.ts'
import { fromStdin } from './common.ts'

const SHELL = specify(
  '-a -b -c -e -f -h -i -k -l|--login -m -n -p -r -s -t -u -v|--verbose -x -B -C -D -E -H -P -T -o: -O: --rcfile|--init-file: --noediting --noprofile --norc --posix --restricted --debugger --dump-strings --pretty-print --emulate: --help --version',
)

/** `sh [options] -c TEXT [name args…]`, `sh [options] FILE args…`, `sh -s args… < program`. */
const shell: Reader = function* (call) {
  const args = call.args.filter((arg) => !/^\+[A-Za-z]/.test(prefixOf(arg.value)))
  const parsed = parseArgs(SHELL, args, { stop: true })
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const operands = textOf(parsed.operands[0]?.value) === '-' ? parsed.operands.slice(1) : parsed.operands
  const doings: Doing[] = []
  const start = call.env.get('BASH_ENV')
  if (start && textOf(start) !== '')
    doings.push({ do: 'script', path: { ...call.command, value: start }, language: 'sh', args: [] })
  if (parsed.flags.has('-n')) {
    const file = parsed.flags.has('-c') ? undefined : operands[0]
    return [...doings, ...(file ? [{ do: 'path', act: 'read', at: file } as const] : [])]
  }
  doings.push(...interactive(call, parsed))
  if (parsed.flags.has('-c')) {
    const [text, zero, ...rest] = operands
    if (text === undefined) return doings
    const code: Doing = { do: 'code', language: 'sh', text: text.value, args: rest }
    // The word behind the text is `$0` inside, and only there.
    return zero === undefined
      ? [...doings, code]
      : [...doings, { do: 'set', name: '0', value: zero.value }, code, { do: 'set', name: '0', value: exact('sh') }]
  }
  const [script, ...rest] = operands
  if (script === undefined || parsed.flags.has('-s')) return [...doings, ...fromStdin(call, 'sh', operands)]
  return [...doings, { do: 'script', path: script, language: 'sh', args: rest }]
}

/** What an interactive shell runs by itself: its start file, its prompt. */
function interactive(call: Invocation, parsed: Parsed): readonly Doing[] {
  const traced = parsed.flags.has('-x') ? promptCode('PS4', textOf(call.env.get('PS4'))) : []
  if (!parsed.flags.has('-i')) return traced
  const history = call.env.get('HISTFILE')
  const doings: Doing[] = (parsed.values.get('--rcfile') ?? []).map((path) => ({
    do: 'script',
    path,
    language: 'sh',
    args: [],
  }))
  const prompt = call.env.get('PROMPT_COMMAND')
  if (prompt !== undefined) doings.push({ do: 'code', language: 'sh', text: prompt, label: 'PROMPT_COMMAND' })
  if (history !== undefined && textOf(history) !== '')
    doings.push({ do: 'path', act: 'write', at: { ...call.command, value: history } })
  for (const name of ['PS0', 'PS1', 'PS2']) doings.push(...promptCode(name, textOf(call.env.get(name))))
  return [...doings, ...traced]
}

const FISH = specify(
  '-c|--command|--commands: -C|--init-command|--execute: -i|--interactive -l|--login -n|--no-execute -N|--no-config -P|--private -d|--debug: -o|--debug-output: -f|--features: -p|--profile: --profile-startup: -v|--version -h|--help --config: --env-config: --plugin-config: --stdin -e|--error-style:',
)

/** fish and nu: `-c` takes the text as its value. */
const fish: Reader = function* (call) {
  const parsed = parseArgs(FISH, call.args, { stop: true })
  if (parsed.flags.has('-v') || parsed.flags.has('-h')) return []
  const texts = [...(parsed.values.get('-C') ?? []), ...(parsed.values.get('-c') ?? [])]
  const [script, ...rest] = parsed.operands
  if (parsed.flags.has('-n')) return script ? [{ do: 'path', act: 'read', at: script }] : []
  const doings = texts.map((arg): Doing => ({ do: 'code', language: 'sh', text: arg.value, args: parsed.operands }))
  if (parsed.flags.has('-c')) return doings
  if (script === undefined) return [...doings, ...fromStdin(call, 'sh')]
  return [...doings, { do: 'script', path: script, language: 'sh', args: rest }]
}

export const SHELLS: Readonly<Record<string, Reader>> = {
  'sh bash dash ash zsh ksh mksh rbash rksh yash oksh loksh posh csh tcsh bash5 ksh93': shell,
  'fish nu elvish xonsh': fish,
}
