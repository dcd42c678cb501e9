/** GNU `parallel` and the one of moreutils: a template and lists of words make shell lines. */
import type { Asking } from '../core/question.ts'
import { type Arg, textOf } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { NOTHING, stdinText, textIn, unknownArg, word } from './parts.ts'
import { listedIn } from './splice.ts'

const SPEC = specify(
  '-j|--jobs|-P|--max-procs: -a|--arg-file:read -I: -N: -n|--max-args: -L: -l? -C|--colsep: -d|--delimiter: -0|--null ' +
    '-k|--keep-order -m -X|--xargs -q|--quote --tag --tagstring: --joblog:write --results: --tmpdir: --workdir|--wd: ' +
    '-S|--sshlogin: --sshloginfile|--slf: --halt: --retries: --delay: --timeout: --load: --memfree: --nice: --env: ' +
    '--block: --recstart: --recend: --pipe --pipepart --shuf --bar --progress --eta --dry-run --dryrun -u|--ungroup ' +
    '--line-buffer|--lb --header: --rpl: -E: -s: -t|--verbose -v --will-cite --citation --semaphore --id: --fg --bg ' +
    '--wait --resume --resume-failed --noswap --no-notice --link --plus --trc: --trim: --transferfile|--tf: --return: ' +
    '--cleanup --basefile|--bf: -i? -x -r|--no-run-if-empty --help --version -h -V',
)

/** How many lines are spelled out; beyond, one line with an unknown word stands for the rest. */
const MOST_LINES = 64

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Reader of `parallel` and `sem`. */
export const parallel: Reader = function* (call) {
  const at = call.args.findIndex((arg) => /^:::?:?\+?$/.test(textOf(arg.value) ?? ''))
  const parsed = parseArgs(SPEC, at < 0 ? call.args : call.args.slice(0, at), { stop: true })
  if (['--help', '--version', '-h', '-V', '--citation', '--dry-run', '--dryrun'].some((f) => parsed.flags.has(f)))
    return []
  const doings: Doing[] = (parsed.values.get('--joblog') ?? []).map((file) => ({ do: 'path', act: 'write', at: file }))
  if (parsed.hidden) doings.push({ do: 'opaque', what: 'parallel with unknown options' })
  const dashes = parsed.operands.findIndex((arg) => textOf(arg.value) === '--')
  const command = dashes < 0 ? parsed.operands : parsed.operands.slice(0, dashes)
  const lists =
    at >= 0 ? yield* sources(call, call.args.slice(at)) : dashes >= 0 ? [parsed.operands.slice(dashes + 1)] : []
  const items =
    lists.length > 0
      ? product(lists, parsed.flags.has('--link'))
      : (yield* fromInput(call, parsed.values.get('-a')?.at(-1))).map((item) => [item])
  const hosts = (parsed.values.get('-S') ?? []).map((host) => textOf(host.value) ?? '?').filter((host) => host !== ':')
  const where = hosts.length > 0 ? { where: { is: 'host' as const, name: hosts.join(',') } } : {}
  const template = command.map((arg) => textOf(arg.value))
  if (template.includes(undefined)) {
    return [...doings, { do: 'run', argv: [...command, ...(items[0] ?? [])], stdin: NOTHING, ...where }]
  }
  if (
    parsed.flags.has('--pipe') ||
    parsed.flags.has('--pipepart') ||
    parsed.flags.has('--semaphore') ||
    call.base === 'sem'
  ) {
    return [...doings, { do: 'code', language: 'sh', text: word(call, template.join(' ')).value, ...where }]
  }
  const mark = textOf(parsed.values.get('-I')?.at(-1)?.value) ?? '{}'
  for (const row of items.slice(0, MOST_LINES)) {
    const { text, args } = lineFor(template.join(' '), row, mark, parsed.flags.has('-q'))
    doings.push({
      do: 'code',
      language: 'sh',
      text: word(call, text).value,
      ...(args.length > 0 ? { args } : {}),
      ...where,
    })
  }
  if (items.length > MOST_LINES)
    doings.push({ do: 'run', argv: [...command, unknownArg(call, 'budget')], stdin: NOTHING, ...where })
  return doings
}

/** The lists behind `:::` (words) and `::::` (files of words). */
function* sources(call: Invocation, args: readonly Arg[]): Asking<readonly (readonly Arg[])[]> {
  const lists: Arg[][] = []
  let files = false
  for (const arg of args) {
    const text = textOf(arg.value)
    if (text !== undefined && /^:::?:?\+?$/.test(text)) {
      lists.push([])
      files = text.startsWith('::::')
    } else if (files) lists.at(-1)!.push(...(yield* fromInput(call, arg)))
    else lists.at(-1)!.push(arg)
  }
  return lists.filter((list) => list.length > 0)
}

function* fromInput(call: Invocation, file: Arg | undefined): Asking<readonly Arg[]> {
  const named = file !== undefined && textOf(file.value) !== '-'
  const listed = named ? undefined : listedIn(call.stdin)
  if (listed) return listed
  const texts = named ? [yield* textIn(call, file)] : ((yield* stdinText(call)) ?? [undefined])
  if (!named && call.stdin.none) return []
  return texts.flatMap((text) =>
    text === undefined
      ? [unknownArg(call, 'input', call.stdin.taints)]
      : text === 'absent'
        ? []
        : text
            .split('\n')
            .filter(Boolean)
            .map((row) => word(call, row)),
  )
}

function product(lists: readonly (readonly Arg[])[], linked: boolean): readonly (readonly Arg[])[] {
  if (linked) return lists[0]!.map((_, i) => lists.map((list) => list[i % list.length]!))
  let rows: (readonly Arg[])[] = [[]]
  for (const list of lists) {
    // One more than the limit, so that the caller sees that there are more.
    rows = rows.flatMap((row) => list.map((arg) => [...row, arg])).slice(0, MOST_LINES + 1)
  }
  return rows
}

/** One shell line: placeholders become quoted words, or parameters of the line where a word is not one text. */
function lineFor(template: string, row: readonly Arg[], mark: string, quoted: boolean) {
  const args: Arg[] = []
  const spell = (arg: Arg | undefined, cut: (text: string) => string): string => {
    if (arg === undefined) return ''
    const text = textOf(arg.value)
    if (text !== undefined) return quote(cut(text))
    args.push(arg)
    return `"\${${args.length}}"`
  }
  const all = (cut: (text: string) => string) => row.map((arg) => spell(arg, cut)).join(' ')
  const marks: readonly (readonly [string, (text: string) => string])[] = [
    [mark, (text) => text],
    ['{.}', (text) => text.replace(/\.[^./]*$/, '')],
    ['{/}', (text) => text.replace(/^.*\//, '')],
    ['{//}', (text) => (text.includes('/') ? text.replace(/\/[^/]*$/, '') : '.')],
    ['{/.}', (text) => text.replace(/^.*\//, '').replace(/\.[^./]*$/, '')],
  ]
  // Without a command each item is a line itself.
  if (template === '') return { text: row.map((arg) => textOf(arg.value) ?? spell(arg, (x) => x)).join(' '), args }
  const base = quoted ? template.split(' ').map(quote).join(' ') : template
  let text = base
  for (const [name, cut] of marks) if (text.includes(name)) text = text.replaceAll(name, () => all(cut))
  text = text.replace(/\{(\d+)\}/g, (found, n: string) =>
    row[Number(n) - 1] ? spell(row[Number(n) - 1], (x) => x) : found,
  )
  return { text: text === base ? `${base} ${all((x) => x)}` : text, args }
}
