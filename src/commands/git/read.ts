/** Verbs that look: they read files, print paths, and some write what they print to a file. */

import { type Asking, ask } from '../../core/question.ts'
import { type Arg, concat, exact, textOf, unknown } from '../../core/value.ts'
import { join } from '../../paths/lexical.ts'
import type { Doing, Listed } from '../doing.ts'
import type { Parsed } from '../options.ts'
import {
  change,
  type GitCall,
  has,
  here,
  lastOf,
  onPath,
  other,
  out,
  parse,
  pure,
  repoHere,
  splitDashes,
  type VerbReader,
  word,
} from './call.ts'
import { codeOfOption, codeOfUrl } from './code.ts'
import { onSpecs } from './pathspec.ts'

/** `HEAD` and the like are one line. */
const MOST_HEAD = 4096

const DIFF =
  '-p|-u|--patch -s|--no-patch -U|--unified: --output:write --output-indicator-new: --output-indicator-old: --raw' +
  ' --patch-with-raw --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --submodule?' +
  ' --color? --no-color --color-moved? --word-diff? --word-diff-regex: --check -z -R -a|--text -b -w -B? -M? -C? -D' +
  ' --find-renames? --find-copies? -l: -S: -G: --find-object: --pickaxe-regex --pickaxe-all -O: --skip-to: --rotate-to:' +
  ' --relative? --ext-diff --no-ext-diff --textconv --no-textconv -q|--quiet --exit-code --cached|--staged --no-index' +
  ' --merge-base --diff-filter: --inter-hunk-context: -n|--max-count: --skip: --since: --until: --after: --before:' +
  ' --author: --committer: --grep: -L: --format: --pretty? --date: --oneline --graph --follow --all --decorate?' +
  ' --branches? --tags? --remotes? --glob: --exclude: -c --cc -m --diff-merges: --first-parent -t -r --root --stdin' +
  ' -i -E -F -P --encoding: --notes? --show-signature --reverse --no-walk? --walk-reflogs|-g --anchored: --src-prefix:' +
  ' --dst-prefix: --line-prefix: --diff-algorithm: --ws-error-highlight:'

const SHOWS_NAMES = ['--name-only', '--name-status', '--stat', '--numstat', '--shortstat', '--raw', '--summary']

/** A word `REV:path` names a file as it is in a commit. */
function fileOfRevision(arg: Arg): Arg | undefined {
  const text = textOf(arg.value)
  const match = text === undefined ? undefined : /^(?:[^:]*):(?:\.\/)?(.+)$/.exec(text)
  return match && !text!.startsWith(':(') ? word(match[1]!.replace(/^[0-3]:/, ''), arg) : undefined
}

