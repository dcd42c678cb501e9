/** Looks at everything that guards this machine: each wired host, the store, the sandbox. Changes nothing. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostId } from '../core/call.ts'
import { makeDirs, openState } from '../session/store.ts'
import { unwritable } from '../session/unwritable.ts'
import { type About, canaryChecks, enforcement, gateChecks, type Subject } from './checks.ts'
import { onPath } from './detect.ts'
import { KNOWN } from './hosts.ts'
import type { Check } from './plugin-doctor.ts'
import { readRecord } from './record.ts'

export interface HostReport {
  readonly host: HostId
  readonly title: string
  readonly scope: 'user' | 'project'
  readonly root?: string
  /** Somebody else than setup wired it. */
  readonly byHand?: true
  readonly checks: readonly Check[]
  /** What is enforced and what not, in plain words. */
  readonly enforcement: readonly string[]
}

/** Every wiring that setup has written down, of these hosts or of all. */
export const subjects = (state: string, hosts?: readonly HostId[]): readonly Subject[] =>
  KNOWN.filter(({ host }) => hosts === undefined || hosts.includes(host.id)).flatMap((known) => {
    const record = readRecord(state, known.host.id)
    return (record?.wired ?? []).map((wired) => ({ ...known, record: record!, wired }))
  })

/** All checks of one wiring; `canary`: also start its gates. */
export function reportOn(subject: Subject, about: About, canary: boolean): HostReport {
  const { host, wired } = subject
  const at = wired.root === undefined ? about.at : { ...about.at, project: wired.root }
  const here = { ...about, at }
  return {
    host: host.id,
    title: host.title,
    scope: wired.scope,
    ...(wired.root === undefined ? {} : { root: wired.root }),
    ...(subject.byHand ? { byHand: true } : {}),
    checks: [...gateChecks(subject, here), ...(canary ? canaryChecks(subject, here) : [])],
    enforcement: enforcement(subject, about.root, subject.record.version),
  }
}

/** Checks of the machine, whatever host is wired. */
export function machineChecks({ at }: About): readonly Check[] {
  return [stateWritable(at.env, at.home), sandbox(at.env['PATH'] ?? '')]
}

function stateWritable(env: About['at']['env'], home: string): Check {
  const state = openState(env, home)
  if ('refused' in state) return { name: 'store', level: 'fail', detail: state.refused }
  const dir = join(state.path, 'store')
  const file = join(dir, `.doctor-${randomBytes(4).toString('hex')}`)
  try {
    makeDirs(dir)
    writeFileSync(file, 'written', { mode: 0o600, flag: 'wx' })
    const read = readFileSync(file, 'utf8')
    rmSync(file)
    if (read === 'written') return { name: 'store', level: 'ok', detail: `${dir} can be written and read` }
  } catch (error) {
    rmSync(file, { force: true })
    return { name: 'store', level: 'fail', detail: unwritable(dir, error) }
  }
  return { name: 'store', level: 'fail', detail: `${dir} does not give back what was written` }
}

/** The sandbox of the managed runtime: the guard itself needs none. */
function sandbox(path: string): Check {
  const bwrap = onPath('bwrap', path)
  if (bwrap === undefined)
    return {
      name: 'sandbox',
      level: 'warn',
      detail: 'bwrap is not on the PATH: the managed runtime cannot run; gates do',
    }
  const words = ['--ro-bind', '/', '/', '--unshare-user', '--unshare-net', '--', '/bin/true']
  const run = spawnSync(bwrap, words, { encoding: 'utf8', timeout: 10_000, env: {} })
  if (run.status === 0) return { name: 'sandbox', level: 'ok', detail: `${bwrap} makes a sandbox` }
  const said = (run.stderr ?? '').trim().split('\n').at(-1)?.slice(0, 160) ?? ''
  return {
    name: 'sandbox',
    level: 'warn',
    detail: `${bwrap} makes no sandbox (${said || `it ended with ${run.status}`}); gates need none`,
  }
}
