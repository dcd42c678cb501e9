/**
 * Linters and formatters: with the right flags they edit the files of their own kinds below what they are given. A folder
 * is therefore a pattern, never the whole tree: what such a tool does not know, and hidden folders, it leaves alone.
 */
import { type Arg, concat, exact, type GlobPart, prefixOf, suffixOf, textOf } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs } from '../options.ts'
import { specOf } from '../row.ts'
import { word } from './js.ts'

export interface Formatter {
  readonly names: string
  /** What it is called in the registry, where that is not the name of the program. */
  readonly packages?: string
  readonly options: string
  /** Flags with which it edits; absent: it always does. */
  readonly edits?: string
  /** Flags with which it never does. */
  readonly checks?: string
  /** The first operand is a verb; verbs that edit without a flag. */
  readonly verbs?: string
  /** Endings of its files, as patterns of a name. */
  readonly files: string
  /** Without operands it works on the working directory. */
  readonly here?: true
  /** Without a flag it prints what it reads. */
  readonly prints?: true
  readonly single?: true
  readonly why: string
}

const SCRIPTS = '*.[jt]s *.[cm][jt]s *.[jt]sx'

export const FORMATTERS: readonly Formatter[] = [
  {
    names: 'eslint eslint_d',
    options:
      '-c|--config: --ext: -f|--format: -o|--output-file:write --rule: --parser: --plugin: --ignore-path: --ignore-pattern: --max-warnings: --cache-location: --cache-file: --rulesdir: --resolve-plugins-relative-to: --stdin-filename: --fix-type: --fix --fix-dry-run --cache --quiet --stdin --global: --env:',
    edits: '--fix',
    files: SCRIPTS,
    here: true,
    why: 'eslint --fix edits',
  },
  {
    names: 'prettier prettierd',
    packages: '@fsouza/prettierd',
    options:
      '--config: --ignore-path: --parser: --plugin: --stdin-filepath: --log-level|--loglevel: --tab-width: --print-width: --cache-location: -w|--write -c|--check -l|--list-different --cache',
    edits: '-w',
    checks: '',
    files: '*.*',
    prints: true,
    why: 'prettier prints what it formats; --write edits',
  },
  {
    names: 'biome rome',
    packages: '@biomejs/biome',
    options:
      '--config-path: --reporter: --max-diagnostics: --diagnostic-level: --changed --since: --stdin-file-path: --write --apply --apply-unsafe --fix --unsafe',
    edits: '--write --apply --apply-unsafe --fix',
    verbs: '',
    files: '*.*',
    here: true,
    why: 'biome check, lint or format --write edits',
  },
  {
    names: 'oxlint',
    options:
      '-c|--config: -f|--format: -D|--deny: -A|--allow: -W|--warn: --fix --fix-suggestions --fix-dangerously --ignore-path: --tsconfig:',
    edits: '--fix --fix-suggestions --fix-dangerously',
    files: SCRIPTS,
    here: true,
    why: 'oxlint --fix edits',
  },
  {
    names: 'oxfmt',
    options: '-c|--config: --check --list-different',
    checks: '--check --list-different',
    files: SCRIPTS,
    here: true,
    why: 'oxfmt edits',
  },
  {
    names: 'stylelint',
    options: '--config: -f|--formatter: -o|--output-file:write --ignore-path: --max-warnings: --fix',
    edits: '--fix',
    files: '*.*css',
    why: 'stylelint --fix edits',
  },
  {
    names: 'xo standard ts-standard semistandard',
    options: '--fix --parser: --plugin: --env:',
    edits: '--fix',
    files: SCRIPTS,
    here: true,
    why: 'linters on eslint',
  },
  {
    names: 'markdownlint markdownlint-cli2',
    packages: 'markdownlint-cli',
    options: '-c|--config: -o|--output:write -f|--fix -i|--ignore: -p: -r:',
    edits: '-f',
    files: '*.md',
    why: 'markdownlint --fix edits',
  },
  {
    names: 'dprint',
    options: '-c|--config: --plugins: --excludes: --stdin:',
    checks: '--stdin',
    verbs: 'fmt',
    files: '*.*',
    here: true,
    why: 'dprint fmt edits',
  },
  {
    names: 'sort-package-json',
    options: '-c|--check -q|--quiet',
    checks: '-c',
    files: 'package.json',
    here: true,
    why: 'sorts manifests in place',
  },
  {
    names: 'ruff',
    options:
      '--config: --select: --ignore: --output-file|-o:write --output-format: --cache-dir: --target-version: --fix --fix-only --unsafe-fixes --check --diff --exclude: --line-length: --watch --add-noqa',
    edits: '--fix --fix-only --add-noqa',
    checks: '--check --diff',
    verbs: 'format',
    files: '*.py',
    here: true,
    why: 'ruff format and ruff check --fix edit',
  },
  {
    names: 'black blue isort yapf autopep8 autoflake pyupgrade docformatter unify',
    options:
      '-l|--line-length: -t|--target-version: --config: --include: --exclude: --profile: --settings-path|--sp: --style: --check --check-only --diff -q -v -i|--in-place -r|--recursive --stdin-filename: -c|--code:',
    checks: '--check --check-only --diff -c',
    files: '*.py',
    why: 'formatters of Python edit what they are given',
  },
  {
    names: 'gofmt goimports gofumpt golines',
    options: '-w -l -d -s -e -r: -local: -cpuprofile:',
    edits: '-w',
    files: '*.go',
    prints: true,
    why: 'gofmt -w edits',
  },
  {
    names: 'rustfmt',
    options: '--check --edition: --config: --config-path: -l -v --emit:',
    checks: '--check --emit',
    files: '*.rs',
    why: 'rustfmt edits',
  },
  {
    names: 'clang-format',
    options: '-i -style: --style: -n --dry-run --files: --assume-filename: --Werror',
    edits: '-i',
    checks: '-n --dry-run',
    files: '*.*',
    prints: true,
    single: true,
    why: 'clang-format -i edits',
  },
  {
    names: 'shfmt',
    options: '-w -l -d -i: -ln: -ci -bn -sr -s -filename:',
    edits: '-w',
    files: '*.sh',
    prints: true,
    single: true,
    why: 'shfmt -w edits',
  },
  {
    names: 'rubocop standardrb',
    options:
      '-a|--autocorrect|-x -A|--autocorrect-all|--auto-correct-all --fix -c|--config: -f|--format: -o|--out:write --only: --except:',
    edits: '-a -A --fix',
    files: '*.rb',
    here: true,
    why: 'rubocop -a edits',
  },
  {
    names: 'phpcbf php-cs-fixer pint',
    options: '--standard: --config: --rules: --dry-run --test',
    checks: '--dry-run --test',
    files: '*.php',
    here: true,
    why: 'formatters of PHP edit',
  },
]