/** Paths whose content a verb of the diff family shows: those behind `--`, and words that name a file of a commit. */
function* shown(
  git: GitCall,
  parsed: Parsed,
  before: readonly Arg[],
  after: readonly Arg[] | undefined,
): Asking<readonly Doing[]> {
  const doings: Doing[] = []
  for (const arg of parsed.operands) {
    const file = fileOfRevision(arg)
    if (file) doings.push(onPath(git, 'read', file, { note: 'git' }))
    else if (before.includes(arg) && after === undefined) {
      // Without `--` a word is a path where it looks like one; a revision read as a path alarms nobody.
      const text = textOf(arg.value)
      if (text === undefined ? arg.value.is === 'glob' : /[./\\*?[]/.test(text) && !/\.\.|^-|^[^/]*[~^@]/.test(text))
        doings.push(...(yield* onSpecs(git, 'read', [arg], { note: 'git' })))
    }
  }
  if (after !== undefined) doings.push(...(yield* onSpecs(git, 'read', after, { note: 'git' })))
  return doings
}

function written(git: GitCall, parsed: Parsed, ...options: readonly string[]): readonly Doing[] {
  return options.flatMap((option) => (parsed.values.get(option) ?? []).map((arg) => onPath(git, 'write', arg)))
}

/** `diff`, `log`, `show` and their plumbing. `patch`: content is shown unless only names are asked for. */
const diffLike = (patch: boolean): VerbReader =>
  function* (git) {
    const { before, after } = splitDashes(git.args)
    const parsed = parse({ ...git, args: before }, DIFF)
    const names = has(parsed, ...SHOWS_NAMES) && !has(parsed, '-p')
    const content = names ? false : patch ? !has(parsed, '-s') : has(parsed, '-p', '-L', '-c', '--cc', '--ext-diff')
    const lines = (parsed.values.get('-L') ?? []).flatMap((arg) => {
      const path = /:([^:]+)$/.exec(textOf(arg.value) ?? '')?.[1]
      return path === undefined ? [] : [onPath(git, 'read', word(path, arg), { note: 'git' })]
    })
    return [
      ...written(git, parsed, '--output'),
      ...(has(parsed, '--no-index')
        ? [...parsed.operands, ...(after ?? [])].map((arg) => onPath(git, 'read', arg))
        : []),
      ...(content && !has(parsed, '--no-index') ? yield* shown(git, parsed, before, after) : []),
      ...lines,
      ...(has(parsed, '--name-only')
        ? [out({ text: unknown('substitution'), paths: [{ at: here(git, word('.')), tree: true, some: true }] })]
        : []),
    ]
  }

export const diff = diffLike(true)
export const log = diffLike(false)

/** `git show`: a commit's changes, or a file of one. */
export const show = diffLike(true)

export const difftool: VerbReader = function* (git) {
  const { before, after } = splitDashes(git.args)
  const parsed = parse(
    { ...git, args: before },
    `-x|--extcmd: --tool|-t: -y|--no-prompt --prompt -d|--dir-diff -g|--gui --tool-help --trust-exit-code --no-symlinks --symlinks ${DIFF.replace(' -t ', ' ')}`,
  )
  return [
    ...codeOfOption(lastOf(parsed, '-x'), 'difftool --extcmd', 'branch'),
    ...(yield* shown(git, parsed, before, after)),
  ]
}

export const blame: VerbReader = function* (git) {
  const { before, after } = splitDashes(git.args)
  const parsed = parse(
    { ...git, args: before },
    '-L: -l -t -S: -p|--porcelain --line-porcelain --incremental --encoding: --contents:read --date: -M? -C? -h -c --score-debug -f -n -s -e|--show-email -w --abbrev? --ignore-rev: --ignore-revs-file: --color-lines --color-by-age --root --since: --reverse --first-parent',
  )
  const file = after?.at(-1) ?? parsed.operands.at(-1)
  return [
    ...(parsed.values.get('--contents') ?? []).map((arg) => onPath(git, 'read', arg)),
    ...(file ? [onPath(git, 'read', file, { note: 'git' })] : []),
  ]
}

export const catFile: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '-t -s -e -p --textconv --filters --path: --batch? --batch-check? --batch-command? --batch-all-objects --buffer --unordered --follow-symlinks --allow-unknown-type -Z -z --filter:',
  )
  return parsed.operands.flatMap((arg) => {
    const file = fileOfRevision(arg)
    return file && !has(parsed, '-t', '-s', '-e') ? [onPath(git, 'read', file, { note: 'git' })] : []
  })
})

const GREP =
  '-e: -f:read -i -v -w -n|--line-number -l|--files-with-matches|--name-only -L|--files-without-match -c|--count -h -H -r' +
  ' -a -I -E -G -P -F -o -p -q|--quiet -z -W --and --or --not --all-match --cached --untracked --no-index -A: -B: -C:' +
  ' -m|--max-count: --max-depth: --threads: -O?|--open-files-in-pager? --color? --no-color --column --break --heading' +
  ' --recurse-submodules --no-exclude-standard --exclude-standard --full-name --textconv --no-textconv --parent-basename:'

