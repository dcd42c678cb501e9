/** Verbs that move or remove names of commits, and what recovery rests on. */
import { type Arg, textOf } from '../../core/value.ts'
import type { Doing } from '../doing.ts'
import { change, type GitCall, has, lastOf, onPath, other, parse, pure, type VerbReader } from './call.ts'
import { nameOf } from './worktree.ts'

const BRANCH =
  '-d|--delete -D -m|--move -M -c|--copy -C -f|--force -r|--remotes -a|--all -l|--list -v|--verbose -q|--quiet' +
  ' -t?|--track? --no-track -u|--set-upstream-to: --unset-upstream --edit-description --show-current --contains?' +
  ' --no-contains? --merged? --no-merged? --sort: --points-at: --format: --color? --no-color --column? --no-column' +
  ' --abbrev? --no-abbrev -i|--ignore-case --recurse-submodules --create-reflog --omit-empty'

const LISTS = ['-l', '-a', '-v', '--show-current', '--contains', '--no-contains', '--merged', '--no-merged', '--sort']
const MORE_LISTS = ['--points-at', '--format', '--column']

export const branch: VerbReader = pure((git) => {
  const parsed = parse(git, BRANCH)
  const force = has(parsed, '-f')
  const [first, second] = parsed.operands
  if (has(parsed, '-d', '-D')) {
    if (first === undefined) return []
    return [
      change(git, {
        is: 'delete-branch',
        names: parsed.operands,
        // Git lists no name that begins with a dash.
        force: force || has(parsed, '-D') || (parsed.unsure && !parsed.operands.every(isListed)),
        remote: has(parsed, '-r'),
      }),
    ]
  }
  if (has(parsed, '-M', '-C') || (force && has(parsed, '-m', '-c'))) {
    const to = second ?? first
    return to === undefined
      ? []
      : [change(git, { is: 'force-branch', name: nameOf(to), to: nameOf(second ? first : undefined) || 'HEAD' })]
  }
  if (has(parsed, '-m', '-c', '-u', '--unset-upstream', '--edit-description')) return [other(git)]
  if (first === undefined || has(parsed, ...LISTS, ...MORE_LISTS)) return []
  if (force) return [change(git, { is: 'force-branch', name: nameOf(first), to: nameOf(second) || 'HEAD' })]
  // An unknown first word may be `-D`.
  if (parsed.unsure && parsed.operands.length > 1 && first.value.is === 'unknown') {
    return [change(git, { is: 'delete-branch', names: parsed.operands.slice(1), force: true, remote: false })]
  }
  return [made(git, first, second)]
})

/** A new branch or tag; where HEAD is, it holds what HEAD holds. */
const made = (git: GitCall, name: Arg, at: Arg | undefined): Doing => {
  const text = textOf(name.value)
  const here = at === undefined || /^(?:HEAD|@)$/.test(textOf(at.value) ?? '')
  return text !== undefined && here ? change(git, { is: 'other', verb: git.verb, holds: text }) : other(git)
}

/** Known, or a line that another command printed. */
const isListed = ({ value }: Arg): boolean => value.is !== 'unknown' || value.why === 'input'

const TAG =
  '-d|--delete -f|--force -a|--annotate -s|--sign -u|--local-user: --no-sign -m|--message: -F|--file:read -e|--edit' +
  ' -l|--list -n? -v|--verify --cleanup: --create-reflog --contains? --no-contains? --merged? --no-merged? --sort:' +
  ' --points-at: --format: --color? --column? --no-column -i|--ignore-case --trailer: --omit-empty'

export const tag: VerbReader = pure((git) => {
  const parsed = parse(git, TAG)
  const [first] = parsed.operands
  if (first === undefined || has(parsed, '-l', '-n', '-v', '--contains', '--merged', '--no-merged', '--points-at'))
    return []
  const message = (parsed.values.get('-F') ?? []).filter((arg) => textOf(arg.value) !== '-')
  if (message.length > 0) return [...message.map((arg) => onPath(git, 'read', arg)), other(git)]
  if (has(parsed, '-d')) return [change(git, { is: 'delete-tag', names: parsed.operands })]
  if (has(parsed, '-f')) return [change(git, { is: 'delete-tag', names: [first] }), other(git)]
  return [made(git, first, parsed.operands[1])]
})

