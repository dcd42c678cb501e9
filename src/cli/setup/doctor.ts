/** `sallyport doctor`: tells of each wired host whether its gate stands, and what it does not cover. */
import type { HostId } from '../../core/call.ts'
import { counted } from '../../core/count.ts'
import { type HostReport, machineChecks, reportOn, subjects } from '../../setup/doctor.ts'
import type { Known } from '../../setup/hosts.ts'
import type { Check } from '../../setup/plugin-doctor.ts'
import { straySubjects } from '../../setup/stray.ts'
import { wakeCheck } from '../../setup/wake.ts'
import { EXIT, type Io } from '../io.ts'
import { pauseChecks } from './paused.ts'
import { aboutOf, halting, namedHosts, stateOf } from './places.ts'
import { setupVerb } from './setup.ts'
import { showChecks } from './show.ts'

export interface DoctorFlags {
  readonly json?: boolean
  readonly fix?: boolean
  /** The hosts are not started. */
  readonly static?: boolean
  readonly host?: string
}

/** Exit 0 where everything holds, 1 where something does not, 2 for bad usage. */
export const doctorVerb = (flags: DoctorFlags, io: Io, program: string): Promise<number> =>
  halting(io, `${program} doctor`, () => examine(flags, io, program))

async function examine(flags: DoctorFlags, io: Io, program: string): Promise<number> {
  const wanted = namedHosts(flags.host)
  const named = wanted?.map(({ host }) => host.id)
  const about = aboutOf(io)
  const state = stateOf(io)
  const reports = async () => {
    const out: HostReport[] = []
    for (const subject of [...subjects(state, named), ...straySubjects(state, about.at, named)]) {
      const report = reportOn(subject, about, true)
      // One start tells of all settings of a host; those of a project are not loaded elsewhere. By hand, nobody may have
      // registered the event that a start is told by.
      const woken =
        flags.static || subject.byHand || subject.wired.scope !== 'user' || isUntrusted(report.checks)
          ? undefined
          : await wakeCheck(subject, about.at, state)
      out.push({ ...report, checks: [...report.checks, ...(woken === undefined ? [] : [woken])] })
    }
    return out
  }
  let hosts = await reports()
  if (flags.fix) {
    const ill = hosts.filter(({ checks }) => isIll(checks))
    for (const { host, scope, root } of ill)
      await setupVerb(
        { yes: true, host, scope },
        { ...io, cwd: root ?? io.cwd, out: flags.json ? () => {} : io.out },
        program,
      )
    if (ill.length > 0) hosts = await reports()
  }
  const checks = [...pauseChecks(state), ...machineChecks(about)]
  const absent = absentOf(wanted, hosts)
  const bad = isIll(checks) || hosts.some((one) => isIll(one.checks)) || absent.length > 0
  const unwired = wanted === undefined || absent.length === 0 ? {} : { unwired: absent.map(({ host }) => host) }
  if (flags.json)
    io.out(`${JSON.stringify({ v: 1, ok: !bad, version: about.version, ...unwired, hosts, checks }, undefined, 2)}\n`)
  else show(hosts, absent, checks, bad, program, about.version, io)
  return bad ? EXIT.problem : EXIT.ok
}

interface Absent {
  readonly host?: HostId
  /** One clause. */
  readonly what: string
  readonly run: string
}

/** Hosts that were asked for and are not wired; without names, that none is. */
function absentOf(wanted: readonly Known[] | undefined, hosts: readonly HostReport[]): readonly Absent[] {
  if (wanted === undefined) return hosts.length > 0 ? [] : [{ what: 'no host is wired', run: 'sallyport setup' }]
  return wanted
    .filter(({ host }) => !hosts.some((one) => one.host === host.id))
    .map(({ host, row }) => {
      const scope = row.files.some(({ settings }) => settings.user !== undefined) ? '' : ' --scope project'
      return { host: host.id, what: `${host.title} is not wired`, run: `sallyport setup${scope} --host ${host.id}` }
    })
}

/** Then the host starts no hook, and there is nothing to wait for. */
const isUntrusted = (checks: readonly Check[]): boolean =>
  checks.some(({ name, level }) => name === 'trust' && level === 'fail')
const isIll = (checks: readonly Check[]): boolean => checks.some(({ level }) => level === 'fail')

function show(
  hosts: readonly HostReport[],
  absent: readonly Absent[],
  checks: readonly Check[],
  bad: boolean,
  program: string,
  version: string,
  io: Io,
): void {
  io.out(`[${program} doctor v${version}] ${bad ? 'PROBLEMS FOUND' : 'OK'}\n`)
  for (const { what, run } of absent) io.out(`${what}; run ${run}\n`)
  for (const { title, scope, root, byHand, checks: own, enforcement } of hosts) {
    io.out(`${title} (${root ?? scope}${byHand ? ', wired by hand' : ''})\n`)
    showChecks(own, io)
    for (const line of enforcement) io.out(`  ${line}\n`)
  }
  io.out('this machine\n')
  showChecks(checks, io)
  io.out(`${summary(hosts, absent, checks)}\n`)
}

/** `2 problems: canary of Claude Code, store of this machine; 1 warning`, or that all is well. */
function summary(hosts: readonly HostReport[], absent: readonly Absent[], checks: readonly Check[]): string {
  const all = [
    ...hosts.flatMap(({ title, checks: own }) => own.map((check) => ({ ...check, of: title }))),
    ...checks.map((check) => ({ ...check, of: 'this machine' })),
  ]
  const failed = [
    ...absent.map(({ what }) => what),
    ...new Set(all.flatMap(({ level, name, of }) => (level === 'fail' ? [`${name} of ${of}`] : []))),
  ]
  const warned = all.filter(({ level }) => level === 'warn').length
  const told = failed.length === 0 ? 'no problems' : `${counted(failed.length, 'problem')}: ${failed.join(', ')}`
  return `${told}; ${counted(warned, 'warning')}`
}
