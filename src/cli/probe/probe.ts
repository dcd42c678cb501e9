/** `sallyport probe`: drives the hosts of this machine offline, each at most 90 s, and says what their versions enforce. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { HOSTS, hostOf } from '../../hosts/registry.ts'
import { detect, versionOf } from '../../setup/detect.ts'
import { writeProbed } from '../../setup/probed.ts'
import { WIRE_ROWS } from '../../setup/wire/rows.ts'
import { EXIT, type Io } from '../io.ts'
import { stateOf, surroundingsOf } from '../setup/places.ts'
import { type Finding, probeHost } from './probe-host.ts'
import { DRIVERS } from './rig/drivers.ts'
import { BUILT_HOOK, BUILT_HOOK_FILE, type Driver, SOURCE_HOOK } from './rig/scenario.ts'

export interface ProbeFlags {
  readonly json?: boolean
  /** A program in place of the one on the PATH; for one host. */
  readonly program?: string
}

interface Subject {
  readonly driver: Driver
  readonly program: string
  readonly version: string | undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Exit 0 where every host does as the table says, 1 where one does not, 2 where there is nothing to probe. */
export async function probeVerb(flags: ProbeFlags, names: readonly string[], io: Io): Promise<number> {
  const chosen = subjectsOf(flags, names, io)
  if (typeof chosen === 'string') {
    io.err(`sallyport probe: ${chosen}\n`)
    return EXIT.usage
  }
  const hook = existsSync(BUILT_HOOK_FILE) ? BUILT_HOOK : SOURCE_HOOK
  const reports = []
  let differs = false
  for (const { driver, program, version } of chosen) {
    const started = performance.now()
    const findings = await probeHost(driver, program, hook, () => performance.now())
    const seconds = Math.round((performance.now() - started) / 1_000)
    differs ||= findings.some(({ holds }) => holds === false)
    const report = { host: driver.host, program, version, table: driver.version, seconds, findings }
    reports.push(report)
    if (version !== undefined) keep(driver.host, version, findings, io)
    if (!flags.json) io.out(shown(report))
  }
  if (flags.json) io.out(`${JSON.stringify({ v: 1, ok: !differs, hosts: reports }, undefined, 2)}\n`)
  return differs ? EXIT.problem : EXIT.ok
}

/** For doctor. That it cannot be kept spoils no probe. */
function keep(host: Driver['host'], version: string, findings: readonly Finding[], io: Io): void {
  try {
    writeProbed(stateOf(io), {
      v: 1,
      host,
      version,
      at: new Date().toISOString(),
      findings: findings.map(({ id, claim, holds, observed }) => ({
        ...{ id, claim },
        ...(holds === undefined ? {} : { holds }),
        ...(observed === undefined ? {} : { ran: observed.ran }),
      })),
    })
  } catch (error) {
    io.err(`sallyport probe: doctor will not know of this probe: ${error instanceof Error ? error.message : error}\n`)
  }
}

/** The hosts to drive, or why there are none. */
function subjectsOf(flags: ProbeFlags, names: readonly string[], io: Io): readonly Subject[] | string {
  const at = surroundingsOf(io)
  const unknown = names.find((name) => hostOf(name) === undefined)
  if (unknown !== undefined)
    return `${JSON.stringify(unknown.slice(0, 64))} is no host; known are ${HOSTS.map(({ id }) => id).join(', ')}`
  const ids =
    names.length > 0 ? names.map((name) => hostOf(name)!.id as string) : DRIVERS.map(({ host }) => host as string)
  const undriven = ids.find((id) => !DRIVERS.some(({ host }) => host === id))
  if (undriven !== undefined)
    return `${undriven} cannot be driven without its own service: what is said of it is contract only`
  if (flags.program !== undefined && ids.length !== 1) return '--program goes with the name of one host'
  if (flags.program !== undefined && !isProgram(flags.program)) return `${flags.program} is no program that can be run`
  const found = ids.flatMap((id): readonly Subject[] => {
    const driver = DRIVERS.find(({ host }) => host === id)!
    const row = WIRE_ROWS.find(({ host }) => host === id)
    const seen = row === undefined ? undefined : detect(row, at)
    const program = flags.program ?? seen?.program
    if (program === undefined || !existsSync(program)) return []
    return [{ driver, program, version: flags.program === undefined ? seen?.version : versionOf(program, at.env) }]
  })
  if (found.length > 0) return found
  return `no program of ${ids.join(', ')} is on the PATH; name one with --program`
}

function shown(report: {
  readonly host: string
  readonly program: string
  readonly version: string | undefined
  readonly table: string
  readonly seconds: number
  readonly findings: readonly Finding[]
}): string {
  const { host, program, version, table, seconds, findings } = report
  const title = hostOf(host)!.title
  const held = findings.filter(({ holds }) => holds === true)
  const lines = findings.map(({ claim, holds, why }) => {
    const word = holds === true ? 'ok       ' : holds === false ? 'DIFFERS  ' : 'not tried'
    return `  ${word}  ${claim}${holds === true ? '' : `\n             ${why}`}`
  })
  return [
    `${title} ${version ?? '(version not told)'}, ${program}`,
    ...lines,
    `${title}: ${held.length} of ${findings.length} came out as the table says, which rests on ${table}; ${seconds} s`,
    '',
    '',
  ].join('\n')
}
