/** Looks at the Antigravity plugin as it is installed, and tries its hook on a repository that it makes for that. */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalName } from '../adlc/adlc.ts'
import { counted } from '../core/count.ts'
import { COMPANION, knownTrees, stagedCompanion } from './companion.ts'
import { BOOSTER_NAME, OWN_NAME, type Places } from './plugin-root.ts'
import { writeWhole } from './tree.ts'

export interface Check {
  readonly name: string
  readonly level: 'ok' | 'warn' | 'fail'
  /** One sentence without its full stop. */
  readonly detail: string
}

export interface DoctorOptions {
  /** Root of the plugin that is looked at. */
  readonly root: string
  readonly places: Places
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: Date
}

/** The path that a host started from a desktop has. */
const POOR_PATH = '/usr/bin:/bin'
/** The host's own deadline for the hook, and some. */
const MOST_MS = 20_000
const RAIL = 'lib/lock.mjs'
export const RAIL_REASON = `Target path matches frozen rail: ${RAIL}`

/** All checks, and the record of them in the plugin's data, which is for people alone. Never throws. */
export function checkPlugin(options: DoctorOptions): readonly Check[] {
  const checks = [files, node, selfTest, switchedOff, failSafes, neighbours, companion].map((check): Check => {
    try {
      return check(options)
    } catch (error) {
      return { name: check.name, level: 'fail', detail: error instanceof Error ? error.message : String(error) }
    }
  })
  try {
    writeHealth(options, checks)
  } catch {
    // A record for people: what is checked does not rest on it.
  }
  return checks
}

const ok = (name: string, detail: string): Check => ({ name, level: 'ok', detail })
const warn = (name: string, detail: string): Check => ({ name, level: 'warn', detail })
const fail = (name: string, detail: string): Check => ({ name, level: 'fail', detail })

function files({ root }: DoctorOptions): Check {
  const needed = ['plugin.json', 'hooks.json', 'bin/hook-runner.sh', 'bin/node-launcher.sh', BUNDLE]
  const missing = needed.filter((path) => !existsSync(join(root, path)))
  if (missing.length > 0) return fail('files', `${root} lacks ${missing.join(', ')}; install the plugin anew`)
  hookCommand(root)
  return ok('files', `the plugin in ${root} is whole`)
}

const BUNDLE = 'dist/hooks/pre-tool-use.bundle.mjs'

/** The command as the host reads it. */
function hookCommand(root: string): string {
  const hooks = JSON.parse(readFileSync(join(root, 'hooks.json'), 'utf8')) as Record<string, unknown>
  const group = hooks['agb-policy-guard'] as { PreToolUse?: { matcher?: string; hooks?: { command?: string }[] }[] }
  const [entry] = group?.PreToolUse ?? []
  const command = entry?.hooks?.[0]?.command
  if (entry?.matcher !== '*' || command === undefined) throw new Error('hooks.json registers no hook for every tool')
  return command
}

/** What the launcher ends with where no Node may start the guard. */
const NO_NODE = 86

/** Whether the launcher finds a Node: those of projects are none, since whoever fills a project could bring one. */
function node({ root, env }: DoctorOptions): Check {
  const { status } = spawnSync('/bin/sh', [join(root, 'bin/node-launcher.sh'), 'dist/agb.mjs', '--version'], {
    ...{ cwd: root, env: { PATH: POOR_PATH, HOME: env['HOME'] ?? '' }, timeout: MOST_MS, stdio: 'ignore' },
  })
  if (status !== NO_NODE) return ok('node', 'the hook finds a Node that it may use')
  const own = `this program runs on ${process.execPath}`
  return fail(
    'node',
    `no Node of 22.19 or later is installed for the user or the system (${own}, and the hook takes none out of a project or a temporary place); install one with the system’s packages, nvm, fnm, volta, mise, asdf or n`,
  )
}

