/** What the laws are checked on: the rows of the cases in their worlds, and worlds that answer anything. */
import { readFileSync } from 'node:fs'
import { type CaseResult, judgeCase, type Subject, subjectOfWorld } from '../src/cli/check/case.ts'
import { type CaseRow, readCases } from '../src/cli/check/cases.ts'
import { keyOf } from '../src/core/driver.ts'
import type { Answer, Asking, Entry, GitState, Question, Stat } from '../src/core/question.ts'
import type { World } from '../src/core/world.ts'
import { buildRecord, type VerdictRecord } from '../src/record/record.ts'
import { type FrozenWorldFile, frozenWorld, parseFrozenWorld } from '../src/world/frozen.ts'

/** `SALLYPORT_SOAK=1` checks everything; a usual run takes a seeded part of the largest laws. */
export const SOAK = process.env['SALLYPORT_SOAK'] === '1'
export const SEED = 20_251

/** One row of the cases, judged in its world. */
export interface Judged {
  readonly row: CaseRow
  readonly file: FrozenWorldFile
  readonly subject: Subject
  readonly result: CaseResult
}

const files = new Map<string, FrozenWorldFile>()

export function worldFile(name: string): FrozenWorldFile {
  let file = files.get(name)
  if (file === undefined) {
    file = parseFrozenWorld(readFileSync(`cases/worlds/${name}.json`, 'utf8'), name)
    files.set(name, file)
  }
  return file
}

let judged: readonly Judged[] | undefined

/** Every row of `cases/guard.jsonl`, judged once. */
export function everyRow(): readonly Judged[] {
  judged ??= readCases('cases/guard.jsonl').map((row) => {
    const file = worldFile(row.world)
    const subject = subjectOfWorld(file, row)
    return { row, file, subject, result: judgeCase(subject, frozenWorld(file)) }
  })
  return judged
}

/** The record of a verdict without what differs from run to run. */
export function recordOf(subject: Subject, result: CaseResult): Omit<VerdictRecord, 'id' | 'ms'> {
  const { id, ms, ...rest } = buildRecord({
    verdict: result.verdict,
    policy: result.policy,
    facts: result.facts,
    ...(subject.command === undefined ? {} : { call: subject.command }),
    zones: (effect) => effect.zones ?? [],
    ms: result.spent.ms,
    seed: 'law',
  })
  return rest
}

/** A world that answers as `world` does, but for one question that it does not know. */
export const forgetting = (world: World, key: string): World => ({
  now: world.now,
  answer: (question, left) => (keyOf(question) === key ? 'unknown' : world.answer(question, left)),
})

/** Random numbers in [0, 1) that a seed repeats (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Kinds of worlds that no disk would be: each answers every question with an answer of the right type. */
export const STRANGE = ['any', 'unknown', 'absent', 'links', 'folders', 'scripts'] as const
export type Strange = (typeof STRANGE)[number]

const NAMES = ['a', 'b', '.git', '.env', 'src', 'x.sh', 'node_modules', 'package.json', 'Makefile', '-rf', 'a b', '*']
const PATHS = ['.', '..', '/', '', 'a', '../a', 'a/b', '/home/dev', '/home/dev/proj/a', '/etc', 'a/../a', '/proc/self']
const TEXTS = [
  '',
  '#!/bin/sh\nrm -rf "$1"\n',
  '#!/bin/sh\n. ./a; sh x.sh; "$0"\n',
  '{"scripts":{"a":"npm run b","b":"npm run a","pretest":"rm -rf a","test":"sh x.sh"}}',
  'all: a\n\trm -rf $(A)\na: all\n\t$(MAKE) b\ninclude Makefile\n',
  'gitdir: ../.git/worktrees/a\n',
  'import os, shutil\nshutil.rmtree("a")\nexec(open("a").read())\n',
  'require("./a"); require("fs").rmSync("a")\n',
  'while true; do sh a & done\n',
  'f() { f | f & }; f\n',
  '[core]\n\thooksPath = a\n',
  '\u0000\u0001',
  '"',
]

/**
 * Answers of the right type, drawn anew for each question: without a memo in front the same question gets different
 * answers, as on a disk that somebody else changes.
 */
