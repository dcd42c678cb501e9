import { taintsOf, textOf } from '../../core/value.ts'
import type { Doing } from '../doing.ts'
import type { Parsed } from '../options.ts'
import {
  asksPerson,
  brought,
  change,
  type GitCall,
  has,
  lastOf,
  onPath,
  other,
  parse,
  pure,
  type VerbReader,
} from './call.ts'
import { codeOfOption } from './code.ts'
import { hooks } from './hooks.ts'
import { onSpecs, pathsOf } from './pathspec.ts'
import { nameOf } from './worktree.ts'

/** Files named by `-F`, `-t` and the like are read; `-` is stdin. */
function readFiles(git: GitCall, parsed: Parsed, ...options: readonly string[]): readonly Doing[] {
  return options
    .flatMap((option) => parsed.values.get(option) ?? [])
    .filter((arg) => textOf(arg.value) !== '-')
    .map((arg) => onPath(git, 'read', arg))
}

const COMMIT =
  '-a|--all -m|--message: -F|--file: -n|--no-verify --verify --amend -C|--reuse-message: -c|--reedit-message:' +
  ' --fixup: --squash: --author: --date: -s|--signoff --no-signoff -p|--patch -i|--include -o|--only -e|--edit' +
  ' --no-edit --allow-empty --allow-empty-message --dry-run -t|--template: -q|--quiet -v|--verbose' +
  ' -u?|--untracked-files? --trailer: -S?|--gpg-sign? --no-gpg-sign --pathspec-from-file: --pathspec-file-nul' +
  ' --reset-author --short --branch --porcelain --long -z|--null --cleanup: --no-post-rewrite --status --no-status' +
  ' -U|--unified: --inter-hunk-context:'

/** A message is in the commit for good. */
const TOLD: Doing = { do: 'other', act: 'reveal', service: 'git', what: 'a secret in a message', note: 'value' }

export const commit: VerbReader = function* (git) {
  const parsed = parse(git, COMMIT)
  if (has(parsed, '--dry-run', '--short', '--porcelain', '--long')) return []
  const noVerify =
    has(parsed, '-n') && parsed.order.findLast((o) => /^(?:-n|--verify)$/.test(o.option))?.option === '-n'
  const amend = has(parsed, '--amend')
  const listed = has(parsed, '--pathspec-from-file')
  const paths = parsed.operands.length > 0 || listed ? yield* pathsOf(git, parsed.operands) : undefined
  return [
    // First what it does to the commit that is there: the new one is not pushed in any case.
    ...(amend ? [change(git, { is: 'rewrite', what: 'amend' })] : []),
    change(git, { is: 'commit', all: has(parsed, '-a'), noVerify, paths }),
    ...(parsed.values.get('-m')?.some((arg) => taintsOf(arg.value).includes('secret')) ? [TOLD] : []),
    ...readFiles(git, parsed, '-F', '-t', '--pathspec-from-file'),
    ...(yield* hooks(git, amend ? 'amend' : 'commit', noVerify ? '--no-verify' : undefined)),
  ]
}

const ADD =
  '-A|--all -u|--update -p|--patch -i|--interactive -e|--edit -f|--force -n|--dry-run -v|--verbose -N|--intent-to-add' +
  ' --chmod: --refresh --renormalize --ignore-errors --ignore-missing --ignore-removal --no-all --no-ignore-removal' +
  ' --sparse --pathspec-from-file: --pathspec-file-nul -U|--unified: --inter-hunk-context:'

export const add: VerbReader = function* (git) {
  const parsed = parse(git, ADD)
  if (has(parsed, '-n', '--refresh')) return []
  if (has(parsed, '-p', '-i') && asksPerson(git)) return [other(git)]
  const paths = yield* pathsOf(git, parsed.operands)
  // What is named goes into history: whoever may not see its content may not commit it either.
  const reads = yield* onSpecs(git, 'read', parsed.operands, { tree: false, note: 'git-add' })
  const shallow = reads.map((doing) => {
    if (doing.do !== 'path') return doing
    const { tree: _, ...rest } = doing
    return rest
  })
  return [change(git, { is: 'add', paths, force: has(parsed, '-f') }), ...shallow]
}

/** `update-index --add FILE` is the plumbing below `add -f`. */
export const updateIndex: VerbReader = function* (git) {
  const parsed = parse(
    git,
    '--add --remove --force-remove --refresh --really-refresh -q --cacheinfo: --chmod: --assume-unchanged --no-assume-unchanged' +
      ' --skip-worktree --no-skip-worktree --stdin -z --index-info --replace --info-only --verbose',
  )
  if (!has(parsed, '--add')) return [other(git)]
  return [other(git), ...(yield* onSpecs(git, 'read', parsed.operands, { tree: false, note: 'git-add' }))]
}

/** Steps of an operation that was begun before: they lose nothing that its beginning did not. */
const STEPS = ['--abort', '--continue', '--quit', '--skip', '--edit-todo', '--show-current-patch', '--retry']

const MERGE =
  '-m|--message: -F|--file: -s|--strategy: -X|--strategy-option: --ff --ff-only --no-ff --no-verify --verify --squash' +
  ' --no-squash --commit --no-commit -e|--edit --no-edit --log? --no-log -n --stat --no-stat --signoff --no-signoff' +
  ' -S?|--gpg-sign? --no-gpg-sign -q|--quiet -v|--verbose --autostash --no-autostash --allow-unrelated-histories' +
  ' --rerere-autoupdate --no-rerere-autoupdate --overwrite-ignore --cleanup: --into-name: --abort --continue --quit'

