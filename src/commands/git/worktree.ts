/** Verbs that change files of the work tree: checkout, switch, restore, reset, clean, rm, mv, stash, plumbing. */

import type { Brought, GitPaths } from '../../core/git-op.ts'
import { type Asking, ask } from '../../core/question.ts'
import { type Arg, prefixOf, showValue, textOf, unknown } from '../../core/value.ts'
import { join } from '../../paths/lexical.ts'
import type { Doing } from '../doing.ts'
import type { Parsed } from '../options.ts'
import {
  asksPerson,
  brought,
  change,
  fixed,
  type GitCall,
  has,
  here,
  isNo,
  lastOf,
  onPath,
  other,
  parse,
  pure,
  settingOf,
  splitDashes,
  type VerbReader,
} from './call.ts'
import { hooks } from './hooks.ts'
import { ALL, hereOnly, onSpecs, pathsOf } from './pathspec.ts'

/** Paths that stand in a file that is not read here: any path may be meant. */
const UNSEEN: Arg = { value: unknown('input'), span: { from: 0, to: 0 } }

/** What an argument says, for operations that name revisions as text. */
export const nameOf = (arg: Arg | undefined): string => (arg === undefined ? '' : showValue(arg.value))

const pathsFrom = (parsed: Parsed, paths: readonly Arg[]): readonly Arg[] =>
  has(parsed, '--pathspec-from-file') ? [UNSEEN, ...paths] : paths

/** A tree-ish that is the commit checked out: content from there is no news for frozen paths. */
const isHead = (text: string | undefined): boolean => text === undefined || text === 'HEAD' || text === '@'

/**
 * Named paths are discarded: the operation, and a write of each path for the sake of frozen paths. A whole tree from
 * the index or HEAD brings back only what is there already, so it is the operation alone.
 */
function* discard(
  git: GitCall,
  args: readonly Arg[],
  how: { readonly staged: boolean; readonly from?: string; readonly submodules?: boolean },
): Asking<readonly Doing[]> {
  const paths = yield* pathsOf(git, args)
  const wide = args.every((arg) => /^(?:\.\/?|:\/|:\(top\))$/.test(textOf(arg.value) ?? ''))
  const writes = wide && isHead(how.from) ? [] : yield* onSpecs(git, 'write', args, { note: 'git' })
  return [change(git, { is: 'discard', paths, ...how }), ...writes]
}

