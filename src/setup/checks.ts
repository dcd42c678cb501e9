/** What a doctor looks at for one wired host. Each check tells one thing; none changes anything. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { canaryLine, canaryReason } from '../guard/canary.ts'
import { exitAnswer } from '../hosts/exit-code.ts'
import type { CapabilityKey } from '../hosts/host.ts'
import { capabilitiesOf, isAfter } from '../hosts/versions.ts'
import { type Detected, detect } from './detect.ts'
import { hashOf, readForEdit, textOf } from './edit/disk.ts'
import { formatOf, valueAt } from './edit/format.ts'
import type { Known } from './hosts.ts'
import { missingIn } from './plan.ts'
import type { Check } from './plugin-doctor.ts'
import { probeCheck, readProbed, versionCheck } from './probed.ts'
import { lastReceipt } from './receipts.ts'
import type { HostRecord, Wired } from './record.ts'
import { runtimeFaults, runtimeVersion } from './runtime.ts'
import { byHandChecks } from './stray.ts'
import { entriesOf } from './wire/entries.ts'
import { pathOf, type Surroundings } from './wire/row.ts'

export interface About {
  readonly at: Surroundings
  /** Root of the package that runs now: its receipts are what is known. */
  readonly root: string
  /** Our version. */
  readonly version: string
  /** The state directory. */
  readonly state: string
}

export interface Subject extends Known {
  readonly record: HostRecord
  readonly wired: Wired
  /** No record tells of it: it was found in the host's settings. */
  readonly byHand?: true
}

const ok = (name: string, detail: string): Check => ({ name, level: 'ok', detail })
const warn = (name: string, detail: string): Check => ({ name, level: 'warn', detail })
const fail = (name: string, detail: string): Check => ({ name, level: 'fail', detail })

/** All checks of one wiring that tell whether its gate stands. Never throws. */
export function gateChecks(subject: Subject, about: About): readonly Check[] {
  const own = subject.byHand ? [byHandChecks] : [settings]
  return [...own, switches, trust, ...(subject.byHand ? [] : [runtime]), version].flatMap((check): readonly Check[] => {
    try {
      return check(subject, about) ?? []
    } catch (error) {
      return [fail(check.name, error instanceof Error ? error.message : String(error))]
    }
  })
}

/** Each file as setup wrote it, or changed by others with our entries whole. */
function settings({ row, wired, record }: Subject): readonly Check[] {
  const target = row.files.find((one) => one.is === 'entries')
  return wired.files.map((written) => {
    const { path, after } = written
    const file = readForEdit(path)
    if ('refused' in file) return fail('settings', `${path}: ${file.refused}`)
    if (file.bytes === undefined) return fail('settings', `${path} is gone`)
    const text = textOf(file.bytes)
    if (text === undefined) return fail('settings', `${path} is not UTF-8`)
    const same = hashOf(file.bytes) === after.sha256
    if (written.own || target === undefined) {
      if (!same) return fail('settings', `${path} was changed since setup`)
      const runs = !text.startsWith('#!') || (file.mode & 0o100) !== 0
      return runs ? ok('settings', `${path} is as setup wrote it`) : fail('settings', `${path} cannot be run`)
    }
    const entries = entriesOf(row, target, programOf(wired), record.version, wired.commands)
    const [fault] = missingIn(text, target, entries)
    if (fault !== undefined) return fail('settings', `${path}: ${fault}`)
    return same
      ? ok('settings', `${path} is as setup wrote it`)
      : ok('settings', `${path} was changed by others since; what setup wrote there is whole`)
  })
}

/** The program that a wiring registered. */
export const programOf = ({ runtime, node }: Wired) => ({ node, hook: `${runtime}/dist/hook.cjs` })

/** Switches of the host that turn hooks off as a whole. */
function switches({ row }: Subject, { at }: About): readonly Check[] {
  return row.off.flatMap(({ place, at: keys, value }) => {
    const path = pathOf(place, at)
    const found = valueIn(path, keys)
    return found === value ? [fail('switches', `${keys.join('.')} in ${path} is ${value}, which turns hooks off`)] : []
  })
}

