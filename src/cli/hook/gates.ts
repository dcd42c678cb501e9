/** What the gates of containment need of this process. What they do is loaded when a call needs it. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { mayFlood } from '../../containment/birth/names.ts'
import type { ToolCall, ToolResult } from '../../core/call.ts'
import type { Asking } from '../../core/question.ts'
import { eventOf } from '../../hosts/events.ts'
import type { Host, HostAnswer, Launch, Starting } from '../../hosts/host.ts'
import type { Policy } from '../../policy/policy.ts'
import { type AfterRun, afterRun } from './after.ts'
import { startedBy } from './ancestors.ts'
import { beforeRun } from './before.ts'
import { countRead } from './reads.ts'
import { atStart } from './start.ts'

export interface Gates {
  /** The gate before a run, for a call that the guard let pass. Undefined: the call goes on as it is. */
  before(call: ToolCall, host: Host, launch: Launch, policy: Policy): Asking<HostAnswer | undefined>
  /** What a session is told at its start. Never throws. */
  start(start: Starting, host: Host, policy: Policy): string | undefined
  /** The gate behind a run. Never throws. */
  after(result: ToolResult, host: Host, policy: Policy): AfterRun
}

/** Results of so few bytes are never replaced; payloads of so few cannot hold a larger one. */
export const MOST_RESULT = 16_384

type Env = Readonly<Record<string, string | undefined>>

/** The gates of a hook that runs in this process. */
export function gatesOf(env: Env, home: string): Gates {
  return {
    *before(call, host, launch, policy) {
      if (
        eventOf(host.events, call.event)?.name !== host.events.pre[0] ||
        call.actions.length !== 1 ||
        !contains(policy, host, rootsOf(call))
      )
        return undefined
      const [action] = call.actions
      if (action?.is === 'shell' ? !mayFlood(action.text) : !Object.hasOwn(host.bounds, call.tool)) return undefined
      const reads = (bytes: number) => countRead(env, home, call, bytes)
      return yield* beforeRun(call, { host, launch, home, launcher, isOurs, started: startedBy, reads })
    },
    start(start, host, policy) {
      return contains(policy, host, [start.cwd]) ? atStart(start, host, env, home, new Date()) : undefined
    },
    after(result, host, policy) {
      if (!contains(policy, host, rootsOf(result.call))) return {}
      const way = isOnPath(env['PATH'] ?? '') ? undefined : launcher()
      return afterRun(result, { host, env, home, most: MOST_RESULT, settings: policy.settings, launcher: way })
    },
  }
}

/**
 * Whether results of this host are contained here: `hosts.<id>.containment` of the user's or the managed policy is not
 * false, and none of the directories in `hosts.<id>.uncontained` holds the project.
 */
export function contains(policy: Policy, host: Host, roots: readonly string[]): boolean {
  if (policy.profile === 'observe') return false
  const settings = policy.settings?.hosts?.[host.id]
  if (settings === undefined) return true
  if (settings['containment'] === false) return false
  const out = settings['uncontained']
  if (!Array.isArray(out)) return true
  return !out.some((dir) => typeof dir === 'string' && roots.some((root) => root === dir || root.startsWith(`${dir}/`)))
}

const rootsOf = ({ cwd, workspaces }: ToolCall): readonly string[] =>
  cwd === undefined ? workspaces : [cwd, ...workspaces]

/** `bin/ctx.js` of this installation, absolute; undefined where there is none, as in the plugin. */
function program(): string | undefined {
  try {
    const started = realpathSync(process.argv[1] ?? '')
    const dir = started.slice(0, started.lastIndexOf('/'))
    for (const file of [`${dir}/ctx.js`, `${dir.slice(0, dir.lastIndexOf('/'))}/bin/ctx.js`]) {
      const stat = statSync(file, { throwIfNoEntry: false })
      if (stat?.isFile() && (stat.mode & 0o111) !== 0) return file
    }
  } catch {}
  return undefined
}

/** The words that start it. The PATH of a host's shell may lead to no Node, or to one that is too old for us. */
function launcher(): readonly string[] | undefined {
  const file = program()
  return file === undefined || process.platform === 'win32' ? undefined : [process.execPath, file]
}

/** Whether `ctx` of the PATH is ours. */
function isOnPath(path: string): boolean {
  const dir = path.split(':').find((one) => one.startsWith('/') && existsSync(`${one}/ctx`))
  return dir !== undefined && isOurs(`${dir}/ctx`)
}

function isOurs(path: string): boolean {
  try {
    return realpathSync(path) === program()
  } catch {
    return false
  }
}
