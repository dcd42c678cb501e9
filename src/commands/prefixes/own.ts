/** Readers of prefixes whose words do not fit a row. */
import { ask } from '../../core/question.ts'
import { type Arg, concat, exact, prefixOf, textOf, type Value } from '../../core/value.ts'
import type { Doing, Elsewhere, Invocation, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { uvVerbs } from '../packages/builds.ts'
import { specOf } from '../row.ts'
import {
  afterPrefix,
  applyPrefix,
  at,
  last,
  type Prefix,
  shellFromStdin,
  shellText,
  takeAssignments,
} from './reader.ts'

const SUDO: Prefix = {
  names: 'sudo sudoedit',
  options:
    '-A|--askpass -b|--background -B|--bell -C|--close-from: -D|--chdir: -E|--preserve-env? -e|--edit -g|--group: -H|--set-home -h|--host? -i|--login -K|--remove-timestamp -k|--reset-timestamp -l|--list -N|--no-update -n|--non-interactive -P|--preserve-groups -p|--prompt: -R|--chroot: -r|--role: -S|--stdin -s|--shell -t|--type: -T|--command-timeout: -U|--other-user: -u|--user: -V|--version -v|--validate',
  assignments: true,
  dir: '-D',
  login: '-s -i',
  info: '-K -l -V -v',
  why: 'sudo(8): the same machine with more rights',
}

const sudo: Reader = function* (call) {
  const parsed = parseArgs(specOf(SUDO), call.args, { stop: true })
  if (parsed.flags.has('-e') || call.base === 'sudoedit')
    return parsed.operands.map((arg): Doing => ({ do: 'path', act: 'edit', at: arg }))
  return applyPrefix(SUDO, call) ?? []
}

const SU = specify(
  '-c|--command: --session-command: -s|--shell: -l|--login -m|-p|--preserve-environment -P|--pty -f|--fast -g|--group: -G|--supp-group: -w|--whitelist-environment: -T|--no-pty -h|--help -V|--version -u|--user:',
)

/** Another user of the same machine; our paths are theirs, only the home is another. */
function* elsewhere(user: string | undefined, home: string) {
  if (user === undefined || user === 'root') return undefined
  const mine = yield* ask('env', { name: 'USER' })
  const name = typeof mine === 'object' ? mine.value : home.split(/[\\/]/).at(-1)
  return user === name ? undefined : ({ is: 'user', name: user, same: true } satisfies Elsewhere)
}

const su: Reader = function* (call) {
  const named = call.base === 'runuser' && call.args.some((arg) => /^(-u|--user)/.test(prefixOf(arg.value)))
  const parsed = parseArgs(SU, call.args, named ? { stop: true } : {})
  if (parsed.flags.has('-h') || parsed.flags.has('-V')) return []
  if (named) {
    const where = yield* elsewhere(textOf(last(parsed, '-u')?.value), call.home)
    return parsed.operands.length === 0 ? [] : [{ do: 'run', argv: parsed.operands, ...(where ? { where } : {}) }]
  }
  const operands = parsed.operands.filter((arg, i) => !(i === 0 && textOf(arg.value) === '-'))
  const [user, ...args] = operands
  const where = yield* elsewhere(textOf(user?.value), call.home)
  const more = where ? { where } : {}
  const texts = [...(parsed.values.get('-c') ?? []), ...(parsed.values.get('--session-command') ?? [])]
  if (texts.length > 0) return texts.map((text) => shellText(text.value, { ...more, args: args.slice(1) }))
  return [shellFromStdin(call, args, more)]
}

const ENV = specify(
  '-i|--ignore-environment -0|--null -u|--unset: -C|--chdir: -S|--split-string: -v|--debug -a|--argv0: --block-signal? --default-signal? --ignore-signal? --list-signal-handling -P: --help --version',
)

const env: Reader = function* (call) {
  const parsed = parseArgs(ENV, call.args, { stop: true })
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const words = textOf(parsed.operands[0]?.value) === '-' ? parsed.operands.slice(1) : parsed.operands
  const { set, rest } = takeAssignments(words)
  const cwd = last(parsed, '-C')
  const unset = (parsed.values.get('-u') ?? []).flatMap((arg) => textOf(arg.value) ?? [])
  const split = last(parsed, '-S')
  if (split) {
    const whole = words.length === 0 ? split.value : concat(split.value, exact(' "$@"'))
    const text = whole.is === 'exact' ? exact(whole.text.replaceAll('\\_', ' ')) : whole
    // `-S '-i A=1 rm x'`: options of env itself stand first; env reads them again.
    const again = /^\s*(-|[A-Za-z_][A-Za-z0-9_]*=)/.test(prefixOf(text)) ? concat(exact('env '), text) : text
    return [shellText(again, { args: words, ...(cwd ? { cwd } : {}) })]
  }
  if (rest.length === 0) {
    const content = { text: { is: 'unknown', why: 'variable' } as Value, taints: ['environment'] as const }
    return parsed.flags.has('-i') ? [] : [{ do: 'out', content }]
  }
  return [
    {
      do: 'run',
      argv: rest,
      ...(cwd ? { cwd } : {}),
      ...(set.size > 0 ? { set } : {}),
      ...(unset.length > 0 ? { unset } : {}),
    },
  ]
}

const busybox: Reader = function* (call) {
  const first = textOf(call.args[0]?.value)
  if (first?.startsWith('--') || call.args.length === 0) return []
  return [{ do: 'run', argv: call.args }]
}

const STRACE: Prefix = {
  names: 'strace',
  options:
    '-o|--output:write -e: -p|--attach: -s|--string-limit: -E|--env: -u|--user: -a|--columns: -b|--detach-on: -I|--interruptible: -O|--summary-syscall-overhead: -S|--summary-sort-by: -X|--const-print-style: -P|--trace-path: -U|--summary-columns: -f|--follow-forks -c|--summary-only -C|--summary -d|--debug -D? -i -k -q? -r? -t -T? -v -w -x -y -z -Z -n -N -F --seccomp-bpf --trace: --signal:',
  unset: '',
  info: '-p',
  why: 'strace(1)',
}

const strace: Reader = function* (call) {
  // `-o '|command'` and `-o '!command'` pipe the trace into a command.
  return (applyPrefix(STRACE, call) ?? []).map((doing) =>
    doing.do === 'path' && /^[|!]/.test(prefixOf(doing.at.value)) ? shellText(afterPrefix(doing.at.value, 1)) : doing,
  )
}

const SCRIPT = specify(
  '-c|--command: -q|--quiet -a|--append -e|--return -f|-F|--flush -I|--log-in:write -O|--log-out:write -B|--log-io:write -T|--log-timing:write -t? --timing? -m|--logging-format: -o|--output-limit: -E|--echo: -h|--help -V|--version -k -p -r -d',
)

const script: Reader = function* (call) {
  // On macOS a command follows the file; on Linux options may.
  const first = parseArgs(SCRIPT, call.args, { stop: true })
  const words = prefixOf(first.operands[1]?.value ?? exact('')).startsWith('-')
  const parsed = words ? parseArgs(SCRIPT, call.args) : first
  if (parsed.flags.has('-h') || parsed.flags.has('-V')) return []
  const [file, ...command] = parsed.operands
  const logs = ['-I', '-O', '-B', '-T'].flatMap((name) => parsed.values.get(name) ?? [])
  const act = parsed.flags.has('-a') ? 'append' : 'write'
  const target = file ?? (logs.length > 0 ? undefined : at(call, 'typescript'))
  const doings: Doing[] = [...(target ? [target] : []), ...logs].map((path) => ({ do: 'path', act, at: path }))
  const text = last(parsed, '-c')
  if (text) return [...doings, shellText(text.value)]
  return [...doings, command.length > 0 ? { do: 'run', argv: command } : shellFromStdin(call)]
}

const AT = specify('-f: -q: -t: -m -M -l -b -d -r -c -V -v -k')

const later: Reader = function* (call) {
  const parsed = parseArgs(AT, call.args)
  if (['-l', '-d', '-r', '-c', '-V'].some((flag) => parsed.flags.has(flag))) return []
  const file = last(parsed, '-f')
  if (file) return [{ do: 'script', path: file, language: 'sh', args: [], when: 'later' }]
  if (call.stdin.none) return []
  return [shellText(call.stdin.text, { taints: call.stdin.taints, when: 'later' })]
}

const RUNCON = specify('-c|--compute -t|--type: -u|--user: -r|--role: -l|--range:')

const runcon: Reader = function* (call) {
  const parsed = parseArgs(RUNCON, call.args, { stop: true })
  const whole = !['-c', '-t', '-u', '-r', '-l'].some((flag) => parsed.flags.has(flag))
  const argv = whole ? parsed.operands.slice(1) : parsed.operands
  return argv.length === 0 ? [] : [{ do: 'run', argv }]
}

const NIX_VALUES = new Set(['-I', '-A', '--attr', '-p', '--packages', '-E', '--expr', '-f', '--file', '--include'])

/** `nix-shell --run TEXT`, `nix develop -c CMD…`, `nix shell PKG -c CMD…`, `nix run FLAKE -- ARGS`. */
const nix: Reader = function* (call) {
  const doings: Doing[] = []
  const verb = call.base === 'nix' ? textOf(call.args[0]?.value) : 'nix-shell'
  if (!['nix-shell', 'develop', 'shell', 'run', 'develop-c'].includes(verb ?? '')) return []
  for (let i = call.base === 'nix' ? 1 : 0; i < call.args.length; i++) {
    const word = textOf(call.args[i]!.value) ?? ''
    if (verb === 'nix-shell') {
      const text = /^--(run|command)(=|$)/.exec(word)
      if (text) {
        const value = text[2] === '=' ? exact(word.slice(text[0].length)) : call.args[++i]?.value
        if (value) doings.push(shellText(value))
      } else if (NIX_VALUES.has(word) && word.startsWith('-I')) i++
      continue
    }
    if (word === '-c' || word === '--command') {
      const argv = call.args.slice(i + 1)
      return argv.length === 0 ? [] : [{ do: 'run', argv }]
    }
    if (NIX_VALUES.has(word)) i++
    else if (verb === 'run' && !word.startsWith('-')) {
      const here = /^(\.|\/|path:|git\+file:)/.test(word) || word === ''
      return here
        ? [{ do: 'opaque', what: `nix run ${word}` }]
        : [{ do: 'other', act: 'run-remote', service: 'nix', what: word }]
    }
  }
  if (doings.length === 0 && verb !== 'run' && call.stdin.none !== true) return [shellFromStdin(call)]
  return verb === 'run' ? [{ do: 'opaque', what: 'nix run' }] : doings
}

const GDB = specify(
  '-ex|--ex|-eval-command|--eval-command: -iex|--init-eval-command|--iex: -x|--command|-command: -ix|--init-command: -p|--pid: -cd|--cd: -d|--directory: -c|--core: -s|--symbols: -e|--exec: -o|-O|--one-line|--one-line-before-file: -k|--one-line-on-crash: --args -batch|--batch|-b -q|-nx|--nx|--nh --source|-S|-s:',
)

/** A debugger's commands that leave it for a shell or Python. */
function debuggerCommand(arg: Arg): readonly Doing[] {
  const text = textOf(arg.value)
  const leave = /^\s*(?:(?:platform\s+)?shell|!|make\b)\s*/.exec(text ?? '')
  if (text === undefined) return [{ do: 'opaque', what: 'debugger command' }]
  if (leave) return [shellText(exact(text.slice(leave[0].length)))]
  const python = /^\s*(?:python|py|script|pi|python-interactive)\s+/.exec(text)
  if (python) return [{ do: 'code', language: 'python', text: exact(text.slice(python[0].length)) }]
  const source = /^\s*(?:source|command source)\s+(\S+)/.exec(text)
  return source ? [{ do: 'opaque', what: `debugger script ${source[1]}` }] : []
}

const gdb: Reader = function* (call) {
  const dashes = call.base === 'lldb' ? call.args.findIndex((arg) => textOf(arg.value) === '--') : -1
  const args =
    dashes < 0 ? call.args : [...call.args.slice(0, dashes), at(call, '--args'), ...call.args.slice(dashes + 1)]
  const i = args.findIndex((arg) => ['--args', '-args'].includes(textOf(arg.value) ?? ''))
  const parsed = parseArgs(GDB, i < 0 ? args : args.slice(0, i), { single: true })
  const commands = ['-ex', '-iex', '-o', '-k'].flatMap((name) => parsed.values.get(name) ?? [])
  const files = ['-x', '-ix', '--source'].flatMap((name) => parsed.values.get(name) ?? [])
  const argv = [...parsed.operands.slice(0, 1), ...(i < 0 ? [] : args.slice(i + 1))]
  return [
    ...commands.flatMap(debuggerCommand),
    ...files.map((file): Doing => ({ do: 'path', act: 'run', at: file })),
    ...(argv.length > 0 && i >= 0 ? [{ do: 'run' as const, argv }] : []),
  ]
}

const UV_RUN = specify(
  '-m|--module: -s|--script --gui-script --with: --with-editable: --with-requirements:read -p|--python: --extra: --group: --only-group: --no-group: --env-file:read --project: --directory: --package: --index: --index-url: --extra-index-url: --refresh-package: -P: -C: --config-file: --cache-dir: --color: -q -v -n -U --isolated --no-project --no-sync --frozen --locked --all-extras --no-dev --only-dev --active --exact',
)

/** `uv run`: a command, a Python file, a module (`-m`), or code on stdin (`-`). Undefined where the verb is another. */
export function uvRun(call: Invocation): readonly Doing[] | undefined {
  const i = call.args.findIndex((arg) => textOf(arg.value) === 'run')
  if (i < 0 || call.args.slice(0, i).some((arg) => !prefixOf(arg.value).startsWith('-'))) return undefined
  const parsed = parseArgs(UV_RUN, call.args.slice(i + 1), { stop: true })
  const dir = last(parsed, '--directory')
  const more = dir ? { cwd: dir } : {}
  const module = last(parsed, '-m')
  const python = (args: readonly Arg[]): Doing => ({ do: 'run', argv: [at(call, 'python3'), ...args], ...more })
  if (module) return [python([at(call, '-m'), module, ...parsed.operands])]
  const first = parsed.operands[0]
  if (first === undefined) return []
  const text = textOf(first.value)
  if (text === '-' || parsed.flags.has('-s') || /\.pyw?$/.test(text ?? '')) return [python(parsed.operands)]
  return [{ do: 'run', argv: parsed.operands, ...more }]
}

const uv: Reader = function* (call) {
  return uvRun(call) ?? (yield* uvVerbs(call))
}

const NODEMON = specify(
  '-x|--exec: -w|--watch: -e|--ext: -i|--ignore: -d|--delay: -s|--signal: -r|--require: --config: -C|--on-change-only -L|--legacy-watch -V|--verbose -q|--quiet -I|--no-stdin --inspect? --cwd:',
)

const nodemon: Reader = function* (call) {
  const parsed = parseArgs(NODEMON, call.args, { stop: true })
  const text = last(parsed, '-x')
  if (text) {
    const rest = parsed.operands
    return [shellText(rest.length === 0 ? text.value : concat(text.value, exact(' "$@"')), { args: rest })]
  }
  return parsed.operands.length === 0 ? [] : [{ do: 'run', argv: [at(call, 'node'), ...parsed.operands] }]
}

/** Readers by names. */
export const OWN: Readonly<Record<string, Reader>> = {
  [SUDO.names]: sudo,
  'su runuser': su,
  'env genv': env,
  'busybox toybox': busybox,
  strace,
  script,
  'at batch': later,
  runcon,
  'nix nix-shell': nix,
  'gdb lldb': gdb,
  uv,
  nodemon,
}