function valueIn(path: string, keys: readonly string[]): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  const read = formatOf(path.endsWith('.toml') ? 'toml' : 'jsonc').loose(text)
  return 'refused' in read ? undefined : valueAt(read.values, keys)
}

/** Codex runs a hook only where the person trusts it: by the hook's place in its file. */
function trust({ row, wired }: Subject, { at }: About): readonly Check[] | undefined {
  if (row.host !== 'codex') return undefined
  const config = pathOf({ env: 'CODEX_HOME', dir: '~/.codex', file: 'config.toml' }, at)
  const state = valueIn(config, ['hooks', 'state']) as Record<string, unknown> | undefined
  const trusted = Object.entries(state ?? {}).filter(
    ([key, one]) =>
      wired.files.some(({ path, real }) => key.startsWith(`${path}:`) || key.startsWith(`${real}:`)) &&
      typeof (one as { trusted_hash?: unknown } | null)?.trusted_hash === 'string',
  )
  const count = wired.commands.length
  if (trusted.length >= count) return [ok('trust', `${config} holds the trust of ${trusted.length} hooks of this file`)]
  return [fail('trust', `${trusted.length} of ${count} hooks are trusted in ${config}: ${row.step}`)]
}

/** The copy of our program, and the Node that starts it. */
function runtime({ wired }: Subject, about: About): readonly Check[] {
  const faults = runtimeFaults(wired.runtime)
  if (faults.length > 0) return [fail('runtime', `${faults[0]}${more(faults)}`)]
  const ours = runtimeVersion(wired.runtime)
  const run = spawnSync(wired.node, ['--version'], { encoding: 'utf8', timeout: 10_000, env: {} })
  const node = /^v(\d+\.\d+\.\d+)/.exec(run.stdout ?? '')?.[1]
  if (node === undefined) return [fail('runtime', `${wired.node} does not start`)]
  if (isAfter(LEAST_NODE, node)) return [fail('runtime', `${wired.node} is Node ${node}, older than ${LEAST_NODE}`)]
  if (ours !== about.version)
    return [warn('runtime', `${wired.runtime} is version ${ours}, this program is ${about.version}; run setup again`)]
  return [ok('runtime', `${wired.runtime} is whole, on Node ${node}`)]
}

const LEAST_NODE = '22.19'
const more = (all: readonly unknown[]): string => (all.length > 1 ? ` (and ${all.length - 1} more)` : '')

/** The host's version against what is known of it, what it was at setup, and what a probe found here. */
function version({ host, row, record }: Subject, { at, root, state }: About): readonly Check[] {
  const { program, version: now }: Detected = detect(row, at)
  const receipt = lastReceipt(root, host.id)
  const driven = receipt === undefined ? 'no version of it was driven: contract only' : `driven: ${receipt.version}`
  if (program === undefined) return [warn('version', `no program of ${host.title} is on the PATH; ${driven}`)]
  if (now === undefined) return [warn('version', `${program} tells no version; ${driven}`)]
  const probed = readProbed(state, host.id)
  const { level, detail } = versionCheck(host.title, row, now, receipt, probed)
  const changed = record.version !== undefined && record.version !== now
  const since = changed ? `; at setup it was ${record.version}, so run setup again` : ''
  const found = probeCheck(host.title, host.id, now, probed)
  return [
    { name: 'version', level: changed && level === 'ok' ? 'warn' : level, detail: `${detail}${since}` },
    ...(found === undefined ? [] : [found]),
  ]
}

/** As a desktop starts a host. */
const POOREST = '/usr/bin:/bin'