const BRANCH_OR_TAG = /^refs\/(?:heads|tags)\//

/** A reference points elsewhere from now on. */
const moved = (git: GitCall, name: string, to: string): Doing =>
  BRANCH_OR_TAG.test(name) || name === 'HEAD'
    ? change(git, { is: 'force-branch', name: name.replace(BRANCH_OR_TAG, ''), to })
    : other(git)

export const updateRef: VerbReader = pure((git) => {
  const parsed = parse(git, '-d -m: --no-deref --stdin -z --create-reflog --batch-updates')
  const [ref, to] = parsed.operands
  if (has(parsed, '--stdin')) {
    const text = textOf(git.call.stdin.text)
    if (text === undefined) return [change(git, { is: 'delete-ref', name: 'refs read from stdin' })]
    return text.split('\n').flatMap((line) => {
      const [verb, name, value] = line.trim().split(/\s+/)
      if (name === undefined) return []
      if (verb === 'delete') return [change(git, { is: 'delete-ref', name })]
      return verb === 'update' ? [moved(git, name, value ?? '')] : [other(git)]
    })
  }
  if (ref === undefined) return []
  if (has(parsed, '-d')) return [change(git, { is: 'delete-ref', name: nameOf(ref) })]
  return [moved(git, nameOf(ref), nameOf(to))]
})

export const symbolicRef: VerbReader = pure((git) => {
  const parsed = parse(git, '-d|--delete -q|--quiet --short --recurse --no-recurse -m:')
  const [name, to] = parsed.operands
  if (name === undefined) return []
  if (has(parsed, '-d')) return [change(git, { is: 'delete-ref', name: nameOf(name) })]
  return to === undefined ? [] : [other(git)]
})

/** An age that spares the last two weeks, the time that git itself keeps things. */
const isOld = (arg: Arg | undefined): boolean => {
  const text = textOf(arg?.value)
  if (text === undefined) return false
  const match = /^(\d+)[.\s-]*(day|week|month|year)s?(?:[.\s]ago)?$/i.exec(text)
  if (!match) return /^never$/i.test(text)
  const days = { day: 1, week: 7, month: 30, year: 365 }[match[2]!.toLowerCase() as 'day' | 'week' | 'month' | 'year']
  return Number(match[1]) * days >= 14
}

export const reflog: VerbReader = pure((git) => {
  const [head, ...rest] = git.args
  const verb = textOf(head?.value)
  if (verb !== 'expire' && verb !== 'delete' && verb !== 'drop') return []
  const parsed = parse(
    { ...git, args: rest },
    '--expire: --expire-unreachable: --all --single-worktree --rewrite --updateref --stale-fix -n|--dry-run -v|--verbose',
  )
  if (has(parsed, '-n')) return []
  const ages = [...(parsed.values.get('--expire') ?? []), ...(parsed.values.get('--expire-unreachable') ?? [])]
  if (verb === 'expire' && ages.every(isOld)) return [other(git, 'reflog expire')]
  return [change(git, { is: 'drop-recovery', what: 'reflog' })]
})

export const gc: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '--aggressive --auto --prune? --no-prune -q|--quiet --force --keep-largest-pack --cruft --no-cruft --max-cruft-size: --expire-to: --detach --no-detach',
  )
  const age = lastOf(parsed, '--prune')
  if (age === undefined || isOld(age)) return [other(git)]
  return [change(git, { is: 'drop-recovery', what: 'objects' })]
})

export const prune: VerbReader = pure((git) => {
  const parsed = parse(git, '-n|--dry-run -v|--verbose --progress --no-progress --expire:')
  if (has(parsed, '-n')) return []
  if (isOld(lastOf(parsed, '--expire'))) return [other(git)]
  return [change(git, { is: 'drop-recovery', what: 'objects' })]
})
