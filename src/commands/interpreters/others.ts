/** Languages that we have no reader for: their files are scripts that cannot be read, their texts are opaque. */
import { textOf } from '../../core/value.ts'
import type { Doing, Reader } from '../doing.ts'
import { parseArgs } from '../options.ts'
import { specOf } from '../row.ts'
import { fromStdin, hasAny, isAddress, runsRemote, valuesOf } from './common.ts'

interface Other {
  readonly names: string
  readonly options: string
  readonly code?: string
  /** Only this verb runs a file. */
  readonly verb?: string
  readonly info?: string
  readonly single?: boolean
  /** Calls have parentheses, so that a text without calls that do something can be told. */
  readonly plain?: true
  readonly why: string
}

const OTHERS: readonly Other[] = [
  {
    names: 'Rscript R littler',
    options:
      '-e: --vanilla --no-save --no-restore --slave --quiet -q -f: --file: --args --verbose --default-packages: --version',
    code: '-e',
    plain: true,
    why: 'Rscript(1)',
  },
  {
    names: 'julia',
    options: '-e|--eval|-E|--print: -L|--load: -p: -t|--threads: --project? -J: -O? -i -q -v|--version -h|--help',
    code: '-e',
    plain: true,
    info: '-v -h',
    why: 'julia(1)',
  },
  {
    names: 'tclsh wish expect jimsh',
    options: '-c: -f: -b: -d -D: -i -N -n -v',
    code: '-c',
    info: '-v',
    why: 'expect(1), tclsh(1)',
  },
  {
    names: 'elixir iex',
    options: '-e|--eval: -r: -S: -pr: -pa: -pz: --no-halt --erl: --name: --sname: --cookie: -v|--version',
    code: '-e',
    info: '-v',
    why: 'elixir(1)',
  },
  {
    names: 'erl escript',
    options: '-eval: -s: -noshell -noinput -pa: -boot: -config: -run:',
    code: '-eval',
    single: true,
    why: 'erl(1)',
  },
  {
    names: 'groovy groovysh',
    options: '-e: -cp|--classpath: -v|--version -h',
    code: '-e',
    info: '-v -h',
    why: 'groovy',
  },
  {
    names: 'scala scala-cli amm kotlin kotlinc-jvm',
    options: '-e: -cp|-classpath: -version -h',
    code: '-e',
    info: '-version -h',
    single: true,
    why: 'scala, kotlin',
  },
  {
    names: 'runghc runhaskell ghc',
    options: '-e: -package: -i: -v --version',
    code: '-e',
    info: '--version',
    why: 'runghc FILE, ghc -e',
  },
  {
    names: 'java javaw jshell',
    options:
      '-cp|-classpath|--class-path: -jar: -m|--module: -p|--module-path: --add-modules: --add-opens: --add-exports: -version --version -help -h',
    info: '-version --version -help',
    single: true,
    why: 'java X.java, java -jar X.jar',
  },
  { names: 'swift', options: '-e: -I: -L: -F: -D: -v --version', code: '-e', why: 'swift FILE' },
  { names: 'clojure clj bb', options: '-e|--eval: -M? -X? -A? -i: -m: -f: --version', code: '-e', why: 'clojure -e' },
  {
    names: 'racket guile sbcl clisp ecl chez csi mit-scheme',
    options: '-e|--eval|-c: -l|--load: -f: --script: -x: -s: --version -v',
    code: '-e',
    info: '-v',
    why: 'Lisps',
  },
  {
    names: 'ocaml utop',
    options: '-e: -I: -init: -version',
    code: '-e',
    single: true,
    info: '-version',
    why: 'ocaml FILE',
  },
  { names: 'crystal dart v', options: '--version -v', verb: 'run', why: 'crystal run FILE, dart run FILE' },
  {
    names: 'rust-script cargo-script cargo-eval',
    options: '-e|--expr: -l|--loop: -d|--dep: --debug -f|--force -p|--package -o|--output --clear-cache',
    code: '-e -l',
    why: 'rust-script FILE',
  },
  {
    names: 'octave matlab',
    options: '--eval: -r: -batch: --no-gui -q --version',
    code: '--eval -r -batch',
    single: true,
    why: 'octave --eval',
  },
  {
    names: 'mono fsi dotnet-script',
    options: '-e: --eval: --version',
    code: '-e --eval',
    info: '--version',
    why: 'mono X.exe',
  },
  {
    names: 'wasmtime wasmer lli',
    options: '--dir: --env: --mapdir: --invoke: --version',
    verb: 'run',
    info: '--version',
    why: 'a module within a sandbox',
  },
]

/** Functions that compute and print, of the languages above. */
const PLAIN = new Set(
  'print println cat paste paste0 c sum mean median max min length nrow ncol dim head tail summary str names round nchar toupper tolower sprintf typeof class sqrt exp log abs seq rep rev sort unique table range format list data.frame matrix packageVersion sessionInfo versioninfo is.na seq_len stopifnot identical all.equal if for while'.split(
    ' ',
  ),
)

/** Whether a text of a language that nobody reads here only computes and prints: every call in it is of `PLAIN`. */
function isPlain(text: string | undefined): boolean {
  if (
    text === undefined ||
    /[`@$|\\]|::|\bccall\b|\.jl\b|<<-|\b(?:library|require|using|import|include|source|get|eval|parse)\b/.test(text)
  )
    return false
  // Who gives one of the names another meaning hides what is called.
  if (/->/.test(text) || [...text.matchAll(/([\w.]+)\s*(?:<-|=(?!=))/g)].some(([, name]) => PLAIN.has(name!)))
    return false
  return [...text.matchAll(/([\w.!]+)\s*\(/g)].every(([, name]) => PLAIN.has(name!))
}

const reader = (row: Other): Reader =>
  function* (call) {
    const parsed = parseArgs(specOf(row), call.args, { stop: true, ...(row.single ? { single: true } : {}) })
    if (hasAny(parsed, `--help --version ${row.info ?? ''}`)) return []
    const texts = valuesOf(parsed, row.code)
    if (row.plain && texts.length > 0 && texts.every((arg) => isPlain(textOf(arg.value)))) return []
    if (texts.length > 0) return [{ do: 'opaque', what: `${call.base} program`, note: 'inline' }]
    let operands = parsed.operands
    if (row.verb !== undefined && textOf(operands[0]?.value) === row.verb) operands = operands.slice(1)
    else if (row.verb !== undefined && !/[./]/.test(textOf(operands[0]?.value) ?? '.')) return []
    const file = parsed.values.get('-jar')?.at(-1) ?? parsed.values.get('-f')?.at(-1) ?? operands[0]
    if (file === undefined || textOf(file.value) === '-') {
      const stdin = fromStdin(call, 'sh')
      return stdin.length === 0 || row.verb ? [] : [{ do: 'opaque', what: `${call.base} program`, note: 'stdin' }]
    }
    if (isAddress(file)) return [runsRemote(file)]
    // `java Main` names a class and `iex -S mix` a shell: only what looks like a file is one.
    const looks = textOf(file.value) === undefined || /[./\\]/.test(textOf(file.value)!)
    const args = operands.slice(operands[0] === file ? 1 : 0)
    return looks ? [{ do: 'script', path: file, args } satisfies Doing] : []
  }

export const OTHER_LANGUAGES: Readonly<Record<string, Reader>> = Object.fromEntries(
  OTHERS.map((row) => [row.names, reader(row)]),
)
