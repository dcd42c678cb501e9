/**
 * Whether a call gets slower as its session grows: the whole hook process in an empty session and in one of 10,000 earlier
 * calls, 30 runs of each in turns. `npm run bench -- session`. The earlier calls are written as the hook writes them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { effectLine, pathLines } from '../src/session/fold.ts'
import type { SessionLine } from '../src/session/session.ts'
import { appendSession, openState } from '../src/session/store.ts'
import { layScene } from './scene.ts'
import { median, ms, table } from './stats.ts'

const ROOT = join(import.meta.dirname, '..')
const HOOK = join(ROOT, 'dist/hook.cjs')
const CALLS = 10_000
const RUNS = 30

export function run(): void {
  if (!existsSync(HOOK)) spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' })
  const scratch = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const { home, project } = layScene(scratch)
    const state = openState({}, home)
    if ('refused' in state) throw new Error(state.refused)
    for (let call = 0; call < CALLS; call++) appendSession(state, 'claude', 'long', linesOf(call, project))
    const time = (session: string): number => {
      const from = process.hrtime.bigint()
      spawnSync(process.execPath, [HOOK, 'claude', 'PreToolUse'], {
        cwd: project,
        env: { PATH: process.env['PATH'] ?? '', HOME: home, USER: 'dev' },
        input: JSON.stringify({
          ...{ session_id: session, transcript_path: join(home, 't.jsonl'), cwd: project, permission_mode: 'default' },
          ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'rm -rf build && npm test' } },
        }),
      })
      return Number(process.hrtime.bigint() - from) / 1e6
    }
    const sessions = ['empty', 'long']
    for (const session of sessions) for (let i = 0; i < 3; i++) time(session)
    const times = sessions.map((): number[] => [])
    for (let i = 0; i < RUNS; i++) sessions.forEach((session, at) => void times[at]!.push(time(session)))
    const [empty, long] = times.map(median) as [number, number]
    process.stdout.write(
      `${table([
        ['session', 'median ms', 'of the empty one'],
        ['empty', ms(empty), '1.00'],
        [`${CALLS} earlier calls`, ms(long), (long / empty).toFixed(2)],
      ])}\n`,
    )
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** What a call leaves: mostly what it wrote, now and then what was denied. */
function linesOf(call: number, project: string): readonly SessionLine[] {
  const path = join(project, `src/file-${call % 700}.ts`)
  const seen: SessionLine = { t: call, kind: 'seen', fingerprint: `${call}`, acts: ['write'], paths: [path] }
  return [
    seen,
    ...pathLines('written', call, [path]),
    ...(call % 5 === 0 ? pathLines('created', call, [join(project, `made-${call}.ts`)]) : []),
    ...(call % 40 === 0
      ? [effectLine('denied', call, [{ act: 'delete', target: join(project, `kept-${call}`), tree: true }])]
      : []),
  ]
}