export const grep: VerbReader = function* (git) {
  const { before, after } = splitDashes(git.args)
  const parsed = parse({ ...git, args: before }, GREP)
  const paths = [...parsed.operands.slice(has(parsed, '-e', '-f') ? 0 : 1), ...(after ?? [])]
  const pager = lastOf(parsed, '-O')
  return [
    ...(parsed.values.get('-f') ?? []).map((arg) => onPath(git, 'read', arg)),
    ...(has(parsed, '-O') ? codeOfOption(pager, 'grep --open-files-in-pager', 'branch') : []),
    ...(yield* onSpecs(git, 'read', paths, { note: 'git' })),
    ...(has(parsed, '-l', '-L')
      ? [
          out({
            text: unknown('substitution'),
            paths: chosen(listed(git, paths)),
          }),
        ]
      : []),
  ]
}

const listed = (git: GitCall, paths: readonly Arg[], only?: Listed['only']): readonly Listed[] =>
  (paths.length > 0 ? paths : [word('.')]).map((arg) => ({ at: here(git, arg), tree: true, ...(only ? { only } : {}) }))

/** Only some of what lies there: what is changed, or what holds a text. */
const chosen = (items: readonly Listed[]): readonly Listed[] => items.map((item) => ({ ...item, some: true }))

export const lsFiles: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '-z -t -v -f -c|--cached -d|--deleted -m|--modified -o|--others -i|--ignored -s|--stage -u|--unmerged -k|--killed --directory --no-empty-directory --eol --deduplicate -x|--exclude: -X|--exclude-from:read --exclude-per-directory: --exclude-standard --error-unmatch --with-tree: --full-name --recurse-submodules --abbrev? --debug --sparse --format:',
  )
  const paths = parsed.operands
  const lists = has(parsed, '-o')
    ? has(parsed, '-i')
      ? listed(git, paths, 'ignored')
      : has(parsed, '--exclude-standard')
        ? listed(git, paths, 'untracked')
        : [...listed(git, paths, 'untracked'), ...listed(git, paths, 'ignored')]
    : has(parsed, '-m', '-d', '-u', '-k')
      ? chosen(listed(git, paths))
      : listed(git, paths)
  return [out({ text: unknown('substitution'), paths: lists })]
})

export const lsTree: VerbReader = pure((git) => [out({ text: unknown('substitution'), paths: listed(git, []) })])

/** The branch that is checked out, read from `HEAD`; undefined where it cannot be told. */
export function* currentBranch(git: GitCall): Asking<string | undefined> {
  const repo = yield* repoHere(git)
  if (typeof repo === 'string') return undefined
  const text = yield* ask('text', { path: join(repo.gitDir, 'HEAD', git.flavour), limit: MOST_HEAD })
  return typeof text === 'string' ? undefined : /^ref: refs\/heads\/(.+?)\s*$/.exec(text.text)?.[1]
}

function* branchOut(git: GitCall, prefix = ''): Asking<readonly Doing[]> {
  const name = yield* currentBranch(git)
  return name === undefined ? [] : [out({ text: exact(`${prefix}${name}\n`) })]
}

export const revParse: VerbReader = function* (git) {
  const words = git.args.map((arg) => textOf(arg.value))
  if (words.includes('--abbrev-ref') && words.some((text) => text === 'HEAD' || text === '@'))
    return yield* branchOut(git)
  if (words.includes('--symbolic-full-name') && words.includes('HEAD')) return yield* branchOut(git, 'refs/heads/')
  const [first] = words
  const asked = [
    '--show-toplevel',
    '--git-dir',
    '--absolute-git-dir',
    '--git-common-dir',
    '--show-cdup',
    '--show-prefix',
  ]
  if (words.length !== 1 || first === undefined || !asked.includes(first)) return []
  const repo = yield* repoHere(git)
  if (typeof repo === 'string') return []
  switch (first) {
    case '--show-toplevel':
      return [out({ text: exact(`${repo.root}\n`), paths: [{ at: word(repo.root), tree: false }] })]
    case '--git-dir':
    case '--absolute-git-dir':
      return [out({ text: exact(`${repo.gitDir}\n`), paths: [{ at: word(repo.gitDir), tree: false }] })]
    default:
      return []
  }
}

export const showCurrent: VerbReader = (git) => branchOut(git)