export const merge: VerbReader = function* (git) {
  const parsed = parse(git, MERGE)
  if (has(parsed, ...STEPS)) return [other(git)]
  const skipped = has(parsed, '--no-verify') ? '--no-verify' : undefined
  const brings = brought('since', parsed.operands)
  return [other(git, git.verb, brings), ...readFiles(git, parsed, '-F'), ...(yield* hooks(git, 'merge', skipped))]
}

const REBASE =
  '--onto: --keep-base --root -i|--interactive -x|--exec: --autosquash --no-autosquash --autostash --no-autostash' +
  ' --fork-point --no-fork-point -m|--merge --apply -s|--strategy: -X|--strategy-option: -f|--force-rebase|--no-ff' +
  ' --no-verify --verify --update-refs --no-update-refs -r?|--rebase-merges? --no-rebase-merges -q|--quiet -v|--verbose' +
  ' --stat -n|--no-stat -C: --signoff --reset-author-date --ignore-date --committer-date-is-author-date --empty:' +
  ' --keep-empty --no-keep-empty --reapply-cherry-picks --no-reapply-cherry-picks --allow-empty-message' +
  ' -S?|--gpg-sign? --no-gpg-sign --whitespace: --ignore-whitespace --reschedule-failed-exec' +
  ' --no-reschedule-failed-exec --rerere-autoupdate --no-rerere-autoupdate --trailer: --no-ff' +
  ' --abort --continue --quit --skip --edit-todo --show-current-patch'

export const rebase: VerbReader = function* (git) {
  const parsed = parse(git, REBASE)
  const code = (parsed.values.get('-x') ?? []).flatMap((arg) => codeOfOption(arg, 'rebase --exec'))
  if (has(parsed, ...STEPS)) return [other(git), ...code]
  const onto = lastOf(parsed, '--onto') ?? parsed.operands[0]
  const skipped = has(parsed, '--no-verify') ? '--no-verify' : undefined
  const brings = brought('since', [onto])
  return [
    change(git, { is: 'rewrite', what: 'rebase', ...(onto ? { onto: nameOf(onto) } : {}), ...(brings && { brings }) }),
    ...code,
    ...(yield* hooks(git, 'rebase', skipped)),
  ]
}

const PICK =
  '-e|--edit --no-edit -n|--no-commit -m|--mainline: -s|--signoff -x -S?|--gpg-sign? --no-gpg-sign --ff --allow-empty' +
  ' --allow-empty-message --keep-redundant-commits --empty: --strategy: -X|--strategy-option: --cleanup: --reference' +
  ' --rerere-autoupdate --no-rerere-autoupdate --abort --continue --quit --skip'

export const pick: VerbReader = function* (git) {
  const parsed = parse(git, PICK)
  if (has(parsed, ...STEPS)) return [other(git)]
  return [other(git, git.verb, brought('of', parsed.operands)), ...(yield* hooks(git, git.verb))]
}

export const bisect: VerbReader = pure((git) => {
  const [head, ...rest] = git.args
  switch (textOf(head?.value)) {
    case 'run':
      return [
        other(git, 'bisect run'),
        { do: 'run', argv: rest, when: 'branch', ...(git.base ? { cwd: git.base } : {}) },
      ]
    case 'log':
    case 'view':
    case 'visualize':
    case 'terms':
    case 'help':
    case undefined:
      return []
    case 'replay':
      return [other(git, 'bisect replay'), ...rest.map((arg) => onPath(git, 'read', arg))]
    default:
      return [other(git, `bisect ${nameOf(head)}`)]
  }
})

const FILTERS = ['--setup', '--env-filter', '--tree-filter', '--index-filter', '--parent-filter', '--msg-filter']
const MORE_FILTERS = ['--commit-filter', '--tag-name-filter']

export const filterBranch: VerbReader = pure((git) => {
  const filters = [...FILTERS, ...MORE_FILTERS]
  const parsed = parse(
    git,
    `${filters.map((name) => `${name}:`).join(' ')} --subdirectory-filter: --prune-empty --original: -d: -f|--force --state-branch: --remap-to-ancestor`,
  )
  // Single dashes go to git rev-list.
  return [
    change(git, { is: 'rewrite', what: 'history' }),
    ...filters.flatMap((name) => (parsed.values.get(name) ?? []).flatMap((arg) => codeOfOption(arg, name, 'branch'))),
  ]
})

const CALLBACKS =
  '--filename-callback: --file-info-callback: --message-callback: --name-callback: --email-callback: --refname-callback:' +
  ' --blob-callback: --commit-callback: --tag-callback: --reset-callback: --done-callback:'

export const filterRepo: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    `${CALLBACKS} --analyze --dry-run --path: --path-glob: --path-regex: --paths-from-file:read --replace-text:read --replace-message:read --mailmap:read --invert-paths --force --refs: --to-subdirectory-filter: --subdirectory-filter: --source: --target:`,
  )
  if (has(parsed, '--analyze', '--dry-run', '--help', '-h', '--version')) return []
  const code: Doing[] = [...parsed.values]
    .filter(([name]) => name.endsWith('-callback'))
    .flatMap(([name, args]) =>
      args.map((arg): Doing => ({ do: 'code', language: 'python', text: arg.value, when: 'branch', label: name })),
    )
  return [
    change(git, { is: 'rewrite', what: 'history' }),
    ...readFiles(git, parsed, '--paths-from-file', '--replace-text', '--replace-message', '--mailmap'),
    ...code,
  ]
})

/** Runs a command of git once for each of the repositories that a setting lists. */
export const forEachRepo: VerbReader = pure((git) => {
  const parsed = parse(git, '--config: --keep-going', { stop: true })
  return parsed.operands.length === 0
    ? []
    : [{ do: 'run', argv: [git.call.command, ...parsed.operands], when: 'branch' }]
})