/** Starts each registered gate as the host does, with a call that does nothing. Undefined: another check says why not. */
export function canaryChecks({ host, row, wired, byHand }: Subject, { at }: About): readonly Check[] {
  // What a project says is not started because it says so, and some hosts expand what `sh` here would not.
  const untold = wired.scope === 'project' || wired.commands.some(({ command }) => command.includes('$'))
  if (byHand && untold)
    return [warn('canary', 'a hook that was registered by hand here is not tried; setup tries its own')]
  const gates = wired.commands.flatMap(({ event, command }) => {
    const known = row.events.find(({ name, is }) => name === event && is === 'gate')
    return known === undefined ? [] : [{ event, command, mute: known.mute ?? false }]
  })
  const tried = ({ event, command, mute }: (typeof gates)[number], path = POOREST): Check => {
    const word = randomBytes(6).toString('hex')
    const payload = row.payload(canaryLine(word), at.home, event) as Readonly<Record<string, unknown>>
    const named = 'hook_event_name' in payload ? { ...payload, hook_event_name: event } : payload
    const began = Date.now()
    const env = { PATH: path, HOME: at.home, ...kept(at.env) }
    const run = spawnSync('/bin/sh', ['-c', command], {
      ...{ cwd: '/', env, input: JSON.stringify(named), encoding: 'utf8' },
      ...{ timeout: row.seconds * 1000, killSignal: 'SIGKILL' },
    })
    const ms = Date.now() - began
    const answer = mute
      ? ({ decision: 'pass', reason: '' } as const)
      : ({ decision: 'deny', reason: canaryReason(word) } as const)
    const launch = { version: undefined, unattended: false, env: {} }
    const stdout = host.encodePre(answer, launch, event)
    const wanted = row.byExit ? exitAnswer(host, stdout, answer, launch, event) : { code: 0, stdout, reason: '' }
    const reasoned = wanted.reason === '' || run.stderr.trim() === wanted.reason
    if (run.status === wanted.code && run.stdout === wanted.stdout && reasoned)
      return ok('canary', `the hook for ${event} answers (${ms} ms)`)
    const said = (run.stderr ?? '').trim().split('\n').at(-1)?.slice(0, 200) ?? ''
    const why = run.signal === 'SIGKILL' ? `it did not end in ${row.seconds} s` : `it ended with ${run.status}`
    return fail('canary', `the hook for ${event} gives no answer: ${why}${said === '' ? '' : `, ${said}`}`)
  }
  // A busy machine makes a hook late: what fails has to fail twice.
  return gates.map((gate) => {
    const first = tried(gate)
    const last = first.level === 'ok' ? first : tried(gate)
    const here = at.env['PATH']
    if (last.level === 'ok' || !byHand || here === undefined) return last
    // Setup names all by absolute paths; a person may not have.
    const found = tried(gate, here)
    return found.level === 'ok'
      ? warn(
          'canary',
          `${found.detail} with the PATH of this shell, and not without: name its programs by absolute paths`,
        )
      : last
  })
}

const kept = (env: Surroundings['env']): Readonly<Record<string, string>> =>
  env['XDG_STATE_HOME'] === undefined ? {} : { XDG_STATE_HOME: env['XDG_STATE_HOME'] }

/** Words for what a host enforces, in the order in which they are told. */
const ENFORCED: readonly (readonly [CapabilityKey, string])[] = [
  ['pre.deny', 'stopping a denied call'],
  ['pre.ask', 'asking you about a call'],
  ['pre.rewrite', 'capturing floods before they run'],
  ['post.replace', 'replacing results that flood'],
  ['subagents', 'judging calls of sub-agents'],
  ['mcp', 'judging calls of MCP tools'],
  ['fail.crash', 'stopping a call whose hook fails'],
]

/** What the host enforces in that version and what not, in plain words: lines that end without a full stop. */
export function enforcement({ host, row }: Known, root: string, version: string | undefined): readonly string[] {
  const capabilities = capabilitiesOf(host, version)
  const told = (support: string) =>
    ENFORCED.filter(([key]) => capabilities[key].support === support).map(([, words]) => words)
  const receipt = lastReceipt(root, host.id)
  const lines = [`works: ${told('yes').join('; ') || 'nothing that is known'}`]
  for (const [support, words] of [
    ['partial', 'works in part'],
    ['no', 'does not work'],
    ['unknown', 'not known whether it works'],
  ] as const)
    if (told(support).length > 0) lines.push(`${words}: ${told(support).join('; ')}`)
  lines.push(`not covered: ${row.uncovered.join('; ')}`)
  lines.push(
    receipt === undefined
      ? 'rests on: contract only, this host was not driven'
      : `rests on: the receipt of ${receipt.version}, ${receipt.date}`,
  )
  return lines
}