/** The hook, with the host's poor path, on a repository with one rail: the rail is denied, another file is not. */
function selfTest(options: DoctorOptions): Check {
  const { root, env } = options
  // A call that nobody could judge is on record as such; one that was only tried must not be.
  if (node(options).level === 'fail') return fail('self-test', 'the hook cannot start without a Node; see node')
  const repo = mkdtempSync(join(tmpdir(), 'agb-doctor-'))
  try {
    mkdirSync(join(repo, '.git'))
    mkdirSync(join(repo, '.adlc', 'tickets'), { recursive: true })
    mkdirSync(join(repo, 'lib'))
    writeFileSync(join(repo, RAIL), '')
    writeFileSync(join(repo, '.adlc/tickets/.store.json'), '{"format":"adlc-ticket-directory","version":1}')
    const ticket = { id: 'T1', title: 'Self-test', status: 'open', rails: [RAIL] }
    writeFileSync(join(repo, '.adlc/tickets', canonicalName('T1')), JSON.stringify(ticket))
    const home = env['HOME'] ?? ''
    const ask = (path: string) => {
      const call = { name: 'write_to_file', args: { TargetFile: join(repo, path), CodeContent: '' } }
      return spawnSync('/bin/sh', ['-c', hookCommand(root)], {
        cwd: root,
        env: { PATH: POOR_PATH, HOME: home },
        input: JSON.stringify({ toolCall: call, workspacePaths: [repo] }),
        encoding: 'utf8',
        timeout: MOST_MS,
      })
    }
    const [frozen, free] = [ask(RAIL), ask('lib/foo.mjs')]
    const said = reasonIn(frozen.stdout)
    if (frozen.status !== 0 || said === undefined) return fail('self-test', 'the hook gave no denial for a frozen file')
    if (said.includes('no Node of 22.19')) return fail('self-test', 'the hook cannot start without a Node; see node')
    if (!said.includes(RAIL_REASON)) return fail('self-test', `a frozen file was denied for another reason: ${said}`)
    if (free.status !== 0 || free.stdout !== '')
      return fail(
        'self-test',
        `a file that is free was answered with ${free.stdout.trim().slice(0, 300) || 'a failure'}`,
      )
    return ok('self-test', 'a frozen file is denied, a free one is not')
  } finally {
    rmSync(repo, { recursive: true, force: true })
  }
}

function reasonIn(line: string): string | undefined {
  try {
    const { decision, reason } = JSON.parse(line) as { decision?: unknown; reason?: unknown }
    return decision === 'deny' && typeof reason === 'string' ? reason : undefined
  } catch {
    return undefined
  }
}

/** A log grows without an end: its last part tells enough. */
const MOST_LOG = 4 * 1024 * 1024

function logLines({ places }: DoctorOptions): readonly string[] {
  try {
    const bytes = readFileSync(join(places.data, 'logs', 'hooks.log'))
    return bytes
      .subarray(Math.max(0, bytes.length - MOST_LOG))
      .toString('utf8')
      .split('\n')
  } catch {
    return []
  }
}

function switchedOff(options: DoctorOptions): Check {
  if (options.env['AGB_HOOK_DISABLE'])
    return fail('kill switch', 'AGB_HOOK_DISABLE is set here: an agy started from here is not guarded')
  const count = logLines(options).filter((line) => line.includes('AGB_HOOK_DISABLE is active')).length
  if (count > 0) return warn('kill switch', `${counted(count, 'call')} went unjudged since AGB_HOOK_DISABLE was set`)
  return ok('kill switch', 'AGB_HOOK_DISABLE is not set')
}

function failSafes(options: DoctorOptions): Check {
  const lines = logLines(options).filter((line) => line.includes('[warn] fail-safe: '))
  if (lines.length === 0) return ok('fail-safe', 'every call was judged by the guard')
  return warn(
    'fail-safe',
    `${counted(lines.length, 'call was', 'calls were')} decided without the guard, the last one since ${lines.at(-1)!.replace(/^.*fail-safe: /, '')}`,
  )
}

function neighbours({ places }: DoctorOptions): Check {
  const names = existsSync(places.plugins) ? readdirSync(places.plugins) : []
  const probes = names.filter((name) => name.startsWith('probe-'))
  if (probes.length > 0) return warn('plugins', `${probes.join(', ')} was left by a probe; remove it`)
  if (names.includes(BOOSTER_NAME) && names.includes(OWN_NAME))
    return warn('plugins', `${BOOSTER_NAME} and ${OWN_NAME} judge every call twice; run agb migrate`)
  return names.includes(OWN_NAME)
    ? ok('plugins', `${OWN_NAME} is staged`)
    : warn('plugins', `${OWN_NAME} is not staged; run agb migrate`)
}

function companion({ places }: DoctorOptions): Check {
  const { state, version, ok: fine, action } = stagedCompanion(join(places.plugins, COMPANION), knownTrees(places))
  const what = `${COMPANION}${version === undefined ? '' : ` ${version}`} is ${state}`
  if (fine) return ok('companion', what)
  return fail(
    'companion',
    `${what}; ${action === 'fail' ? 'remove or mend it by hand' : 'agb companion install puts it in place'}`,
  )
}

function writeHealth({ root, places, now }: DoctorOptions, checks: readonly Check[]): void {
  const hash = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex')
  const health = {
    timestamp: now.toISOString(),
    bundleSha256: hash(BUNDLE),
    hooksSha256: hash('hooks.json'),
    railsTrusted: checks.every(({ name, level }) => (name !== 'self-test' && name !== 'files') || level === 'ok'),
    checks,
  }
  writeWhole(join(places.data, 'rails-guard-health.json'), `${JSON.stringify(health, undefined, 2)}\n`, 0o600)
}
