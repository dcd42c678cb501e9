/**
 * Answers the guard's questions from the files of an environment. What cannot be told from outside (the state of git) is
 * unknown, and the guard decides for the worse.
 */
import { posix } from 'node:path'
import type { Answer, Asking, Entry, Question, Stat } from '../../core/question.ts'
import type { EnvironmentFiles, FileEntry } from '../contract.ts'

/** Milliseconds and questions of one verdict. */
const MOST_MS = 3_000
const MOST_QUESTIONS = 5_000
/** Characters of a text that is given whole. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Runs a computation to its end. Questions beyond the budget are unknown. */
export async function answerFrom<T>(
  asking: Asking<T>,
  files: EnvironmentFiles,
  variables: Readonly<Record<string, string>>,
): Promise<T> {
  const end = performance.now() + MOST_MS
  const memo = new Map<string, Answer>()
  for (let step = asking.next(); ; ) {
    if (step.done) return step.value
    const question = step.value
    const isLate = performance.now() > end
    if (question.ask === 'time') {
      step = asking.next(isLate ? 'unknown' : 'left')
      continue
    }
    const key = JSON.stringify(question)
    let reply = memo.get(key)
    if (reply === undefined) {
      reply = isLate || memo.size >= MOST_QUESTIONS ? 'unknown' : await answerOf(question, files, variables)
      memo.set(key, reply)
    }
    step = asking.next(reply)
  }
}

async function answerOf(
  question: Exclude<Question, { ask: 'time' }>,
  files: EnvironmentFiles,
  variables: Readonly<Record<string, string>>,
): Promise<Answer> {
  switch (question.ask) {
    case 'stat':
      return (await statOf(files, question.path)) ?? 'absent'
    case 'list': {
      const entries = await entriesOf(files, question.dir, question.limit)
      return entries ?? 'absent'
    }
    case 'text':
      return await textOf(files, question.path, question.limit)
    case 'texts': {
      const listed = await entriesOf(files, question.dir, question.limit)
      if (listed === undefined) return 'absent'
      const entries = []
      let total = 0
      for (const entry of listed.entries) {
        if (entry.kind !== 'file' || total > question.total) {
          entries.push(entry)
          continue
        }
        const text = await textOf(files, posix.join(question.dir, entry.name), question.each)
        if (typeof text === 'object') total += text.text.length
        entries.push({ ...entry, text })
      }
      return { entries, cut: listed.cut }
    }
    case 'links': {
      const out = []
      for (const path of question.paths) {
        const target = await linkOf(files, path)
        if (target !== undefined) out.push({ path, target })
      }
      return out
    }
    case 'env': {
      const value = variables[question.name]
      return value === undefined ? 'unset' : { value }
    }
    case 'which':
      return { path: `/usr/bin/${question.program}` }
    default:
      return 'unknown'
  }
}

/** Where a link points; undefined for what is none. Only the last name of the path counts. */
async function linkOf(files: EnvironmentFiles, path: string): Promise<string | undefined> {
  const [real, parent] = [await files.real(path), await files.real(posix.dirname(path))]
  if (real === undefined || parent === undefined || path === '/') return undefined
  return real === posix.join(parent, posix.basename(path)) ? undefined : real
}

async function statOf(files: EnvironmentFiles, path: string): Promise<Stat | undefined> {
  const entry = await files.stat(path)
  if (entry === undefined) return undefined
  const { size, modified: mtime } = entry
  const about = { size, mtime, inode: (await files.real(path)) ?? path, links: 1 }
  const target = await linkOf(files, path)
  if (target !== undefined) return { ...about, kind: 'link', target, mode: 0o777 }
  return { ...about, kind: kindOf(entry), mode: entry.type === 'FILE' ? 0o644 : 0o755 }
}

const kindOf = ({ type }: FileEntry): 'file' | 'dir' => (type === 'FILE' ? 'file' : 'dir')

async function entriesOf(
  files: EnvironmentFiles,
  dir: string,
  limit: number,
): Promise<{ readonly entries: readonly Entry[]; readonly cut: boolean } | undefined> {
  if ((await files.stat(dir))?.type !== 'DIRECTORY') return undefined
  const entries: Entry[] = []
  for await (const entry of files.list(dir, false)) {
    if (entries.length >= limit) return { entries, cut: true }
    entries.push({ name: entry.name, kind: kindOf(entry) })
  }
  return { entries, cut: false }
}

async function textOf(
  files: EnvironmentFiles,
  path: string,
  limit: number,
): Promise<{ readonly text: string; readonly cut: boolean } | 'unreadable' | 'absent'> {
  const entry = await files.stat(path)
  if (entry === undefined) return 'absent'
  const bytes = entry.type === 'FILE' ? await files.read(path, limit) : undefined
  if (bytes === undefined) return 'unreadable'
  try {
    // A cut may split a character: up to three bytes of one are left out.
    const whole = entry.size <= limit
    for (let less = 0; less < (whole ? 1 : 4); less++)
      try {
        return { text: UTF8.decode(bytes.subarray(0, bytes.length - less)), cut: !whole }
      } catch (error) {
        if (whole || less === 3) throw error
      }
  } catch {
    // Not text.
  }
  return 'unreadable'
}
