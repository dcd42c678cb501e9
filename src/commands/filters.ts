/**
 * Filters whose output can be told exactly where their input is: so `echo … | base64 -d | sh` is read as what it runs.
 * Anything else keeps only where it came from.
 */
import { type Arg, concat, exact, oneOf, taintsOf, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import { decode, type Encoding, encodeBase64, MOST_EXACT } from './bytes.ts'
import type { Content, Doing, Invocation, Listed, Reader } from './doing.ts'
import { formatted, readEscapes } from './escapes.ts'
import { type Parsed, parseArgs, specify } from './options.ts'
import { isDash, onEach, out, paths, pure } from './parts.ts'
import { applyRow, asksHelp, changed, inputOf, type Row, specOf } from './row.ts'
import { settingNames } from './setting-names.ts'
import { translate } from './tr.ts'

/** Reader of `echo`: the flags of bash; `-e` reads escapes. */
export const echo: Reader = pure((call) => {
  let from = 0
  let newline = true
  let escapes = false
  while (from < call.args.length) {
    const flags = /^-([neE]+)$/.exec(textOf(call.args[from]!.value) ?? '')?.[1]
    if (flags === undefined) break
    for (const flag of flags) {
      if (flag === 'n') newline = false
      else escapes = flag === 'e'
    }
    from++
  }
  const words = call.args.slice(from)
  const value = words.reduce<Value>(
    (all, arg, i) => concat(i > 0 ? concat(all, exact(' ')) : all, arg.value),
    exact(''),
  )
  return [printed(words, escapes ? withEscapes(value, newline) : newline ? concat(value, exact('\n')) : value)]
})

function withEscapes(value: Value, newline: boolean): Value {
  const texts = textsOf(value)
  if (texts === undefined) return unknown('input')
  const read = texts.map((text) => readEscapes(text, 'echo'))
  if (read.some(({ text }) => text === undefined)) return unknown('input')
  return oneOf(read.map(({ text, stop }) => text! + (newline && !stop ? '\n' : '')))
}

/** Printed words: patterns among them are names of files. */
function printed(words: readonly Arg[], value: Value): Doing {
  if (value.is !== 'glob') return out({ text: value, taints: taintsOf(value) })
  const listed: readonly Listed[] = words.map((at) => ({ at, tree: false }))
  return out({ text: unknown('input'), taints: [], paths: listed })
}

/** Reader of `printf`; `-v NAME` sets a variable of the shell. */
export const printf: Reader = pure((call) => {
  const isSet = textOf(call.args[0]?.value) === '-v'
  const rest = call.args.slice(isSet ? 2 : 0)
  const words = textOf(rest[0]?.value) === '--' ? rest.slice(1) : rest
  const format = textOf(words[0]?.value)
  const args = words.slice(1)
  const value =
    format === undefined
      ? unknown('input')
      : formatted(
          format,
          args.map((arg) => arg.value),
        )
  if (isSet) return [{ do: 'set', name: textOf(call.args[1]?.value) ?? '', value }]
  return [printed(args, value)]
})

/** Reader of `cat` and its kind: what it reads, as it is, unless an option changes lines. */
export const cat: Reader = pure((call) => {
  const parsed = parseArgs(
    specify(
      '-A|--show-all -b|--number-nonblank -e -E|--show-ends -n|--number -s|--squeeze-blank -t -T|--show-tabs -u -v|--show-nonprinting --help --version',
    ),
    call.args,
  )
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const content = inputOf(call, parsed.operands)
  const same = [...parsed.flags].every((flag) => flag === '-u')
  return [...onEach('read', paths(parsed.operands)), out(same ? content : changed(content, false))]
})

/** A change of text: what comes out for one exact text in, or undefined where that cannot be told. */
type Change = (text: string, parsed: Parsed, call: Invocation) => string | undefined

/** A row whose output is told exactly where it reads an exact stdin. */
export const exactly = (row: Omit<Row, 'names'>, change: Change): Reader => {
  const whole: Row = { names: '', out: 'changed', ...row }
  return pure((call) => {
    const doings = settingNames(call, applyRow(whole, call))
    const parsed = parseArgs(specOf(whole), call.args, whole.single ? { single: true } : {})
    const reads = doings.some((doing) => doing.do === 'path' && doing.act === 'read')
    const texts = textsOf(call.stdin.text)
    if (asksHelp(parsed, whole) || reads || parsed.unsure || texts === undefined) return doings
    const changes = texts.map((text) => (text.length > MOST_EXACT ? undefined : change(text, parsed, call)))
    if (changes.includes(undefined)) return doings
    const content: Content = { ...changed(call.stdin, whole.out === 'lines'), text: oneOf(changes as string[]) }
    return doings.map((doing) => (doing.do === 'out' ? out(content) : doing))
  })
}

/** Lines without their ends, and whether the last one had one. */
function linesOf(text: string, separator = '\n'): { readonly lines: readonly string[]; readonly ended: boolean } {
  if (text === '') return { lines: [], ended: true }
  const ended = text.endsWith(separator)
  return { lines: (ended ? text.slice(0, -1) : text).split(separator), ended }
}

const ofLines = (lines: readonly string[], ended: boolean, separator = '\n'): string =>
  lines.length === 0 ? '' : lines.join(separator) + (ended ? separator : '')

const separatorOf = (parsed: Parsed): string => (parsed.flags.has('-z') ? '\0' : '\n')

const numberOf = (parsed: Parsed, name: string): string | undefined => textOf(parsed.values.get(name)?.at(-1)?.value)

export const rev: Reader = exactly(
  { options: '-0|--zero -h|--help -V|--version', operands: 'read…', info: '-h -V', why: 'turns each line around' },
  (text) => {
    const { lines, ended } = linesOf(text)
    return ofLines(
      lines.map((line) => [...line].reverse().join('')),
      ended,
    )
  },
)

export const tac: Reader = exactly(
  {
    options: '-b|--before -r|--regex -s|--separator:',
    operands: 'read…',
    out: 'lines',
    all: true,
    why: 'lines in the other order',
  },
  (text, parsed) => {
    if (['-b', '-r', '-s'].some((flag) => parsed.flags.has(flag)) || !text.endsWith('\n')) return undefined
    return ofLines([...linesOf(text).lines].reverse(), true)
  },
)

export const tr: Reader = exactly(
  {
    options: '-c|-C|--complement -d|--delete -s|--squeeze-repeats -t|--truncate-set1',
    operands: 'skip…',
    stop: true,
    all: true,
    why: 'characters are replaced; operands are sets',
  },
  (text, parsed) => {
    const sets = parsed.operands.map((arg) => textOf(arg.value))
    return sets.includes(undefined) ? undefined : translate(text, sets as string[], parsed.flags)
  },
)

const COUNT = /^-(\d+)([bkmlc]*)[qv]*$/

/** `head` and `tail` by lines or bytes; bytes are told for plain ASCII only. */
const piece =
  (which: 'head' | 'tail'): Change =>
  (text, parsed, call) => {
    const old = call.args.map((arg) => COUNT.exec(textOf(arg.value) ?? '')).find(Boolean)
    if (old?.[2]) return undefined
    const bytes = numberOf(parsed, '-c')
    const count = bytes ?? numberOf(parsed, '-n') ?? old?.[1] ?? '10'
    const match = /^([-+]?)(\d+)$/.exec(count)
    if (!match || (bytes !== undefined && /[^\x00-\x7f]/.test(text))) return undefined
    const size = Number(match[2])
    const separator = separatorOf(parsed)
    const { lines, ended } = linesOf(text, separator)
    const items: readonly string[] = bytes === undefined ? lines : [...text]
    const kept =
      which === 'head'
        ? match[1] === '-'
          ? items.slice(0, Math.max(0, items.length - size))
          : items.slice(0, size)
        : match[1] === '+'
          ? items.slice(Math.max(0, size - 1))
          : items.slice(Math.max(0, items.length - size))
    if (bytes !== undefined) return kept.join('')
    return ofLines(kept, ended || (which === 'head' && kept.length < lines.length), separator)
  }

export const head: Reader = exactly(
  {
    options: '-c|--bytes: -n|--lines: -q|--quiet|--silent -v|--verbose -z|--zero-terminated',
    operands: 'read…',
    out: 'lines',
    why: 'the first lines',
  },
  piece('head'),
)
export const tail: Reader = exactly(
  {
    options:
      '-c|--bytes: -n|--lines: -f|--follow? -F --pid: -q|--quiet|--silent --retry -s|--sleep-interval: -v|--verbose -z|--zero-terminated -r',
    operands: 'read…',
    out: 'lines',
    why: 'the last lines',
  },
  (text, parsed, call) => (parsed.flags.has('-r') ? undefined : piece('tail')(text, parsed, call)),
)

/** Fields or characters that `cut` keeps: `1,3-5,7-`. Undefined where the list is malformed. */
function chosen(list: string, length: number): ReadonlySet<number> | undefined {
  const set = new Set<number>()
  for (const part of list.split(',')) {
    const match = /^(\d*)(-?)(\d*)$/.exec(part)
    if (!match || part === '' || part === '-') return undefined
    const from = match[1] === '' ? 1 : Number(match[1])
    const to = match[2] === '' ? from : match[3] === '' ? length : Number(match[3])
    for (let i = from; i <= Math.min(to, length); i++) set.add(i)
  }
  return set
}

export const cut: Reader = exactly(
  {
    options:
      '-b|--bytes: -c|--characters: -d|--delimiter: -f|--fields: -n --complement -s|--only-delimited --output-delimiter: -z|--zero-terminated',
    operands: 'read…',
    all: true,
    why: 'parts of each line',
  },
  (text, parsed) => {
    const fields = numberOf(parsed, '-f')
    const characters = numberOf(parsed, '-c') ?? numberOf(parsed, '-b')
    if (parsed.flags.has('--complement') || /[^\x00-\x7f]/.test(text)) return undefined
    const delimiter = numberOf(parsed, '-d') ?? '\t'
    const glue = numberOf(parsed, '--output-delimiter') ?? (fields === undefined ? '' : delimiter)
    const { lines } = linesOf(text, separatorOf(parsed))
    const done: string[] = []
    for (const row of lines) {
      if (fields !== undefined && !row.includes(delimiter)) {
        if (!parsed.flags.has('-s')) done.push(row)
        continue
      }
      const items = fields === undefined ? [...row] : row.split(delimiter)
      const wanted = chosen(fields ?? characters ?? '', items.length)
      if (wanted === undefined) return undefined
      done.push(items.filter((_, i) => wanted.has(i + 1)).join(glue))
    }
    return ofLines(done, true, separatorOf(parsed))
  },
)

const SORT =
  '-b -d -f -g -h -i -M -n -R -r|--reverse -V -c|--check? -C -m|--merge -o|--output:write -s -S|--buffer-size: -t|--field-separator: ' +
  '-T|--temporary-directory: -u|--unique -z|--zero-terminated -k|--key: --files0-from:read --compress-program: --parallel: ' +
  '--random-source:read --batch-size: --sort: --numeric-sort --debug --help --version'

const SORTED = { options: SORT, operands: 'read…', out: 'lines', all: true, why: 'lines in order' } as const

const sorted = exactly(SORTED, (text, parsed) => {
  // Only plain order of ASCII lines is the same in every locale, and even there only for one kind of letter.
  const simple = [...parsed.flags].every((flag) => ['-u', '-r', '-z', '-s'].includes(flag))
  if (!simple || /[^\x00-\x7f]/.test(text) || !/^[a-z0-9\n]*$/.test(text)) return undefined
  const { lines } = linesOf(text, separatorOf(parsed))
  const all = [...(parsed.flags.has('-u') ? new Set(lines) : lines)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return ofLines(parsed.flags.has('-r') ? all.reverse() : all, true, separatorOf(parsed))
})

/** Reader of `sort`: a helper program for temporary files runs, too. */
export const sort: Reader = function* (call) {
  const parsed = parseArgs(specify(SORT), call.args)
  const reads = new Set(parsed.operands.map((arg) => textOf(arg.value)))
  // What is sorted onto itself loses no line.
  const doings = (yield* sorted(call)).map((doing): Doing => {
    const own = doing.do === 'path' && doing.act === 'write' && reads.has(textOf(doing.at.value) ?? '\0')
    return own && !parsed.flags.has('-u') ? { ...doing, act: 'edit' } : doing
  })
  const helper = parsed.values.get('--compress-program')?.at(-1)
  return helper ? [...doings, { do: 'run', argv: [helper], when: 'branch' }] : doings
}

export const uniq: Reader = exactly(
  {
    options:
      '-c|--count -d|--repeated -D -f|--skip-fields: -i|--ignore-case -s|--skip-chars: -u|--unique -w|--check-chars: -z|--zero-terminated --group? --all-repeated?',
    operands: 'read write',
    out: 'lines',
    all: true,
    why: 'the second operand is the output file',
  },
  (text, parsed) => {
    if ([...parsed.flags].some((flag) => flag !== '-z')) return undefined
    const { lines } = linesOf(text, separatorOf(parsed))
    return ofLines(
      lines.filter((row, i) => row !== lines[i - 1]),
      true,
      separatorOf(parsed),
    )
  },
)

const encodingOf = (parsed: Parsed, base: string): Encoding =>
  parsed.flags.has('--base64url')
    ? 'base64url'
    : parsed.flags.has('--base32') || base.endsWith('base32')
      ? 'base32'
      : parsed.flags.has('--base16')
        ? 'hex'
        : 'base64'

/** Reader of `base64`, `base32` and `basenc`. */
export const base64: Reader = exactly(
  {
    options:
      '-d|-D|--decode -i|--ignore-garbage -w|--wrap: -b|--break: -o|--output:write --base64 --base64url --base32 --base32hex ' +
      '--base16 --base2msbf --base2lsbf --z85',
    operands: 'read…',
    why: 'encodes stdin or a file; on macOS -i and -o name files',
  },
  (text, parsed, call) => {
    if (['--base32hex', '--base2msbf', '--base2lsbf', '--z85', '-o'].some((flag) => parsed.flags.has(flag)))
      return undefined
    const encoding = encodingOf(parsed, call.base)
    if (parsed.flags.has('-d')) return decode(text, encoding, parsed.flags.has('-i'))
    if (encoding !== 'base64') return undefined
    const width = numberOf(parsed, '-w') ?? numberOf(parsed, '-b') ?? (call.platform === 'darwin' ? '0' : '76')
    const coded = encodeBase64(text)
    if (coded === undefined || !/^\d+$/.test(width)) return undefined
    if (Number(width) === 0) return coded + (call.platform === 'darwin' ? '\n' : '')
    return coded.replace(new RegExp(`.{1,${Number(width)}}`, 'g'), '$&\n')
  },
)

/** Reader of `xxd`: `-r -p` is told exactly. */
export const xxd: Reader = exactly(
  {
    options:
      '-a|-autoskip -b|-bits -c|-cols: -C|-capitalize -e -E|-EBCDIC -g|-groupsize: -h|-help -i|-include -l|-len: -n|-name: ' +
      '-o: -p|-ps|-postscript|-plain -r|-revert -R: -s|-seek: -u|-uppercase -v|-version',
    operands: 'read write',
    single: true,
    info: '-h -v',
    why: 'dumps, or with -r makes the file that a dump stands for',
  },
  (text, parsed) => {
    const odd = ['-s', '-l', '-o', '-b', '-i'].some((flag) => parsed.flags.has(flag))
    const reverse =
      parsed.flags.has('-rp') || parsed.flags.has('-pr') || (parsed.flags.has('-r') && parsed.flags.has('-p'))
    return odd || !reverse || parsed.operands.some((arg) => !isDash(arg)) ? undefined : decode(text, 'hex')
  },
)

/** How many numbers of `seq` are spelled out. */
const MOST_NUMBERS = 1000

/** Reader of `seq`: whole numbers. */
export const seq: Reader = pure((call) => {
  const parsed = parseArgs(specify('-f|--format: -s|--separator: -t: -w|--equal-width --help --version'), call.args)
  const numbers = parsed.operands.map((arg) => textOf(arg.value))
  const plain = ['-f', '-s', '-t', '-w'].every((flag) => !parsed.flags.has(flag))
  if (!plain || numbers.some((text) => text === undefined || !/^\d{1,9}$/.test(text)) || numbers.length === 0)
    return [out({ text: unknown('input'), taints: [] })]
  const [first, second, third] = numbers.map(Number)
  const [from, step, to] =
    numbers.length === 1 ? [1, 1, first!] : numbers.length === 2 ? [first!, 1, second!] : [first!, second!, third!]
  if (step === 0 || (to - from) / step > MOST_NUMBERS) return [out({ text: unknown('input'), taints: [] })]
  const lines: string[] = []
  for (let n = from; n <= to; n += step) lines.push(String(n))
  return [out({ text: exact(ofLines(lines, true)), taints: [] })]
})

/** Reader of `dc`, whose `!` runs a shell line. */
export const dc: Reader = pure((call) => {
  const parsed = parseArgs(specify('-e|--expression: -f|--file:read -h|--help -V|--version'), call.args)
  if (parsed.flags.has('-h') || parsed.flags.has('-V')) return []
  const files = [...(parsed.values.get('-f') ?? []), ...parsed.operands]
  const texts = [
    ...(parsed.values.get('-e') ?? []).map((arg) => arg.value),
    ...(files.length === 0 ? [call.stdin.text] : []),
  ]
  const lines = texts.flatMap((text) => [...(textOf(text) ?? '').matchAll(/!(?![<>=])(.*)/g)].map((match) => match[1]!))
  return [
    ...onEach('read', paths(files)),
    ...lines.map((text): Doing => ({ do: 'code', language: 'sh', text: exact(text) })),
  ]
})
