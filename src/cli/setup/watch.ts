/** `sallyport watch`: looks at the hosts' own records of sessions as they grow, and tells of calls that no gate was asked about. */
import { spawn } from 'node:child_process'
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMarks } from '../../session/live.ts'
import { onPath } from '../../setup/detect.ts'
import { KNOWN, type Known } from '../../setup/hosts.ts'
import { pathOf, type Surroundings } from '../../setup/wire/row.ts'
import { EXIT, type Io } from '../io.ts'
import { readAsked, timesIn, unasked } from './asked.ts'
import { Halt, halting, stateOf, surroundingsOf } from './places.ts'
import { callsIn, recordsOf } from './recorded.ts'

export interface WatchFlags {
  readonly notify?: boolean
}

/** Milliseconds in which a hook has written its line, and between two looks where the system tells of no change. */
const SETTLE_MS = 1_500
const POLL_MS = 5_000

interface Watched extends Known {
  readonly dir: string
}

/** Goes on until `stop`. Exit 0 then, 1 where there is nothing to watch. */
export const watchVerb = (flags: WatchFlags, io: Io, stop?: AbortSignal): Promise<number> =>
  halting(io, 'sallyport watch', async () => {
    const state = stateOf(io)
    const at = surroundingsOf(io)
    const all = watchable(at)
    if (all.length === 0) throw new Halt('no host has written a record of a session here yet', EXIT.problem)
    for (const { host, dir } of all) io.err(`sallyport watch: ${host.title}, ${dir}\n`)
    const began = Date.now()
    const due = new Map<string, { readonly known: Watched; readonly when: number }>()
    const told = new Map<string, number>()
    const note = (known: Watched, path: string) => {
      if (known.row.transcripts!.file.test(path) && !due.has(path))
        due.set(path, { known, when: Date.now() + SETTLE_MS })
    }
    const watchers = new Map(all.map((known) => [known.dir, watching(known, note)]))
    const look = () => {
      for (const [path, { known, when }] of due) {
        if (when > Date.now()) continue
        due.delete(path)
        for (const line of tellOf(known, path, state, began, told)) {
          io.err(`sallyport watch: ${line}\n`)
          if (flags.notify) notify(line, io)
        }
      }
    }
    try {
      for (let next = 0; stop?.aborted !== true; ) {
        if (Date.now() >= next) {
          for (const known of watchable(at)) {
            // A host that was never used before has its directory from now on; what lies there by now is new.
            const fresh = !watchers.has(known.dir)
            if (fresh) watchers.set(known.dir, watching(known, note))
            if (fresh || watchers.get(known.dir) === undefined)
              for (const path of changedSince(known, at, began)) note(known, path)
          }
          next = Date.now() + POLL_MS
        }
        look()
        await sleep(200, undefined, { signal: stop }).catch(() => {})
      }
    } finally {
      for (const watcher of watchers.values()) watcher?.close()
    }
    return EXIT.ok
  })

/** The hosts whose records lie somewhere by now. */
const watchable = (at: Surroundings): readonly Watched[] =>
  KNOWN.flatMap((known): readonly Watched[] => {
    const place = known.row.transcripts?.place
    const dir = place === undefined ? undefined : pathOf(place, at)
    return dir !== undefined && existsSync(dir) ? [{ ...known, dir }] : []
  })

/** Undefined where the system cannot watch a tree: then it is looked at from time to time. */
function watching(known: Watched, note: (known: Watched, path: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(known.dir, { recursive: true }, (_kind, name) => {
      if (name !== null) note(known, join(known.dir, name))
    })
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

/** Records that were written to since then. */
const changedSince = (known: Known, at: Surroundings, since: number): readonly string[] =>
  recordsOf(known, at).filter((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since)

/** One sentence without its full stop for each session of a record of which there is something new to tell. */
function tellOf(
  { host, row }: Watched,
  path: string,
  state: string,
  began: number,
  told: Map<string, number>,
): readonly string[] {
  const calls = callsIn(host.id, path)
  const sessions = row.transcripts?.holds === undefined ? [calls.at(-1)?.session] : calls.map(({ session }) => session)
  const [asked, marks] = [readAsked(state, KNOWN), readMarks(state)]
  return [...new Set(sessions)].flatMap((session) => {
    if (session === undefined || session === '') return []
    const own = row.transcripts?.holds === undefined ? calls : calls.filter((call) => call.session === session)
    const missed = unasked(own, timesIn(asked, marks, host.id, session), began, row.unhooked)
    const last = missed.at(-1)
    const key = `${path}\0${session}`
    if (last === undefined || missed.length <= (told.get(key) ?? 0)) return []
    told.set(key, missed.length)
    const where = last.cwd === undefined ? '' : ` in ${last.cwd}`
    return [
      `${host.title} ran ${missed.length === 1 ? 'a call' : `${missed.length} calls`}${where} that no gate was asked about, the last ${last.tool} (session ${session}); run sallyport doctor`,
    ]
  })
}

/** A notice of the desktop, where there is a program for it. */
function notify(line: string, io: Io): void {
  const path = io.env['PATH'] ?? ''
  const [program, words] =
    process.platform === 'darwin'
      ? [
          'osascript',
          [
            '-e',
            'on run argv',
            '-e',
            'display notification (item 1 of argv) with title "Sallyport"',
            '-e',
            'end run',
            line,
          ],
        ]
      : ['notify-send', ['--urgency=critical', 'Sallyport', line]]
  const found = onPath(program as string, path)
  if (found === undefined) return
  const child = spawn(found, words as string[], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