/** How likely a word names a path and not a revision. */
function* isPath(git: GitCall, arg: Arg): Asking<boolean> {
  const text = textOf(arg.value)
  if (text === undefined) {
    if (arg.value.is === 'glob' || arg.value.is === 'unknown') return true
    // A known beginning that ends in a slash may be either; branches are the usual reading of `feature/$x`.
    return /^(?:\.|\/)/.test(prefixOf(arg.value))
  }
  if (text === '-' || text === '@' || /^(?:HEAD|FETCH_HEAD|ORIG_HEAD|MERGE_HEAD)(?:[~^@:].*)?$/.test(text)) return false
  if (/^(?:\.{1,2}(?:[/\\].*)?|:.*|[/\\].*|.*[*?[].*|.*[/\\])$/.test(text)) return true
  if (/[~^]|@\{/.test(text)) return false
  if (git.dir === undefined) return /\.[A-Za-z0-9]{1,5}$/.test(text)
  const found = yield* ask('stat', { path: join(git.dir, text, git.flavour) })
  return found !== 'absent'
}

const bringing = (brings: Brought | undefined) => (brings === undefined ? {} : { brings })

const CHECKOUT =
  '-b: -B: --orphan: -f|--force -q|--quiet -t|--track? -d|--detach -m|--merge -p|--patch -l -2|--ours -3|--theirs' +
  ' --conflict: --ignore-skip-worktree-bits --pathspec-from-file: --pathspec-file-nul --no-track --guess --no-guess' +
  ' --recurse-submodules? --no-recurse-submodules --overwrite-ignore --no-overwrite-ignore --progress --no-progress' +
  ' --ignore-other-worktrees --overlay --no-overlay -U|--unified: --inter-hunk-context:'

export const checkout: VerbReader = function* (git) {
  const { before, after } = splitDashes(git.args)
  const parsed = parse({ ...git, args: before }, CHECKOUT)
  const force = has(parsed, '-f')
  const side = has(parsed, '-2') ? '--ours' : has(parsed, '-3') ? '--theirs' : undefined
  if (has(parsed, '-p') && asksPerson(git)) return []
  const made = lastOf(parsed, '-b') ?? lastOf(parsed, '-B') ?? lastOf(parsed, '--orphan')
  const [first, ...rest] = parsed.operands
  const afterHooks = yield* hooks(git, 'checkout')
  let tree: Arg | undefined
  let paths: readonly Arg[] = []
  if (after !== undefined) {
    tree = first
    paths = after
  } else if (first !== undefined && made === undefined && !has(parsed, '-d')) {
    if (yield* isPath(git, first)) paths = parsed.operands
    else {
      tree = first
      paths = rest
    }
  }
  paths = pathsFrom(parsed, paths)
  if (paths.length > 0) {
    const from = tree === undefined ? side : nameOf(tree)
    const staged = tree !== undefined
    const doings = yield* discard(git, paths, { staged, ...(from === undefined ? {} : { from }) })
    // A word that nothing is known of is a branch as often as a path: the operation asks about it, not each path.
    const sure = after !== undefined ? doings : doings.filter((d) => d.do !== 'path' || d.at.value.is !== 'unknown')
    return [...sure, ...afterHooks]
  }
  if (has(parsed, '-p')) return [change(git, { is: 'discard', paths: ALL, staged: first !== undefined })]
  const doings: Doing[] = []
  const target = made ?? first
  if (force) {
    doings.push(change(git, { is: 'discard', paths: ALL, staged: true, ...(target ? { from: nameOf(target) } : {}) }))
  }
  const reset = lastOf(parsed, '-B')
  if (reset) doings.push(change(git, { is: 'force-branch', name: nameOf(reset), to: nameOf(first) || 'HEAD' }))
  if (target !== undefined) {
    doings.push(
      change(git, {
        is: 'switch',
        to: nameOf(target),
        create: made !== undefined,
        orphan: has(parsed, '--orphan'),
        ...bringing(brought('to', [first])),
      }),
    )
    doings.push(...afterHooks)
  }
  return doings
}

const SWITCH =
  '-c|--create: -C|--force-create: --orphan: -f|--force|--discard-changes -d|--detach -t|--track? -m|--merge' +
  ' -q|--quiet --conflict: --no-track --guess --no-guess --recurse-submodules? --no-recurse-submodules' +
  ' --progress --no-progress --ignore-other-worktrees'

export const switchBranch: VerbReader = function* (git) {
  const parsed = parse(git, SWITCH)
  const made = lastOf(parsed, '-c') ?? lastOf(parsed, '-C') ?? lastOf(parsed, '--orphan')
  const target = made ?? parsed.operands[0]
  if (target === undefined) return []
  const doings: Doing[] = []
  if (has(parsed, '-f')) doings.push(change(git, { is: 'discard', paths: ALL, staged: true, from: nameOf(target) }))
  const reset = lastOf(parsed, '-C')
  if (reset) {
    const to = nameOf(parsed.operands[0]) || 'HEAD'
    doings.push(change(git, { is: 'force-branch', name: nameOf(reset), to }))
  }
  const orphan = has(parsed, '--orphan')
  const brings = bringing(brought('to', [parsed.operands[0]]))
  doings.push(change(git, { is: 'switch', to: nameOf(target), create: made !== undefined, orphan, ...brings }))
  return [...doings, ...(yield* hooks(git, 'switch'))]
}

const RESTORE =
  '-s|--source: -S|--staged -W|--worktree -p|--patch -q|--quiet -2|--ours -3|--theirs -m|--merge --conflict:' +
  ' --ignore-unmerged --ignore-skip-worktree-bits --overlay --no-overlay --recurse-submodules? --progress' +
  ' --no-recurse-submodules --no-progress --pathspec-from-file: --pathspec-file-nul -U|--unified: --inter-hunk-context:'

export const restore: VerbReader = function* (git) {
  const parsed = parse(git, RESTORE)
  const staged = has(parsed, '-S')
  const paths = pathsFrom(parsed, parsed.operands)
  if (paths.length === 0 && !has(parsed, '-p')) return []
  if (has(parsed, '-p') && asksPerson(git)) return []
  if (staged && !has(parsed, '-W')) return [other(git)]
  const source = lastOf(parsed, '-s')
  const from = source ? nameOf(source) : staged ? 'HEAD' : undefined
  const unsure = parsed.unsure && !staged && parsed.operands.some((arg) => arg.value.is === 'unknown')
  return yield* discard(git, paths, { staged: staged || unsure, ...(from === undefined ? {} : { from }) })
}

const RESET =
  '--soft --mixed --hard --merge --keep -q|--quiet -p|--patch -N|--intent-to-add --no-refresh --refresh --no-quiet' +
  ' --recurse-submodules? --no-recurse-submodules --pathspec-from-file: --pathspec-file-nul -U|--unified:'

export const reset: VerbReader = function* (git) {
  const { before, after } = splitDashes(git.args)
  const parsed = parse({ ...git, args: before }, RESET)
  const rev = parsed.operands[0]
  const moves = rev === undefined ? {} : { moves: nameOf(rev), ...bringing(brought('to', [rev])) }
  if (has(parsed, '--hard')) return [change(git, { is: 'discard', paths: ALL, staged: true, ...moves })]
  if (has(parsed, '--merge')) return [change(git, { is: 'discard', paths: ALL, staged: true, ...moves, keeps: true })]
  if (has(parsed, '--keep')) return [change(git, { is: 'discard', paths: ALL, staged: false, ...moves, keeps: true })]
  if (after !== undefined || parsed.operands.length > 1 || rev === undefined) return [other(git)]
  // An unknown word may be `--hard`.
  if (rev.value.is === 'unknown' || /^-/.test(prefixOf(rev.value))) {
    return [change(git, { is: 'discard', paths: { is: 'paths', paths: [rev] }, staged: true })]
  }
  if (isHead(textOf(rev.value))) return [other(git)]
  if (!has(parsed, '--soft', '--mixed') && (yield* isPath(git, rev))) return [other(git)]
  return [change(git, { is: 'move-head', to: nameOf(rev) })]
}

const CLEAN = '-f|--force -d -n|--dry-run -q|--quiet -i|--interactive -e|--exclude: -x -X'

export const clean: VerbReader = function* (git) {
  const parsed = parse(git, CLEAN)
  if (has(parsed, '-n') || (has(parsed, '-i') && asksPerson(git))) return []
  const forces = parsed.order.filter(({ option }) => option === '-f').length
  if (forces === 0 && !parsed.unsure && !has(parsed, '-i')) {
    const own = settingOf(git, 'clean.requireforce')
    const set = own === undefined ? yield* ask('gitConfig', { repo: git.dir ?? '.', key: 'clean.requireForce' }) : []
    const needed = own === undefined ? (set === 'unknown' ? undefined : set.at(-1)) : textOf(own)
    if (needed === undefined ? own === undefined : !isNo(needed)) return []
  }
  const paths = yield* pathsOf(git, parsed.operands, hereOnly(git))
  const keeps = parsed.values.get('-e') ?? []
  const onlyIgnored = has(parsed, '-X')
  const all = has(parsed, '-x')
  const op = change(git, {
    is: 'clean',
    paths,
    untracked: !onlyIgnored,
    ignored: onlyIgnored || all,
    // With paths git removes directories that a path names even without -d.
    dirs: has(parsed, '-d') || parsed.operands.length > 0,
    ...(forces > 1 ? { nested: true } : {}),
    ...(keeps.length > 0 ? { keeps } : {}),
  })
  const only = onlyIgnored ? ({ only: 'ignored' } as const) : all ? {} : ({ only: 'untracked' } as const)
  return [op, ...(yield* onSpecs(git, 'delete', parsed.operands, { ...only, note: 'git-clean' }))]
}

const RM =
  '-f|--force -r -n|--dry-run -q|--quiet --cached --ignore-unmatch --sparse --pathspec-from-file: --pathspec-file-nul'

export const rm: VerbReader = function* (git) {
  const parsed = parse(git, RM)
  if (has(parsed, '-n')) return []
  const args = pathsFrom(parsed, parsed.operands)
  if (args.length === 0) return []
  const cached = has(parsed, '--cached')
  const paths = yield* pathsOf(git, args)
  const op = change(git, { is: 'remove', paths, force: has(parsed, '-f'), cached })
  if (cached) return [op]
  // A submodule goes with all that is in it; other directories stay without `-r`, since git refuses.
  return [op, ...(yield* onSpecs(git, 'delete', args, { tree: true, note: 'git' }))]
}

export const mv: VerbReader = pure((git) => {
  const parsed = parse(git, '-f|--force -k -n|--dry-run -v|--verbose --sparse')
  const to = parsed.operands.at(-1)
  if (has(parsed, '-n') || to === undefined || parsed.operands.length < 2) return []
  const from = parsed.operands.slice(0, -1).map((arg) => here(git, arg))
  return [
    other(git),
    {
      do: 'move',
      from,
      to: here(git, to),
      into: from.length > 1 ? 'yes' : 'maybe',
      ...(has(parsed, '-f') ? {} : { keeps: true }),
    },
  ]
})

const STASH =
  '-p|--patch -k|--keep-index --no-keep-index -q|--quiet -u|--include-untracked -a|--all -m|--message: -S|--staged' +
  ' --index --pathspec-from-file: --pathspec-file-nul'

export const stash: VerbReader = function* (git) {
  const [head, ...rest] = git.args
  const text = textOf(head?.value)
  const push = head === undefined || text === undefined || text.startsWith('-')
  const verb = push ? 'push' : text
  const args = push ? git.args : rest
  switch (verb) {
    case 'push':
    case 'save': {
      const parsed = parse({ ...git, args }, STASH)
      const ignored = has(parsed, '-a')
      const named = verb === 'push' ? pathsFrom(parsed, parsed.operands) : []
      const paths: GitPaths = yield* pathsOf(git, named)
      return [
        change(git, {
          is: 'stash-push',
          untracked: has(parsed, '-u') || ignored,
          ignored,
          paths,
          staged: has(parsed, '-S'),
        }),
      ]
    }
    case 'pop':
    case 'apply':
      return [change(git, { is: 'stash-pop', drops: verb === 'pop' })]
    case 'branch':
      return [change(git, { is: 'stash-pop', drops: true })]
    case 'drop':
      return [change(git, { is: 'stash-drop', all: false })]
    case 'clear':
      return [change(git, { is: 'stash-drop', all: true })]
    case 'import':
    case 'store':
      return [other(git)]
    default:
      return []
  }
}

export const readTree: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '-m --reset -u -i -n|--dry-run -v --trivial --aggressive --prefix: --index-output: --no-sparse-checkout --empty',
  )
  if (has(parsed, '-n')) return []
  const from = parsed.operands[0]
  // With -u the work tree follows: to the last of several trees.
  const brings = has(parsed, '-u') ? brought('to', [parsed.operands.at(-1)]) : undefined
  if (has(parsed, '--reset') && has(parsed, '-u')) {
    const named = from ? { from: nameOf(from) } : {}
    return [change(git, { is: 'discard', paths: ALL, staged: true, ...named, ...bringing(brings) })]
  }
  const index = lastOf(parsed, '--index-output')
  return index ? [onPath(git, 'write', index)] : [other(git, git.verb, brings)]
})