export const formatPatch: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    `-o|--output-directory: --stdout -k -N|--no-numbered -n|--numbered -s|--signoff --start-number: -v|--reroll-count: --subject-prefix: --to: --cc: --in-reply-to: --suffix: --signature: --signature-file:read --attach? --inline? --thread? --cover-letter --base: --interdiff: --range-diff: --output:write --filename-max-length: --cover-from-description: --description-file:read --from? --zero-commit`,
  )
  if (has(parsed, '--stdout')) return []
  const file = parsed.values.get('--output')
  if (file) return file.map((arg) => onPath(git, 'write', arg))
  const dir = lastOf(parsed, '-o') ?? word('.')
  // Each commit gives a file of its own there: one name stands for them all.
  const patch = { ...dir, value: concat(dir.value, exact('/0001-commit.patch')) }
  return [onPath(git, 'create', dir), onPath(git, 'create', patch)]
})

export const archive: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '-o|--output:write --format: -l|--list -v|--verbose --prefix: --add-file:read --add-virtual-file: --worktree-attributes --mtime: --remote: --exec:',
  )
  return [
    ...written(git, parsed, '-o'),
    ...(parsed.values.get('--add-file') ?? []).map((arg) => onPath(git, 'read', arg)),
    ...codeOfUrl(lastOf(parsed, '--remote')),
    ...codeOfOption(lastOf(parsed, '--exec'), 'archive --exec', 'branch'),
  ]
})

export const bundle: VerbReader = pure((git) => {
  const [verb, ...rest] = git.args
  const parsed = parse(
    { ...git, args: rest },
    '-q|--quiet --progress --all-progress --version: --all --branches? --tags? --since: --not',
  )
  const file = parsed.operands[0]
  if (file === undefined || textOf(file.value) === '-') return []
  if (textOf(verb?.value) === 'create') return [onPath(git, 'write', file)]
  return [onPath(git, 'read', file), ...(textOf(verb?.value) === 'unbundle' ? [other(git, 'bundle unbundle')] : [])]
})

export const hashObject: VerbReader = pure((git) => {
  const parsed = parse(git, '-t: -w --stdin --stdin-paths --path: --no-filters --literally')
  return [...parsed.operands.map((arg) => onPath(git, 'read', arg)), ...(has(parsed, '-w') ? [other(git)] : [])]
})

/** `-o DIR` of reports about the machine. */
export const report: VerbReader = pure((git) => {
  const parsed = parse(git, '-o|--output-directory: -s|--suffix: --diagnose? --mode:')
  return [onPath(git, 'create', lastOf(parsed, '-o') ?? word('.'))]
})

/** Edits a file in place: `interpret-trailers --in-place`, `merge-file`. */
export const inPlace: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '--in-place --trim-empty --where: --if-exists: --if-missing: --only-trailers --parse --trailer: -p|--stdout -L: -q -z --ours --theirs --union --diff3 --object-id --marker-size:',
  )
  if (git.verb === 'merge-file') {
    const [current, ...rest] = parsed.operands
    const reads = rest.map((arg) => onPath(git, 'read', arg))
    return current === undefined || has(parsed, '-p') ? reads : [onPath(git, 'edit', current), ...reads]
  }
  return parsed.operands.map((arg) => onPath(git, has(parsed, '--in-place') ? 'edit' : 'read', arg))
})

export const mailSplit: VerbReader = pure((git) => {
  const parsed = parse(git, '-o: -b -d: -f: --keep-cr --mboxrd')
  return [
    ...(parsed.values.get('-o') ?? []).map((arg) => onPath(git, 'write', arg, { tree: true })),
    ...parsed.operands.map((arg) => onPath(git, git.verb === 'mailinfo' ? 'write' : 'read', arg)),
  ]
})

export const notes: VerbReader = pure((git) => {
  const verb = textOf(git.args[0]?.value)
  if (verb === undefined || verb === 'list' || verb === 'show' || verb === 'get-ref') return []
  const parsed = parse(git, '-F|--file:read -m: -C: -c: -f --allow-empty --ref:')
  return [
    change(git, { is: 'other', verb: `notes ${verb}` }),
    ...(parsed.values.get('-F') ?? []).map((arg) => onPath(git, 'read', arg)),
  ]
})
