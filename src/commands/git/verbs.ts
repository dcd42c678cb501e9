/** Every verb of git by name. */
import { textOf } from '../../core/value.ts'
import * as patch from './apply.ts'
import { change, fixed, has, lastOf, onPath, other, parse, pure, type VerbReader, word } from './call.ts'
import { codeOfOption } from './code.ts'
import { config } from './config.ts'
import { objectDir, packObjects, plumbing, unpackFile } from './files.ts'
import * as history from './history.ts'
import { bypass, runHooks } from './hooks.ts'
import * as read from './read.ts'
import * as refs from './refs.ts'
import * as remote from './remote.ts'
import * as tree from './worktree.ts'

const nothing: VerbReader = pure(() => [])
/** Changes the repository and loses nothing by itself. */
const changes: VerbReader = pure((git) => [other(git)])

const init: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '-q|--quiet --bare --template: --separate-git-dir: --object-format: --ref-format: -b|--initial-branch: --shared?',
  )
  const dir = parsed.operands[0]
  const template = lastOf(parsed, '--template')
  const apart = lastOf(parsed, '--separate-git-dir')
  const gitDir = textOf(git.call.env.get('GIT_DIR'))
  return [
    // What git keeps of a repository that is there goes to that place.
    ...(apart && !dir
      ? [{ do: 'move', from: [fixed(git, word('.git'))], to: fixed(git, apart), into: 'no' } as const]
      : []),
    ...(dir ? [onPath(git, 'create', dir, { tree: true })] : []),
    // A directory that is there gets what git keeps; where it is frozen it may not.
    ...[dir ?? word('.'), apart, gitDir && word(gitDir)].flatMap((at) =>
      at ? [onPath(git, 'edit', at, { note: 'git' })] : [],
    ),
    change(git, { is: 'make', path: fixed(git, dir ?? word('.')) }),
    ...(template && textOf(template.value) !== ''
      ? [onPath(git, 'read', template, { tree: true }), bypass('init --template')]
      : []),
  ]
})

const branch: VerbReader = function* (git) {
  if (git.args.length === 1 && textOf(git.args[0]?.value) === '--show-current') return yield* read.showCurrent(git)
  return yield* refs.branch(git)
}

const symbolicRef: VerbReader = function* (git) {
  const words = git.args.map((arg) => textOf(arg.value))
  if (words.length === 2 && words[0] === '--short' && words[1] === 'HEAD') return yield* read.showCurrent(git)
  return yield* refs.symbolicRef(git)
}

const runHook: VerbReader = function* (git) {
  const parsed = parse(git, '--ignore-missing --to-stdin:read', { stop: true })
  const [verb, name] = parsed.operands
  const text = textOf(name?.value)
  if (textOf(verb?.value) !== 'run' || text === undefined) return []
  return yield* runHooks(git, [text])
}

const lfs: VerbReader = pure((git) => {
  const verb = textOf(git.args[0]?.value)
  if (verb === undefined || ['ls-files', 'status', 'env', 'logs', 'version', 'help', 'pointer', 'locks'].includes(verb))
    return []
  if (verb === 'migrate' && textOf(git.args[1]?.value) !== 'info')
    return [change(git, { is: 'rewrite', what: 'history' })]
  if (verb === 'push') return [{ do: 'other', act: 'change', service: 'git lfs', what: 'push' }]
  return [other(git, `lfs ${verb}`)]
})

const svn: VerbReader = pure((git) => {
  const verb = textOf(git.args[0]?.value)
  const dry = git.args.some((arg) => /^(?:-n|--dry-run)$/.test(textOf(arg.value) ?? ''))
  if ((verb === 'dcommit' || verb === 'submit' || verb === 'set-tree' || verb === 'commit-diff') && !dry)
    return [{ do: 'other', act: 'change', service: `git ${git.verb}`, what: verb }]
  return [other(git, `${git.verb} ${verb ?? ''}`.trim())]
})

const credential: VerbReader = pure((git) => {
  const verb = git.args.map((arg) => textOf(arg.value)).find((text) => text !== undefined && !text.startsWith('-'))
  if (verb === 'fill' || verb === 'get')
    return [{ do: 'other', act: 'reveal', service: 'git', what: 'stored credentials' }]
  return [other(git)]
})

const credentialStore: VerbReader = function* (git) {
  return [...(yield* credential(git)), ...(yield* plumbing(git))]
}

const mergetool: VerbReader = pure((git) => {
  const parsed = parse(git, '-t|--tool: --tool-help -y|--no-prompt --prompt -g|--gui --no-gui -O:')
  return has(parsed, '--tool-help') ? [] : [other(git)]
})

const mergeIndex: VerbReader = pure((git) => {
  const parsed = parse(git, '-o -q -a', { stop: true })
  return [...codeOfOption(parsed.operands[0], 'merge-index', 'branch'), other(git)]
})