const given = (parsed: Parsed, flags: string | undefined): boolean =>
  (flags?.split(' ') ?? []).some((flag) => flag !== '' && parsed.flags.has(flag))

/** A reader for a linter or formatter. */
export const formatter = (row: Formatter): Reader =>
  function* (call) {
    const parsed = parseArgs(specOf(row), call.args, row.single ? { single: true } : {})
    if (given(parsed, '--help --version -h')) return []
    const out: Doing[] = [...parsed.values].flatMap(([name, args]) =>
      specOf(row).byName.get(name)?.role === 'write' ? args.map((at): Doing => ({ do: 'path', act: 'write', at })) : [],
    )
    let paths = parsed.operands
    let edits = row.edits === undefined ? row.verbs === undefined : given(parsed, row.edits)
    if (row.verbs !== undefined) {
      const verb = textOf(paths[0]?.value)
      paths = paths.slice(1)
      if (verb !== undefined && row.verbs.split(' ').includes(verb)) edits = true
    }
    if (given(parsed, row.checks)) edits = false
    if (!edits) {
      const shows = row.prints === true && !given(parsed, '-c -l -d')
      return [...out, ...(shows ? paths.map((at): Doing => ({ do: 'path', act: 'read', at })) : [])]
    }
    if (paths.length === 0 && row.here) paths = [word(call, '.')]
    return [...out, ...paths.filter((arg) => textOf(arg.value) !== '-').flatMap((arg) => filesOf(row, arg, call))]
  }

/** A file, or the files of the tool's kinds below a folder. */
function filesOf(row: Formatter, arg: Arg, call: Invocation): readonly Doing[] {
  const last = suffixOf(arg.value).split('/').at(-1)!
  const named = /[^.]\.[A-Za-z]\w*$/.test(last) || /^\.\w+rc/.test(last) || arg.value.is === 'glob'
  if (named || arg.value.is === 'oneOf' || (arg.value.is !== 'exact' && prefixOf(arg.value) === ''))
    return [{ do: 'path', act: 'edit', at: arg }]
  const text = textOf(arg.value)?.replace(/\/+$/, '')
  const dir = text === '.' ? exact('') : text === undefined ? concat(arg.value, exact('/')) : exact(`${text}/`)
  return row.files.split(' ').flatMap((pattern) =>
    (pattern === '*.*' ? LEVELS : [DEEP]).map((lead): Doing => {
      const parts = [...lead, ...partsOf(pattern)]
      const value = concat(dir, { is: 'glob', parts })
      return { do: 'path', act: 'edit', at: { ...word(call, ''), span: arg.span, value } }
    }),
  )
}

const SLASH: GlobPart = { is: 'text', text: '/' }
const STAR: GlobPart = { is: 'star' }
const DEEP: readonly GlobPart[] = [{ is: 'deep' }, SLASH]

/** Tools that take files of any kind skip hidden folders, which `**` does not: level by level, then all that is deeper. */
const LEVELS: readonly (readonly GlobPart[])[] = [
  [],
  [STAR, SLASH],
  [STAR, SLASH, STAR, SLASH],
  [STAR, SLASH, STAR, SLASH, ...DEEP],
]

const partsOf = (pattern: string): readonly GlobPart[] =>
  pattern
    .split(/(\*|\[[^\]]+\])/)
    .filter(Boolean)
    .map(
      (piece): GlobPart =>
        piece === '*'
          ? { is: 'star' }
          : piece.startsWith('[')
            ? { is: 'class', text: piece }
            : { is: 'text', text: piece },
    )
