/** Terminal multiplexers: the command of a new window, and keys typed into another one. */
import type { Asking } from '../core/question.ts'
import { type Arg, concat, exact, textOf, type Value } from '../core/value.ts'
import type { Doing, Invocation } from './doing.ts'
import { type Parsed, parseArgs, type Specification, specify } from './options.ts'
import { joined, shellText } from './prefixes/reader.ts'

const TMUX = specify('-2 -C -c: -D -f:read -L: -l -N -S: -T: -u -U -v -V')

/** Verbs of tmux that take a shell command behind their options, by full name; an abbreviation may name any of them. */
const STARTS: ReadonlyMap<string, string> = new Map([
  ['new-session', '-A -d -D -E -P -X -c: -e: -f: -F: -n: -s: -t: -x: -y:'],
  ['new-window', '-a -b -k -P -d -S -c: -e: -F: -n: -t:'],
  ['split-window', '-b -d -f -h -I -v -P -Z -c: -e: -l: -p: -t: -F:'],
  ['respawn-window', '-k -c: -e: -t:'],
  ['respawn-pane', '-k -c: -e: -t:'],
  ['run-shell', '-b -C -c: -d: -t:'],
  ['if-shell', '-b -F -t:'],
  ['display-popup', '-B -C -E -b: -c: -d: -e: -h: -s: -S: -t: -T: -w: -x: -y:'],
  ['pipe-pane', '-I -O -o -t:'],
  ['send-keys', '-F -H -K -l -M -R -X -N: -c: -t:'],
])

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['new', 'new-session'],
  ['neww', 'new-window'],
  ['splitw', 'split-window'],
  ['respawnw', 'respawn-window'],
  ['respawnp', 'respawn-pane'],
  ['run', 'run-shell'],
  ['if', 'if-shell'],
  ['popup', 'display-popup'],
  ['pipep', 'pipe-pane'],
  ['send', 'send-keys'],
])

/** Names of keys, which are no text. */
const KEY = /^(?:Enter|KPEnter|Escape|Tab|BSpace|Up|Down|Left|Right|C-.|M-.|F\d+|\\;)$/

const specs = new Map<string, Specification>()
const specOf = (text: string): Specification => {
  const known = specs.get(text) ?? specify(text)
  specs.set(text, known)
  return known
}

const typed = (arg: Arg): Value => {
  const text = textOf(arg.value) ?? ''
  return text === 'Space' ? exact(' ') : KEY.test(text) ? exact('\n') : arg.value
}

/** Reader of `tmux`. */
export function* tmux(call: Invocation): Asking<readonly Doing[]> {
  const global = parseArgs(TMUX, call.args, { stop: true })
  const doings: Doing[] = [...given(global, '-c')]
  for (const words of commandsOf(global.operands)) {
    const verb = textOf(words[0]?.value)
    if (verb === undefined) continue
    const name = ALIASES.get(verb) ?? [...STARTS.keys()].find((full) => verb.length > 3 && full.startsWith(verb))
    const options = name === undefined ? undefined : STARTS.get(name)
    if (options === undefined) continue
    const parsed = parseArgs(specOf(options), words.slice(1), { stop: true })
    const rest = parsed.operands
    if (rest.length === 0) continue
    // Keys are typed one behind the other, without blanks between.
    if (name === 'send-keys')
      doings.push(
        shellText(
          rest.map(typed).reduce((all, key) => concat(all, key), exact('')),
          { label: 'tmux send-keys' },
        ),
      )
    else if (name === 'if-shell') doings.push(...rest.slice(0, 1).map((arg) => shellText(arg.value, { label: 'tmux' })))
    else doings.push(shellText(joined(rest), { label: `tmux ${name}` }))
  }
  return doings
}

const given = (parsed: Parsed, option: string): readonly Doing[] =>
  (parsed.values.get(option) ?? []).map((arg) => shellText(arg.value, { label: 'tmux' }))

/** Commands are separated by a word that is `;`. */
function commandsOf(args: readonly Arg[]): readonly (readonly Arg[])[] {
  const out: Arg[][] = [[]]
  for (const arg of args) {
    if (textOf(arg.value) === ';') out.push([])
    else out.at(-1)!.push(arg)
  }
  return out
}

const SCREEN = specify(
  '-A -a -c:read -D -d -e: -f -h: -i -L -Logfile:write -l -m -O -p: -q -R -r -S: -s: -T: -t: -U -v -X -x',
)

/** Reader of `screen`: `-X stuff TEXT` types, `-X exec` and plain words run. */
export function* screen(call: Invocation): Asking<readonly Doing[]> {
  // `-Logfile FILE` and `-dmS NAME` do not bundle by the usual rules.
  const logs = call.args.flatMap((arg, i) => (textOf(arg.value) === '-Logfile' ? call.args.slice(i + 1, i + 2) : []))
  const args = call.args.flatMap((arg, i) =>
    textOf(arg.value) === '-Logfile' || textOf(call.args[i - 1]?.value) === '-Logfile' ? [] : [arg],
  )
  const parsed = parseArgs(SCREEN, args, { stop: true })
  const doings: Doing[] = logs.map((at) => ({ do: 'path', act: 'append', at }))
  const words = parsed.operands
  if (words.length === 0) return doings
  if (!parsed.flags.has('-X')) return [...doings, { do: 'run', argv: words }]
  const verb = textOf(words[0]?.value)
  if (verb === 'stuff') {
    const text = textOf(words[1]?.value)
    const typed = text?.replace(/\\n|\\r|\\015|\\012|\^M|\^J/g, '\n')
    return [
      ...doings,
      shellText(typed === undefined ? (words[1]?.value ?? exact('')) : exact(typed), { label: 'screen' }),
    ]
  }
  if (verb === 'exec' || verb === 'screen')
    return [...doings, { do: 'run', argv: words.slice(1).filter((arg) => !/^[.!|:]+$/.test(textOf(arg.value) ?? '')) }]
  return doings
}
