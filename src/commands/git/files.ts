/** Files that a call of git writes beside what its verb is for: named by options that many verbs take, or by variables. */
import type { Asking } from '../../core/question.ts'
import { type Arg, concat, exact, textOf, type Value } from '../../core/value.ts'
import { absolute, join } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import type { Doing } from '../doing.ts'
import { cutArg } from '../options.ts'
import { type GitCall, here, onPath, parse, pure, splitDashes, type VerbReader, word } from './call.ts'

/** Verbs that walk revisions take the options of `git diff`, and with them the one that names a file: it is emptied at once. */
const WALKS: ReadonlySet<string> = new Set(
  'annotate blame bundle cherry-pick difftool fast-export range-diff reflog rev-list revert shortlog stash'.split(' '),
)

/** Verbs that write files of the work tree. */
const WORKS: ReadonlySet<string> = new Set(
  'am apply checkout checkout-index cherry-pick clean merge pull read-tree rebase reset restore revert stash switch'.split(
    ' ',
  ),
)

/** Where git keeps indexes of its own accord. */
const OWN_INDEX = /(?:^|[/\\])\.git[/\\](?:[^/\\]*index[^/\\]*|worktrees[/\\][^/\\]+[/\\]index)$/

/** What a call writes whatever its verb does. */
export function* filesOf(git: GitCall): Asking<readonly Doing[]> {
  return [...outputOf(git), ...indexOf(git), ...configOf(git), ...(yield* treeElsewhere(git))]
}

/** `--output FILE` of a verb that walks revisions. */
function outputOf(git: GitCall): readonly Doing[] {
  if (!WALKS.has(git.verb)) return []
  const { before } = splitDashes(git.args)
  return before.flatMap((arg, i): readonly Doing[] => {
    const text = textOf(arg.value) ?? (arg.value.is === 'partly' ? arg.value.prefix : '')
    if (text.startsWith('--output=')) return [onPath(git, 'write', cutArg(arg, '--output='.length))]
    const next = before[i + 1]
    return text === '--output' && next ? [onPath(git, 'write', next)] : []
  })
}

/** Another index than the repository's own: whatever reads it may write it anew. */
function indexOf(git: GitCall): readonly Doing[] {
  const value = git.call.env.get('GIT_INDEX_FILE')
  if (value === undefined || textOf(value) === '' || OWN_INDEX.test(textOf(value) ?? '')) return []
  return [onPath(git, 'write', argOf(git, value), { note: 'git' })]
}

/** `GIT_CONFIG` is `--file` of `git config`, which alone reads it. */
function configOf(git: GitCall): readonly Doing[] {
  const value = git.verb === 'config' ? git.call.env.get('GIT_CONFIG') : undefined
  const reads = git.args.some((arg) => /^(?:--get.*|-l|--list|get|list)$/.test(textOf(arg.value) ?? ''))
  return value === undefined || reads ? [] : [onPath(git, 'edit', argOf(git, value))]
}

/**
 * Files of the index and of commits come into the work tree that git was told of, or, where it was told only where its data
 * lies, into the directory that it stands in. The data of a repository and its own top are nothing new.
 */
function* treeElsewhere(git: GitCall): Asking<readonly Doing[]> {
  if (git.told === undefined || !WORKS.has(git.verb)) return []
  const { tree, gitDir } = git.told
  const at = here(git, tree === undefined ? word('.') : argOf(git, tree))
  const texts = [tree === undefined ? '.' : textOf(tree), gitDir === undefined ? '' : textOf(gitDir)]
  const [top, data] = texts.map((text) =>
    text === undefined || git.dir === undefined ? undefined : absolute(git.dir, text, git.flavour),
  )
  if (top !== undefined && data !== undefined) {
    const repo = yield* repoOf(top, git.flavour)
    const own = typeof repo === 'object' && repo.root === top && (gitDir === undefined || data === repo.gitDir)
    if (own) return []
  }
  return [{ do: 'path', act: 'create', at, tree: true, note: 'unpack' }]
}

const argOf = (git: GitCall, value: Value): Arg => ({ value, span: git.call.command.span })

const inside = (git: GitCall, dir: Arg, name: string): Arg => {
  const text = textOf(dir.value)
  return {
    ...dir,
    value: text === undefined ? concat(dir.value, exact(`/${name}`)) : exact(join(text, name, git.flavour)),
  }
}

const CHANGES = (git: GitCall): Doing => ({ do: 'git', op: { is: 'other', verb: git.verb }, at: git.tree ?? git.base })

/** Plumbing that writes files by name, and what each of its options does with its file. */
const PLUMBING: Readonly<Record<string, string>> = {
  'fast-export':
    '--export-marks:write --import-marks:read --import-marks-if-exists:read --refspec: --reencode: --signed-tags:' +
    ' --tag-of-filtered-object: --anonymize-map:',
  'fast-import':
    '--export-marks:write --import-marks:read --import-marks-if-exists:read --export-pack-edges:write --depth:' +
    ' --active-branches: --big-file-threshold: --max-pack-size: --date-format: --cat-blob-fd:',
  'index-pack': '-o:write --keep? --max-input-size: --threads: --index-version: --rev-index --no-rev-index -v',
  'credential-store': '--file:edit',
  daemon: '--log-destination: --pid-file:write --base-path: --user: --group: --port: --listen: --timeout:',
}

/** Plumbing whose options name the files that it writes. */
export const plumbing: VerbReader = pure((git) => {
  const parsed = parse(git, PLUMBING[git.verb] ?? '')
  const named = [...parsed.values].flatMap(([option, args]) => {
    const act = new RegExp(`(?:^|\\s)${option}:(read|write|edit)(?:\\s|$)`).exec(PLUMBING[git.verb]!)?.[1]
    return act === undefined ? [] : args.map((at) => onPath(git, act as 'read' | 'write' | 'edit', at))
  })
  const [first] = parsed.operands
  // The index of a pack comes beside it.
  const pack = git.verb === 'index-pack' && first ? [onPath(git, 'write', beside(first))] : []
  const serves = git.verb === 'daemon' || git.verb === 'credential-store'
  return [...named, ...pack, ...(serves ? [] : [CHANGES(git)])]
})

const beside = (pack: Arg): Arg => {
  const text = textOf(pack.value)
  return text === undefined ? pack : { ...pack, value: exact(text.replace(/(?:\.pack)?$/, '.idx')) }
}

/** `pack-objects BASE` writes `BASE-<hash>.pack` and its index. */
export const packObjects: VerbReader = pure((git) => {
  const parsed = parse(git, '--stdout --index-version: --max-pack-size: --window: --depth: --threads: --filter: -q')
  const packs = parsed.flags.has('--stdout') ? [] : parsed.operands.slice(0, 1)
  return [
    ...packs.map((arg) => onPath(git, 'create', { ...arg, value: concat(arg.value, exact('-0000.pack')) })),
    CHANGES(git),
  ]
})

/** Files about objects go to `--object-dir`. */
export const objectDir: VerbReader = pure((git) => {
  const parsed = parse(git, '--object-dir: --progress --no-progress --bitmap --split? --size-multiple: --max-commits:')
  const dirs = parsed.values.get('--object-dir') ?? []
  return [...dirs.map((dir) => onPath(git, 'create', inside(git, dir, 'pack/x'))), CHANGES(git)]
})

/** `unpack-file BLOB` makes a file of its own name here. */
export const unpackFile: VerbReader = pure((git) => [onPath(git, 'create', word('.merge_file_x')), CHANGES(git)])
