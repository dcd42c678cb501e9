/** Verbs that change files as a patch says: `apply`, `am`. */
import { type Asking, ask } from '../../core/question.ts'
import { type Arg, prefixOf, textOf } from '../../core/value.ts'
import { isInside, join } from '../../paths/lexical.ts'
import type { Doing } from '../doing.ts'
import type { Parsed } from '../options.ts'
import { stdinText } from '../parts.ts'
import { change, type GitCall, has, lastOf, onPath, other, parse, repoHere, type VerbReader, word } from './call.ts'
import { hooks } from './hooks.ts'
import { type Patched, patchedFiles } from './patch.ts'

/** A patch longer than this is not read to its end. */
const MOST_PATCH = 1_048_576

const APPLY =
  '--stat --numstat --summary --check --index -N|--intent-to-add -3|--3way --ours --theirs --union --build-fake-ancestor:' +
  ' -R|--reverse --reject -z -p: -C: --inaccurate-eof --unidiff-zero --apply --allow-binary-replacement|--binary' +
  ' --no-add --exclude: --include: --ignore-space-change --ignore-whitespace --whitespace: --cached -v|--verbose -q|--quiet' +
  ' --recount --directory: --unsafe-paths --allow-empty'

const AM =
  '-s|--signoff -k|--keep --keep-non-patch --keep-cr --no-keep-cr -c|--scissors --no-scissors --quoted-cr: --empty:' +
  ' -m|--message-id --no-message-id -q|--quiet -u|--utf8 --no-utf8 -3|--3way --no-3way --whitespace: --directory:' +
  ' --exclude: --include: -C: -p: --patch-format: --reject -i|--interactive -n|--no-verify --verify --ignore-space-change' +
  ' --ignore-whitespace --committer-date-is-author-date --ignore-date -S?|--gpg-sign? --no-gpg-sign --resolvemsg:' +
  ' --abort --continue|-r|--resolved --quit --skip --show-current-patch? --retry --allow-empty'

/** Options that go on with, or end, what is under way. */
const STEPS = ['--abort', '--continue', '--quit', '--skip', '--show-current-patch', '--retry']

/** Any path below the directory. */
const ANYTHING: Arg = {
  value: { is: 'glob', parts: [{ is: 'text', text: './' }, { is: 'any' }] },
  span: { from: 0, to: 0 },
}

interface Patch {
  readonly what: string
  /** It comes through a pipe and is kept nowhere. */
  readonly stream?: true
  /** Undefined: it cannot be read. */
  readonly text: string | undefined
}

/** Names of stdin. */
const isStdin = (arg: Arg): boolean =>
  /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(textOf(arg.value) ?? '')

/** The patches of the operands, or of stdin where there are none or one is `-`. */
function* patchesOf(git: GitCall, parsed: Parsed): Asking<readonly Patch[]> {
  const files = parsed.operands.filter((arg) => !isStdin(arg))
  const out: Patch[] = []
  if (parsed.operands.length > files.length || files.length === 0) {
    const texts: readonly (string | undefined)[] = (yield* stdinText(git.call)) ?? [undefined]
    for (const text of texts) out.push({ what: 'patch on stdin', stream: true, text })
  }
  for (const file of files) {
    const name = textOf(file.value)
    const found =
      name === undefined || git.dir === undefined
        ? 'unknown'
        : yield* ask('text', { path: join(git.dir, name, git.flavour), limit: MOST_PATCH })
    // A patch that is not there fails by itself.
    if (found === 'absent') continue
    const what = `patch ${name ?? prefixOf(file.value)}`
    const stream = name?.startsWith('/dev/') ? { stream: true as const } : {}
    out.push({ what, ...stream, text: typeof found === 'string' || found.cut ? undefined : found.text })
  }
  return out
}

/** Where the files of a patch lie, as arguments: git starts at the root, and below it at times where the call stands. */
type Places = (file: Patched, text: string) => readonly Arg[]

function* placesOf(git: GitCall, parsed: Parsed): Asking<Places> {
  const dir = textOf(lastOf(parsed, '--directory')?.value)
  const repo = yield* repoHere(git)
  const root = typeof repo === 'object' && repo.root !== git.dir ? repo.root : undefined
  return ({ path }, text) => {
    const name = dir === undefined ? path : `${dir}/${path}`
    if (root === undefined) return [word(name)]
    const rooted = join(root, name, git.flavour)
    if (git.verb === 'am') return [word(rooted)]
    // A patch that git made is taken from the root, and what lies outside the directory is left out; names of others
    // may be meant either way.
    if (!/^diff --git /m.test(text)) return [word(rooted), word(name)]
    return git.dir === undefined || isInside(rooted, git.dir) ? [word(rooted)] : []
  }
}

const levelsOf = (parsed: Parsed): number => {
  const levels = Number(textOf(lastOf(parsed, '-p')?.value) ?? 1)
  return Number.isInteger(levels) ? levels : 1
}

export const apply: VerbReader = function* (git) {
  const parsed = parse(git, APPLY)
  const files = parsed.operands.filter((arg) => textOf(arg.value) !== '-')
  const doings: Doing[] = files.map((arg) => onPath(git, 'read', arg))
  if (has(parsed, '--stat', '--numstat', '--summary', '--check') && !has(parsed, '--apply')) return doings
  if (has(parsed, '--cached')) return [...doings, other(git)]
  const places = yield* placesOf(git, parsed)
  for (const { what, stream, text } of yield* patchesOf(git, parsed)) {
    const changed = text === undefined ? undefined : patchedFiles(text, levelsOf(parsed), has(parsed, '-R'))
    if (changed === undefined) {
      if (text === undefined && git.call.stdin.taints.includes('remote'))
        doings.push({ do: 'opaque', what, note: 'patch' })
      // Any file below may be edited by a patch that nobody can read.
      else if (text === undefined) {
        doings.push(onPath(git, 'edit', ANYTHING))
        if (has(parsed, '--unsafe-paths')) doings.push({ do: 'opaque', what, note: 'patch' })
        // `git diff | git apply -R` takes changes back that are kept nowhere.
        if (has(parsed, '-R') && stream)
          doings.push(change(git, { is: 'discard', paths: { is: 'all' }, staged: false }))
      }
      continue
    }
    for (const file of changed) for (const at of places(file, text!)) doings.push(onPath(git, file.act, at))
  }
  return [...doings, other(git)]
}

/** `am` commits what its patches change, and refuses where that would lose something: only what may not change counts. */
export const am: VerbReader = function* (git) {
  const parsed = parse(git, AM)
  if (has(parsed, ...STEPS)) return [other(git)]
  const skipped = has(parsed, '-n') ? '--no-verify' : undefined
  const files = parsed.operands.filter((arg) => textOf(arg.value) !== '-')
  const doings: Doing[] = files.map((arg) => onPath(git, 'read', arg))
  const places = yield* placesOf(git, parsed)
  for (const { text } of yield* patchesOf(git, parsed)) {
    const changed = text === undefined ? undefined : patchedFiles(text, levelsOf(parsed), false)
    if (text === undefined) doings.push(onPath(git, 'edit', ANYTHING, { note: 'git' }))
    for (const file of changed ?? [])
      for (const at of places(file, text!)) doings.push(onPath(git, file.act, at, { note: 'git' }))
  }
  return [other(git), ...doings, ...(yield* hooks(git, 'am', skipped))]
}
