/** Editors that are given commands on the line or on stdin, and `patch`. */
import { type Arg, concat, exact, prefixOf, textOf, unknown } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { edDoings, exDoings } from './ex.ts'
import { patchedFiles } from './git/patch.ts'
import { cutArg, parseArgs, specify } from './options.ts'
import { isDash, onEach, pure, stdinText, textIn, word } from './parts.ts'
import { onPath } from './row.ts'

const VIM_WORDS = (quiet: string) =>
  `-c: --cmd: -S: ${quiet} -u: -U: -i: -w:write -W:write -T: -t: -q:read -r? -L? -o? -O? -p? -e -E -n -N -R -M -m -b -d -y -Y ` +
  '-v -Z -X -f -g -h|--help --version --clean --headless --noplugin --not-a-term --ttyfail --startuptime:write --listen: ' +
  '--remote --remote-silent --remote-send: --remote-expr: --server: --servername: --serverlist -l: -V?'

const VIM = specify(VIM_WORDS('-s?'))
/** `-s` in ex mode is silence; elsewhere a file of keys stands behind it. */
const EX = specify(VIM_WORDS('-s'))

/** Reader of vi, vim, nvim, ex, view. An editor without commands waits for keys and changes nothing by itself. */
export const vim: Reader = function* (call) {
  const batch =
    /^(?:ex|rvim|exim)$/.test(call.base) || call.args.some((arg) => /^-[nNuRMbZX]*[eE]/.test(prefixOf(arg.value)))
  const parsed = parseArgs(batch ? EX : VIM, call.args)
  if (['-h', '--help', '--version'].some((flag) => parsed.flags.has(flag))) return []
  const commands: Arg[] = ['--cmd', '-c'].flatMap((name) => parsed.values.get(name) ?? [])
  // `+cmd` may stand anywhere in front of `--`.
  const files: Arg[] = []
  for (const arg of parsed.operands) {
    const text = textOf(arg.value)
    if (text?.startsWith('+')) commands.push(cutArg(arg, 1))
    else if (!isDash(arg)) files.push(arg)
  }
  const buffer = { files, at: call.command }
  const doings: Doing[] = [...onEach('names', files), ...onEach('write', parsed.values.get('-w') ?? [])]
  for (const command of commands) {
    const text = textOf(command.value)
    if (text === undefined) doings.push({ do: 'code', language: 'vim', text: command.value })
    else if (!/^\d*$|^\//.test(text)) doings.push(...exDoings(text, buffer))
  }
  for (const script of [
    ...(parsed.values.get('-S') ?? []),
    ...(parsed.values.get('-u') ?? []),
    ...(parsed.values.get('-l') ?? []),
  ])
    if (!/^(?:NONE|NORC|DEFAULTS)$/.test(textOf(script.value) ?? ''))
      doings.push({ do: 'script', path: script, language: parsed.flags.has('-l') ? 'lua' : 'vim', args: [] })
  if (batch && !call.stdin.none) {
    const texts = yield* stdinText(call)
    if (texts === undefined)
      doings.push(...onEach('edit', files), { do: 'code', language: 'vim', text: unknown('input') })
    else for (const text of texts) doings.push(...exDoings(text, buffer))
  }
  const keys = parsed.values.get('-s') ?? []
  if (keys.length > 0) doings.push(...onEach('edit', files))
  return doings
}

/** Reader of `ed` and `red`. */
export const ed: Reader = function* (call) {
  const parsed = parseArgs(
    specify('-s|-|--quiet|--silent -p|--prompt: -G|--traditional -l -r -v -E -h|--help -V|--version'),
    call.args,
  )
  if (parsed.flags.has('-h') || parsed.flags.has('-V')) return []
  const files = parsed.operands.filter((arg) => !isDash(arg))
  const first = textOf(files[0]?.value)
  // `ed '!cmd'` edits the output of a command.
  if (first?.startsWith('!')) return [{ do: 'code', language: 'sh', text: exact(first.slice(1)) }]
  const doings: Doing[] = [...onEach('read', files)]
  if (call.stdin.none) return doings
  const texts = yield* stdinText(call)
  if (texts === undefined)
    return [...doings, ...onEach('edit', files), { do: 'code', language: 'ed', text: unknown('input') }]
  for (const text of texts) doings.push(...edDoings(text, { files, at: call.command }))
  return doings
}

const EMACS = specify(
  '--batch|-batch --script|-script: -x: -l|--load|-load: -f|--funcall|-funcall: -e: --eval|-eval: --execute: --insert: ' +
    '-L|--directory: -Q|--quick -q --no-init-file --no-site-file --daemon? -nw --no-window-system -T: -t: --chdir: -u: ' +
    '--kill --version|-version --help|-help',
)

/** Reader of emacs. Its Lisp is not read: with code it is opaque, without it waits for keys. */
export const emacs: Reader = pure((call) => {
  const parsed = parseArgs(EMACS, call.args)
  if (['--version', '--help'].some((flag) => parsed.flags.has(flag))) return []
  const files = parsed.operands.filter((arg) => !/^\+\d/.test(textOf(arg.value) ?? ''))
  const code = ['--eval', '--execute', '-f', '-l', '--script', '-x', '-e'].flatMap(
    (name) => parsed.values.get(name) ?? [],
  )
  if (code.length === 0) return onEach('names', files)
  const harmless = code.every((arg) =>
    /^\(?(?:message|princ|print|emacs-version|kill-emacs)\b[^()]*\)?$/.test(textOf(arg.value) ?? ''),
  )
  const scripts = ['-l', '--script', '-x'].flatMap((name) => parsed.values.get(name) ?? [])
  return [
    ...onEach('run', scripts),
    ...onEach('names', files),
    ...(harmless ? [] : [{ do: 'opaque' as const, what: 'emacs with Lisp code', note: 'editor-code' }]),
  ]
})

const PATCH = specify(
  '-p|--strip: -i|--input:read -d|--directory: -o|--output:write -r|--reject-file:write -b|--backup -B|--prefix: -Y: -z|--suffix: ' +
    '-D|--ifdef: -F|--fuzz: -g|--get: -V|--version-control: -R|--reverse -N|--forward -E -f|--force -t|--batch -s|--quiet|--silent ' +
    '-u|--unified -c|--context -e|--ed -n|--normal -l -T -Z --dry-run -C|--check --verbose --binary --merge? --posix ' +
    '--quoting-style: --reject-format: --read-only: --follow-symlinks -v|--version --help -x:',
)

/** Reader of `patch`: the files that the diff names, or the tree where the diff is not known. */
export const patch: Reader = function* (call) {
  const parsed = parseArgs(PATCH, call.args)
  if (['--dry-run', '-C', '-v', '--help'].some((flag) => parsed.flags.has(flag))) return []
  const [original, second] = parsed.operands
  const input = parsed.values.get('-i')?.at(-1) ?? second
  const named = input !== undefined && !isDash(input) && textOf(input.value) !== '/dev/stdin'
  const stream = !named || textOf(input.value)?.startsWith('/dev/')
  const doings: Doing[] = named ? [onPath('read', input)] : []
  const output = parsed.values.get('-o')?.at(-1)
  if (output && !isDash(output)) return [...doings, onPath('write', output)]
  const apart = (parsed.values.get('-r') ?? []).filter((at) => !isDash(at))
  doings.push(...apart.map((at) => onPath('write', at)))
  const rejects = parsed.values.get('-r') === undefined
  if (original) return [...doings, onPath('edit', original), ...(rejects ? [rejected(original)] : [])]
  const directory = parsed.values.get('-d')?.at(-1)
  const text = named ? yield* textIn(call, input) : (yield* stdinText(call))?.[0]
  if (text === 'absent' || (!named && call.stdin.none)) return doings
  const level = textOf(parsed.values.get('-p')?.at(-1)?.value)
  // Without -p only the last component counts, where no such path exists: all of them are kept here, prefixes cut.
  const strip = level === undefined ? 0 : /^\d+$/.test(level) ? Number(level) : undefined
  const files =
    text === undefined || strip === undefined ? undefined : patchedFiles(text, strip, parsed.flags.has('-R'))
  if (files === undefined) {
    // A text without headers names no file, and patch fails.
    if (text !== undefined && !/^(?:---|\+\+\+|\*\*\*|Index:|diff )/m.test(text)) return doings
    const tree: Doing = { do: 'path', act: 'edit', at: directory ?? word(call, '.'), tree: true, note: 'unpack' }
    // `git diff | patch -R` takes changes back that are kept nowhere.
    const back: Doing = { do: 'git', op: { is: 'discard', paths: { is: 'all' }, staged: false }, at: directory }
    return parsed.flags.has('-R') && stream && text === undefined ? [...doings, tree, back] : [...doings, tree]
  }
  for (const { path, act } of files) {
    const at = below(call, directory, path)
    doings.push(onPath(act, at))
    if (rejects && act === 'edit') doings.push(rejected(at))
  }
  return doings
}

/** What does not fit goes into a file beside. */
const rejected = (at: Arg): Doing => onPath('write', { ...at, value: concat(at.value, exact('.rej')) })

function below(call: Invocation, directory: Arg | undefined, path: string): Arg {
  const base = directory && textOf(directory.value)
  if (directory && base === undefined) return directory
  return word(call, base === undefined || path.startsWith('/') ? path : `${base.replace(/\/$/, '')}/${path}`)
}
