/** Runs what most calls need once, so that the compiled code of it can be kept. */
import type { Answer, Question } from '../../core/question.ts'
import type { World } from '../../core/world.ts'
import { judgeCall } from '../../guard/judge.ts'
import { reasonFor } from '../../record/reason.ts'
import { EMPTY_SESSION } from '../../session/session.ts'
import { logOf } from './log.ts'
import { linesBefore } from './notes.ts'
import { respond } from './respond.ts'

const HOME = '/home/user'
const PROJECT = `${HOME}/project`

/**
 * What nearly every call passes through, and no more: code that is kept is read at each start, so keeping what a call
 * does not need costs it more than compiling it when it does. Nothing here is run.
 */
const LINES: readonly string[] = ['cd src && ls -la | head -20', 'git status 2>&1']

const DIRS = new Set([
  '/',
  '/home',
  HOME,
  PROJECT,
  `${PROJECT}/.git`,
  `${PROJECT}/src`,
  '/tmp',
  `${HOME}/.ssh`,
  `${HOME}/.claude`,
])
const FILES = new Map([
  [`${PROJECT}/package.json`, '{"scripts":{"test":"node --test","build":"tsc"}}'],
  [`${PROJECT}/src/a.ts`, 'export const a = 1\n'],
  [
    `${HOME}/.claude/settings.json`,
    '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"sallyport hook"}]}]}}',
  ],
])

function reply(question: Question): Answer {
  switch (question.ask) {
    case 'stat': {
      const kind = DIRS.has(question.path) ? 'dir' : FILES.has(question.path) ? 'file' : undefined
      return kind === undefined ? 'absent' : { kind, size: 1, mtime: 0, inode: question.path, links: 1, mode: 0o755 }
    }
    case 'list':
      return DIRS.has(question.dir) ? { entries: [{ name: 'a.ts', kind: 'file' }], cut: false } : 'absent'
    case 'text': {
      const text = FILES.get(question.path)
      return text === undefined ? 'absent' : { text, cut: false }
    }
    case 'env':
      return question.name === 'HOME' ? { value: HOME } : 'unset'
    case 'which':
      return { path: `/usr/bin/${question.program}` }
    case 'time':
      return 'left'
    case 'gitConfig':
      return []
    case 'texts':
      return 'absent'
    case 'gitBrings':
      return []
    case 'links':
      return []
    case 'git':
      return {
        branch: 'feature',
        defaultBranch: 'main',
        modified: ['src/a.ts'],
        staged: [],
        untracked: ['b'],
        ignored: [],
      }
  }
}

const world: World = { now: () => 0, answer: reply }
const places = { exists: () => false, locate: (path: string) => ({ path, made: path }) }

/** Judges common calls in a made-up project. Writes nothing, asks nobody, never throws. */
export function warmUp(): void {
  try {
    for (const command of LINES) one('claude', 'PreToolUse', { tool_name: 'Bash', tool_input: { command } })
    one('claude', 'PreToolUse', {
      tool_name: 'Edit',
      tool_input: { file_path: `${PROJECT}/src/a.ts`, old_string: 'a', new_string: 'b' },
    })
  } catch {}
}

function one(host: string, event: string, about: object): void {
  const payload = { session_id: 's', cwd: PROJECT, permission_mode: 'default', hook_event_name: event, ...about }
  const request = { host, event, launch: { version: undefined, unattended: false, env: {} } }
  const outcome = respond({ bytes: new TextEncoder().encode(JSON.stringify(payload)), end: 'whole' }, request, {
    world,
    budget: { ms: 1_000, start: 0, questions: 5_000 },
    cwd: PROJECT,
    person: { home: HOME, user: 'user', platform: 'linux' },
    sessionOf: () => EMPTY_SESSION,
    claim: () => false,
    judge: judgeCall,
    words: reasonFor,
  })
  const make = logOf(outcome, request, { now: new Date(0), pid: 1, cwd: PROJECT })
  make?.('')
  if (outcome.call !== undefined && outcome.verdict !== undefined) linesBefore(outcome.call, outcome.verdict, 0, places)
}