export function strangeAnswers(kind: Strange, seed: number): (question: Question) => Answer {
  const random = randomOf(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const some = <T>(list: readonly T[]): readonly T[] => list.filter(() => random() < 0.4)
  const stat = (of: Stat['kind'], target?: string): Stat => ({
    kind: of,
    size: Math.floor(random() * 4096),
    mtime: 0,
    inode: `1:${Math.floor(random() * 4)}`,
    links: 1 + Math.floor(random() * 3),
    mode: 0o755,
    ...(of === 'link' ? { target: target ?? pick(PATHS) } : {}),
  })
  const entries = (count: number, of: Stat['kind'] | undefined): readonly Entry[] =>
    Array.from({ length: count }, (_, i) => ({
      name: i < NAMES.length ? NAMES[i]! : `n${i}`,
      kind: of ?? pick(['file', 'dir', 'link', 'device'] as const),
    }))
  const state = (): GitState => ({
    ...(random() < 0.8 ? { branch: pick(['main', 'a', null]) } : {}),
    ...(random() < 0.5 ? { defaultBranch: 'main', upstream: pick(['origin/a', null]) } : {}),
    ...(random() < 0.5 ? { ahead: Math.floor(random() * 3), behind: 0 } : {}),
    ...(random() < 0.7 ? { modified: some(NAMES), staged: some(NAMES) } : {}),
    ...(random() < 0.7 ? { untracked: some(NAMES), ignored: some(NAMES) } : {}),
    ...(random() < 0.5 ? { stashes: Math.floor(random() * 3), tags: some(NAMES) } : {}),
    ...(random() < 0.5 ? { remotes: { origin: 'git@example.org:a.git' } } : {}),
    ...(random() < 0.5 ? { branches: { a: { merged: random() < 0.5, pushed: random() < 0.5 } } } : {}),
    ...(random() < 0.5 ? { worktrees: ['/home/dev/proj/a'], linkedWorktree: random() < 0.5 } : {}),
  })
  return (question) => {
    if (kind === 'unknown') return question.ask === 'time' ? 'left' : 'unknown'
    if (kind === 'any' && random() < 0.1) return 'unknown'
    switch (question.ask) {
      case 'stat': {
        if (kind === 'absent') return 'absent'
        if (kind === 'links') {
          const name = question.path.slice(question.path.lastIndexOf('/') + 1)
          return stat('link', pick([name, question.path, `${name}/${name}`, `../${name}`, '.', '/']))
        }
        if (kind === 'folders') return stat('dir')
        if (kind === 'scripts') return stat(/\.git$|\/(?:home|dev|proj|src)$/.test(question.path) ? 'dir' : 'file')
        return random() < 0.2 ? 'absent' : stat(pick(['file', 'dir', 'link', 'device'] as const))
      }
      case 'list':
        if (kind === 'absent') return 'absent'
        if (kind === 'folders') return { entries: entries(Math.min(question.limit, 2_000), 'dir'), cut: random() < 0.5 }
        return random() < 0.2
          ? 'absent'
          : { entries: entries(Math.floor(random() * 15), undefined), cut: random() < 0.1 }
      case 'text':
        if (kind === 'absent') return 'absent'
        if (random() < 0.1) return 'unreadable'
        return { text: pick(TEXTS), cut: random() < 0.1 }
      case 'env':
        return random() < 0.3 ? 'unset' : { value: pick([...PATHS, '$(a)', 'a b', '*', '/home/dev:/bin']) }
      case 'which':
        return random() < 0.3 ? 'absent' : { path: pick(['/usr/bin/a', '/home/dev/proj/x.sh', 'a']) }
      case 'texts':
        if (kind === 'absent' || random() < 0.2) return 'absent'
        return {
          entries: entries(Math.floor(random() * 15), undefined).map((entry) => ({
            ...entry,
            ...(entry.kind === 'file' ? { text: { text: pick(TEXTS), cut: random() < 0.1 } } : {}),
          })),
          cut: random() < 0.1,
        }
      case 'gitBrings':
        return random() < 0.3 ? 'absent' : some(NAMES)
      case 'links':
        return question.paths
          .filter(() => random() < 0.3)
          .map((path) => ({ path, target: pick(['a', '..', '/', '/home/dev']) }))
      case 'time':
        return kind === 'any' && random() < 0.01 ? 'unknown' : 'left'
      case 'gitConfig':
        return some(['!rm -rf a', 'a', '../a', 'true', '/dev/null', '~/a'])
      case 'git':
        return kind === 'absent' ? {} : state()
    }
  }
}

/** Runs a computation without a memo or a budget; throws where it asks more than `most` questions. */
export function drive<T>(
  asking: Asking<T>,
  reply: (question: Question) => Answer,
  most: number,
): { value: T; asked: number } {
  let asked = 0
  let step = asking.next()
  while (!step.done) {
    if (++asked > most) throw new Error(`more than ${most} questions; the last is ${keyOf(step.value)}`)
    step = asking.next(reply(step.value))
  }
  return { value: step.value, asked }
}
