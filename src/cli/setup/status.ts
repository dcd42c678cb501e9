/** `sallyport status`: which gates stand, and what became of them in each session. */
import { accessSync, constants } from 'node:fs'
import type { HostId } from '../../core/call.ts'
import { pausedUntil } from '../../session/pause.ts'
import { unwritable } from '../../session/unwritable.ts'
import { gateChecks } from '../../setup/checks.ts'
import { subjects } from '../../setup/doctor.ts'
import { KNOWN } from '../../setup/hosts.ts'
import { byHandWords, straySubjects } from '../../setup/stray.ts'
import { EXIT, type Io } from '../io.ts'
import { shownTime } from '../time.ts'
import { pausedWords } from './paused.ts'
import { aboutOf, halting, stateOf } from './places.ts'
import { type SessionState, sessionStates } from './sessions.ts'

/** Exit 0 where every gate stands and was asked, 1 where one is dead, no host is wired or a person has paused the guard. */
export const statusVerb = (flags: { readonly json?: boolean }, io: Io): Promise<number> =>
  halting(io, 'sallyport status', () => {
    const state = stateOf(io)
    const about = aboutOf(io)
    const wired = [...subjects(state), ...straySubjects(state, about.at)]
    const gates = wired.map((subject) => {
      const { host, wired: one, byHand } = subject
      const at = one.root === undefined ? about.at : { ...about.at, project: one.root }
      const faults = gateChecks(subject, { ...about, at }).filter(({ level }) => level === 'fail')
      return {
        host: host.id,
        title: host.title,
        scope: one.scope,
        files: one.files.map(({ path }) => path),
        at: byHand ? undefined : one.at,
        byHand,
        note: byHand ? byHandWords(subject) : undefined,
        faults,
      }
    })
    const since = new Map<HostId, number>(
      gates.flatMap(({ host, at }) => (at === undefined ? [] : [[host, Date.parse(at)] as const])),
    )
    const sessions = sessionStates(state, KNOWN, since, Date.now(), about.at)
    const lost = unkept(state)
    const until = pausedUntil(state, Date.now())
    const paused = until === undefined ? {} : { pausedUntil: new Date(until).toISOString() }
    const bad =
      until !== undefined ||
      lost !== undefined ||
      gates.length === 0 ||
      gates.some(({ faults }) => faults.length > 0) ||
      sessions.some(({ gate }) => gate === 'dead')
    if (flags.json)
      io.out(`${JSON.stringify({ v: 1, ok: !bad, ...paused, unwritable: lost, gates, sessions }, undefined, 2)}\n`)
    else {
      if (until !== undefined) io.out(`PAUSED: ${pausedWords(until)}\n`)
      if (lost !== undefined) io.out(`${lost}; what the guard does is not kept\n`)
      if (gates.length === 0) io.out('no host is wired; run sallyport setup\n')
      for (const { title, scope, files, note, faults } of gates) {
        io.out(
          `${title} (${scope}): ${faults.length === 0 ? `its gate stands in ${files.join(', ')}` : 'its gate is DEAD'}\n`,
        )
        if (note !== undefined) io.out(`  ${note}\n`)
        for (const { name, detail } of faults) io.out(`  ${name}: ${detail}\n`)
      }
      for (const session of sessions) io.out(lineOf(session))
    }
    return bad ? EXIT.problem : EXIT.ok
  })

/** Why nothing can be kept; then the gates may stand, and what they were asked is not known. */
function unkept(state: string): string | undefined {
  try {
    accessSync(state, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return unwritable(`the state directory ${state}`, error)
  }
}

function lineOf({ host, session, version, cwd, since, last, gate, asked, why }: SessionState): string {
  const what = {
    live: asked === undefined ? 'live' : `live, asked ${asked === 1 ? 'once' : `${asked} times`}`,
    dead: `DEAD: ${why}`,
    idle: 'no call yet',
  }[gate]
  return `${host}${version === undefined ? '' : ` ${version}`} ${session.slice(0, 8)} in ${cwd ?? '?'}, ${shownTime(since)} to ${shownTime(last)}: ${what}\n`
}
