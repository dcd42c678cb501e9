/** What only reads, by table and by effect, and the published second stage: making tickets and adding new ones. */
import { hitsOn } from '../../adlc/adlc.ts'
import { type Asking, ask } from '../../core/question.ts'
import { relativeTo } from '../../paths/lexical.ts'
import { CHANGES } from '../subject.ts'
import type { PlacedStep, Step } from './step.ts'
import * as table from './tables.ts'

/** Stage 1: a reader with flags that are known to read only. */
export function isFirst(step: Pick<Step, 'pure' | 'words' | 'sets'>): boolean {
  const { pure, words, sets } = step
  if (!pure || sets.length > 0 || words[0] === undefined) return false
  if (table.READERS.has(words[0])) return true
  const git = gitRead(words)
  return git !== undefined && /^(?:status|diff|log|show|blame)$/.test(git)
}

/** The verb of a git reader with flags that are known, or undefined. */
export function gitRead(words: readonly string[]): string | undefined {
  if (words[0] !== 'git') return undefined
  const rest = words[1] === '--no-pager' ? words.slice(2) : words.slice(1)
  const [verb, ...more] = rest
  const flags = verb === undefined ? undefined : table.GIT_READS.get(verb)
  if (flags === undefined) return undefined
  const values = new Set(verb === 'log' ? ['-n'] : verb === 'blame' ? ['-L'] : [])
  for (const [i, word] of more.entries()) {
    if (word === '--') break
    if (
      word.startsWith('-')
        ? !flags.some((flag) => flag.test(word))
        : table.NO_OPERANDS.has(verb!) && !values.has(more[i - 1] ?? '')
    )
      return undefined
  }
  return verb === 'clean' && !more.some((word) => /^(?:-n|-nd|-dn|--dry-run|-ndx|-ndX)$/.test(word)) ? undefined : verb
}

/** The setting that makes a reader of git run a program in the repository at `root`; undefined where there is none. */
export function* programSet(verb: string, root: string): Asking<string | undefined> {
  for (const key of table.GIT_PROGRAMS.get(verb) ?? []) {
    const values = yield* ask('gitConfig', { repo: root, key })
    if (values === 'unknown' || values.some((value) => !/^(?:true|false|)$/.test(value))) return key
  }
  return undefined
}

/** Whether everything that the segment does is reading. */
const reads = ({ effects }: Step): boolean =>
  effects.every(({ effect }) => effect.act === 'read' || effect.act === 'names')

export const isReader = (step: Step): boolean =>
  (table.READERS.has(step.words[0]!) || table.MORE_READERS.has(step.words[0]!)) && reads(step)

/** A reader beyond the published list: its effects show that it only reads. */
export function readsMore(step: Step): boolean {
  const { words, pure } = step
  if (!pure) return false
  if (words.length === 2 && words[1] === '--version' && /^[\w.+-]+$/.test(step.tokens[0]!.text)) return true
  const program = table.RUNNERS.has(words[0]!) ? words[1] : words[0]
  if (words[0] !== program && !table.CHECKERS.has(program ?? '')) return false
  if (table.CHECKERS.has(program ?? '')) return !words.some((word) => table.FIXES.test(word))
  if (gitRead(words) !== undefined) return !step.effects.some(({ effect }) => CHANGES.has(effect.act))
  return table.MORE_READERS.has(words[0]!) && reads(step)
}

/** Whether the segment uses rails without changing them: by reading, or by running what is frozen. */
export function* readsRails(step: Step): Asking<boolean> {
  if (readsMore(step)) return true
  return yield* runsRail(step)
}

/** `node FILE` of a frozen file: its content is the person's. */
export function* runsRail(step: Step): Asking<boolean> {
  const { words, pure, targets, line } = step
  if (!pure || words[0] !== 'node' || words.length !== 2 || targets.length !== 1) return false
  const { hits } = yield* hitsOn(targets[0]!.path, line.facts.adlc)
  return hits.some((hit) => hit.source === 'declared' && /^(?:exact|inside|glob)$/.test(hit.kind))
}

/** Published Stage 2: making a ticket, and adding new ones. */
export function isSecond(step: PlacedStep): boolean {
  const { pure, words, cwd, repos } = step
  if (!pure) return false
  const [program, verb, ...rest] = words
  if (program === 'adlc' && verb === 'ticket' && rest[0] === 'create') return true
  if (program !== 'git' || verb !== 'add') return false
  const files = rest.filter((word) => word !== '--')
  if (files.length === 0 || files.some((word) => word.startsWith('-'))) return false
  const here = repos.map((repo) => repo.root)
  return files.every((word) => {
    const name = /^(?:(.*)\/)?\.adlc\/tickets\/[^/]+\.json$/.exec(word)
    return (
      name !== null &&
      cwd !== undefined &&
      (name[1] === undefined || here.some((root) => root === name[1] || name[1] === '.'))
    )
  })
}

/** Files that are added are in no commit yet: their tickets are new. */
export function* areNew(step: PlacedStep): Asking<boolean> {
  if (step.words[0] !== 'git') return true
  for (const { spellings } of step.targets) {
    for (const repo of step.repos) {
      const path = relativeTo(repo.root, spellings.at(-1)!, step.line.facts.adlc.sense)
      if (!path?.startsWith('.adlc/tickets/') || repo.newShard(spellings.at(-1)!) !== undefined) continue
      const state = yield* ask('git', { repo: repo.root, of: ['changes'] })
      if (state === 'unknown' || !state.untracked?.includes(path)) return false
    }
  }
  return true
}