export const checkoutIndex: VerbReader = function* (git) {
  const parsed = parse(
    git,
    '-u|--index -q|--quiet -f|--force -a|--all -n|--no-create --prefix: --stage: --temp -z --stdin',
  )
  const prefix = lastOf(parsed, '--prefix')
  if (prefix) return [onPath(git, 'write', prefix, { tree: true })]
  if (!has(parsed, '-f')) return []
  if (has(parsed, '-a')) return [change(git, { is: 'discard', paths: ALL, staged: false })]
  const paths = has(parsed, '--stdin') ? [UNSEEN] : parsed.operands
  return paths.length === 0 ? [] : yield* discard(git, paths, { staged: false })
}

export const worktree: VerbReader = function* (git) {
  const [head, ...rest] = git.args
  const inner = { ...git, args: rest }
  switch (textOf(head?.value)) {
    case 'add': {
      const parsed = parse(
        inner,
        '-f|--force -d|--detach -b: -B: --checkout --no-checkout --lock --reason: -q|--quiet --orphan --guess-remote --track --no-track --relative-paths',
      )
      const path = parsed.operands[0]
      if (path === undefined) return []
      const reset = lastOf(parsed, '-B')
      return [
        other(git, 'worktree add'),
        onPath(git, 'create', path, { tree: true }),
        ...(reset
          ? [change(git, { is: 'force-branch', name: nameOf(reset), to: nameOf(parsed.operands[1]) || 'HEAD' })]
          : []),
        ...(yield* hooks(git, 'worktree')),
      ]
    }
    case 'remove': {
      const parsed = parse(inner, '-f|--force')
      const path = parsed.operands[0]
      if (path === undefined) return []
      return [
        change(git, { is: 'worktree-remove', path: fixed(git, path), force: has(parsed, '-f') || parsed.unsure }),
        onPath(git, 'delete', path, { tree: true, note: 'git' }),
      ]
    }
    case 'move': {
      const [from, to] = parse(inner, '-f|--force').operands
      if (from === undefined || to === undefined) return []
      return [other(git, 'worktree move'), { do: 'move', from: [here(git, from)], to: here(git, to), into: 'maybe' }]
    }
    case 'list':
    case undefined:
      return []
    default:
      return [other(git, `worktree ${nameOf(head)}`)]
  }
}