const sparse: VerbReader = pure((git) => {
  const verb = textOf(git.args[0]?.value)
  if (verb === undefined || verb === 'list' || verb === 'check-rules') return []
  // Tracked files that are not asked for leave the work tree; which these are stands in patterns of git's own.
  const brings = verb === 'disable' ? undefined : ({ how: 'to', revs: [], unknown: true } as const)
  return [other(git, `sparse-checkout ${verb}`, brings)]
})

/** Subcommands that only read pass; `''` stands for none given. */
const listsOr = (...reading: readonly string[]): VerbReader =>
  pure((git) => {
    const verb = textOf(git.args.find((arg) => !/^-/.test(textOf(arg.value) ?? ''))?.value) ?? ''
    return reading.includes(verb) ? [] : [other(git, `${git.verb} ${verb}`.trim())]
  })

const rerere = listsOr('status', 'diff', 'remaining')
const maintenance = listsOr('')
const replace = pure((git) => {
  const parsed = parse(git, '-d -f -l|--list --format: -e|--edit -g|--graft --convert-graft-file --raw')
  return parsed.operands.length === 0 || has(parsed, '-l') ? [] : [other(git)]
})

const named = (names: string, reader: VerbReader): Record<string, VerbReader> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, reader]))

export const VERBS: Readonly<Record<string, VerbReader>> = {
  ...named(
    'help version check-attr check-ignore check-mailmap check-ref-format cherry column count-objects describe diff-pairs' +
      ' fmt-merge-msg for-each-ref fsck fsck-objects get-tar-commit-id last-modified merge-base merge-tree mktag name-rev' +
      ' patch-id range-diff request-pull rev-list shortlog show-branch show-index show-ref status stripspace var' +
      ' verify-commit verify-pack verify-tag url-parse gui citool gitk gitweb instaweb web--browse upload-pack' +
      ' receive-pack upload-archive http-backend shell sh-setup sh-i18n repo survey imap-send ls-url cvsserver',
    nothing,
  ),
  ...named(
    'commit-tree write-tree mktree pack-refs unpack-objects repack update-server-info merge-one-file merge-ours' +
      ' merge-recursive merge-resolve merge-subtree merge-octopus quiltimport cvsimport archimport cvsexportcommit' +
      ' fetch-pack http-fetch prune-packed backfill refs history pack-redundant sparse subtree flow' +
      ' annex absorb',
    changes,
  ),
  add: history.add,
  'update-index': history.updateIndex,
  stage: history.add,
  am: patch.am,
  annotate: read.blame,
  apply: patch.apply,
  archive: read.archive,
  bisect: history.bisect,
  blame: read.blame,
  branch,
  bugreport: read.report,
  bundle: read.bundle,
  'cat-file': read.catFile,
  'commit-graph': objectDir,
  'fast-export': plumbing,
  'fast-import': plumbing,
  'index-pack': plumbing,
  'multi-pack-index': objectDir,
  'pack-objects': packObjects,
  'unpack-file': unpackFile,
  checkout: tree.checkout,
  'checkout-index': tree.checkoutIndex,
  'cherry-pick': history.pick,
  clean: tree.clean,
  clone: remote.clone,
  commit: history.commit,
  config,
  credential,
  'credential-cache': credential,
  'credential-store': credentialStore,
  daemon: plumbing,
  diagnose: read.report,
  diff: read.diff,
  'diff-files': read.diff,
  'diff-index': read.diff,
  'diff-tree': read.diff,
  difftool: read.difftool,
  fetch: remote.fetch,
  'filter-branch': history.filterBranch,
  'filter-repo': history.filterRepo,
  'for-each-repo': history.forEachRepo,
  'format-patch': read.formatPatch,
  gc: refs.gc,
  grep: read.grep,
  'hash-object': read.hashObject,
  hook: runHook,
  init,
  'init-db': init,
  'interpret-trailers': read.inPlace,
  lfs,
  log: read.log,
  'ls-files': read.lsFiles,
  'ls-remote': remote.lsRemote,
  'ls-tree': read.lsTree,
  mailinfo: read.mailSplit,
  mailsplit: read.mailSplit,
  maintenance,
  merge: history.merge,
  'merge-file': read.inPlace,
  'merge-index': mergeIndex,
  mergetool,
  mv: tree.mv,
  notes: read.notes,
  p4: svn,
  prune: refs.prune,
  pull: remote.pull,
  push: remote.push,
  'send-pack': remote.push,
  'http-push': remote.push,
  'read-tree': tree.readTree,
  rebase: history.rebase,
  reflog: refs.reflog,
  remote: remote.remote,
  replace,
  rerere,
  reset: tree.reset,
  restore: tree.restore,
  'rev-parse': read.revParse,
  revert: history.pick,
  rm: tree.rm,
  'send-email': remote.sendEmail,
  show: read.show,
  'sparse-checkout': sparse,
  stash: tree.stash,
  submodule: remote.submodule,
  svn,
  switch: tree.switchBranch,
  'symbolic-ref': symbolicRef,
  tag: refs.tag,
  'update-ref': refs.updateRef,
  whatchanged: read.log,
  worktree: tree.worktree,
}
