/** `sallyport pending` and `sallyport approve`: what was refused of late, and a person's yes to one of it. */
import { createHmac, randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { EffectIdentity } from '../../core/verdict.ts'
import { APPROVAL_MS, effectLine, fingerprint, identityKey } from '../../session/fold.ts'
import type { SessionLine } from '../../session/session.ts'
import { appendToSession, openState, recentSessions, type StateDir } from '../../session/store.ts'
import { FIRM } from '../hook/notes.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { plain, sessionIds } from '../log.ts'
import { askTerminal, type Surroundings, surroundings, whyNoPerson } from './person.ts'

/** Refusals older than this are not asked about any more. */
const PENDING_MS = 24 * 3600 * 1000
const CODE_DIGITS = 6
/** Effects of one refusal that are shown. */
const SHOWN = 8

export interface Pending {
  readonly code: string
  readonly session: string
  readonly at: number
  readonly rule: string | undefined
  readonly effects: readonly EffectIdentity[]
  /** Why an approval would change nothing. */
  readonly firm: boolean
  readonly approved: boolean
}

export interface Asker {
  readonly around: Surroundings
  readonly now: number
  ask(question: string): string
}

const here = (io: Io): Asker => ({ around: surroundings(io.env), now: Date.now(), ask: askTerminal })

/** `sallyport pending [--json]`. Exit 0, also where nothing is pending; 1 where no person is at the terminal. */
export function pendingVerb(flags: { readonly json?: boolean }, io: Io, asker: Asker = here(io)): number {
  const ready = readied('pending', io, asker)
  if (typeof ready === 'number') return ready
  const rows = pendingOf(ready, asker.now)
  if (flags.json) {
    io.out(`${JSON.stringify(rows, undefined, 2)}\n`)
    return EXIT.ok
  }
  const ids = sessionIds(ready.path)
  for (const row of rows) io.out(shown(row, asker.now, ids))
  io.out(lastLine(rows))
  return EXIT.ok
}

export interface ApproveFlags {
  /** Every use of exactly these effects until the session ends. */
  readonly session?: boolean
  readonly yes?: boolean
}

/** `sallyport approve CODE`. Exit 0 where it is approved, 1 where the person says no or nothing has that code. */
export function approveVerb(flags: ApproveFlags, code: string | undefined, io: Io, asker: Asker = here(io)): number {
  if (code === undefined || !/^[0-9a-f]{6}$/i.test(code)) {
    io.err('sallyport approve: name the code that sallyport pending shows, six hexadecimal digits\n')
    return EXIT.usage
  }
  const ready = readied('approve', io, asker)
  if (typeof ready === 'number') return ready
  const row = pendingOf(ready, asker.now).find((one) => one.code === code.toLowerCase())
  if (row === undefined) {
    io.err(`sallyport approve: nothing that was refused in the last day has the code ${code}; see sallyport pending\n`)
    return EXIT.problem
  }
  if (row.firm) {
    io.err(`sallyport approve: ${row.rule} cannot be approved; change the policy, or do it yourself\n`)
    return EXIT.problem
  }
  const how = flags.session ? 'for as long as the session lasts' : 'once, within ten minutes'
  const answer = flags.yes
    ? 'yes'
    : asker.ask(`${shown(row, asker.now, sessionIds(ready.path))}Approve exactly this, ${how}? Type yes: `)
  if (answer.toLowerCase() !== 'yes') {
    io.err('sallyport approve: nothing was approved\n')
    return EXIT.problem
  }
  const line: SessionLine = {
    ...effectLine('approved', asker.now, row.effects),
    ...(flags.session ? { lasts: 'session' as const } : {}),
  }
  const failed = appendToSession(ready, row.session, [line])
  if (failed !== undefined) {
    io.err(`sallyport approve: ${failed.refused}\n`)
    return EXIT.problem
  }
  io.out(`approved ${how}; the agent can send the call again\n`)
  return EXIT.ok
}

function readied(verb: string, io: Io, asker: Asker): StateDir | number {
  const why = whyNoPerson(asker.around, verb === 'pending' ? 'see the codes of approvals' : 'answer')
  const state = openState(io.env, homeOf(io.env))
  const refused = why ?? ('refused' in state ? state.refused : undefined)
  if (refused === undefined) return state as StateDir
  io.err(`sallyport ${verb}: ${refused}\n`)
  return EXIT.problem
}

/** What was refused in the last day, the newest first, with what was approved since. */
export function pendingOf(state: StateDir, now: number): readonly Pending[] {
  const key = keyOf(state)
  const rows = new Map<string, Pending>()
  for (const { name, lines } of recentSessions(state.path)) {
    const approvals = new Map(lines.filter(({ kind }) => kind === 'approved').map((line) => [line.fingerprint, line]))
    for (const line of lines) {
      if (line.kind !== 'denied' || !line.effects?.length || now - line.t > PENDING_MS) continue
      // One refusal may lie there in pieces.
      const id = `${name} ${line.t}`
      const effects = distinct([...(rows.get(id)?.effects ?? []), ...line.effects])
      rows.set(id, {
        code: createHmac('sha256', key).update(id).digest('hex').slice(0, CODE_DIGITS),
        session: name,
        at: line.t,
        rule: line.rule,
        effects,
        firm: line.rule !== undefined && FIRM.test(line.rule),
        approved: holds(approvals.get(fingerprint(effects)), now),
      })
    }
  }
  return [...rows.values()].sort((a, b) => b.at - a.at)
}

const distinct = (effects: readonly EffectIdentity[]): readonly EffectIdentity[] => [
  ...new Map(effects.map((effect) => [identityKey(effect), effect])).values(),
]

const holds = (line: SessionLine | undefined, now: number): boolean =>
  line !== undefined && (line.uses ?? 1) > 0 && (line.lasts === 'session' || now - line.t <= APPROVAL_MS)

/** What the list ends with: what can be done about its rows. */
export function lastLine(rows: readonly Pick<Pending, 'firm'>[]): string {
  if (rows.length === 0) return 'nothing was refused in the last day\n'
  if (rows.every(({ firm }) => firm)) return 'none of these can be approved; change the policy, or do it yourself\n'
  return 'approve one with: sallyport approve CODE (one use within ten minutes; --session: as long as the session lasts)\n'
}

/** `ids`: of sessions, by the names of their files; one that the log has forgotten is shown by that name. */
function shown(row: Pending, now: number, ids: ReadonlyMap<string, string>): string {
  const minutes = Math.max(0, Math.round((now - row.at) / 60_000))
  const state = row.approved ? ', approved' : row.firm ? ', cannot be approved' : ''
  const head = `${row.code}  ${minutes} min ago  ${plain(ids.get(row.session) ?? row.session)}${row.rule === undefined ? '' : `  ${plain(row.rule)}`}${state}\n`
  const effects = row.effects
    .slice(0, SHOWN)
    .map(({ act, target, tree }) => `        ${plain(act)} ${plain(target)}${tree ? ' and all below it' : ''}\n`)
  const more = row.effects.length - SHOWN
  return head + effects.join('') + (more > 0 ? `        and ${more} more\n` : '')
}

/** The key of the codes: without it a code cannot be worked out from what the session file says. */
function keyOf({ path }: StateDir): string {
  const file = join(path, 'approvals', 'key')
  try {
    mkdirSync(join(path, 'approvals'), { recursive: true, mode: 0o700 })
    const handle = openSync(file, 'wx', 0o600)
    writeSync(handle, randomBytes(32).toString('hex'))
    closeSync(handle)
  } catch {
    // It is there already, or cannot be made: then reading it tells.
  }
  return readFileSync(file, 'utf8')
}
