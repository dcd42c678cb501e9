/** Values of the project's own secrets, written out into a file that is not kept secret. */
import type { Action, ToolCall } from '../../core/call.ts'
import { type Asking, ask } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import { absolute, isInside } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import type { Tools } from '../subject.ts'

/** Files of settings in the root of a workspace. */
const FILES = ['.env', '.env.local', '.env.development', '.env.production'] as const
const MOST_BYTES = 64 * 1024
/** A value that is shorter stands in many texts by chance. */
const LEAST_VALUE = 12
/** Names whose values are secrets. */
const SECRET = /key|token|secret|pass|pwd|cred|auth|dsn|private|salt|signing|database_url|connection/i
/** What stands for a value and is none. */
const PLACEHOLDER = /^(?:\$|<|\{\{|your[-_ ]|change[-_ ]?me|example|xxx|todo|\*{3})/i

/** Findings of the file tools of a call. */
export function* liveSecretFindings(call: ToolCall, tools: Tools): Asking<readonly Finding[]> {
  const writes = call.actions.flatMap((action) => {
    const text = addedBy(action)
    return text === undefined || text.length < LEAST_VALUE ? [] : [{ path: (action as { path: string }).path, text }]
  })
  if (writes.length === 0) return []
  const out: Finding[] = []
  for (const root of call.workspaces) {
    for (const file of FILES) {
      const found = yield* ask('text', { path: absolute(root, file, tools.sense.flavour), limit: MOST_BYTES })
      if (typeof found !== 'object') continue
      for (const { name, value } of settingsOf(found.text)) {
        for (const { path, text } of writes) {
          if (!text.includes(value)) continue
          const to = absolute(call.cwd ?? root, path, tools.sense.flavour)
          if (tools.zones(to).has('secret') || (yield* isIgnored(to, tools))) continue
          out.push({
            rule: 'secrets.live',
            family: 'secrets',
            decision: 'deny',
            reason: `${tools.show(to)} would hold the value of ${name} from ${file}`,
            safer: 'name the setting, not its value, or use a made-up one',
          })
        }
      }
    }
  }
  return out.slice(0, 1)
}

function addedBy(action: Action): string | undefined {
  if (action.is === 'write') return action.content
  return action.is === 'edit' ? action.changes?.map(({ added }) => added).join('\n') : undefined
}

/** Secrets of a file of settings: names and values. */
export function settingsOf(text: string): readonly { readonly name: string; readonly value: string }[] {
  return text.split('\n').flatMap((line) => {
    const [, name, raw] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line) ?? []
    if (name === undefined || !SECRET.test(name)) return []
    const value = raw!.trim().replace(/^(["'])(.*)\1.*$/, '$2')
    return value.length < LEAST_VALUE || PLACEHOLDER.test(value) || /\s/.test(value) ? [] : [{ name, value }]
  })
}

function* isIgnored(path: string, tools: Tools): Asking<boolean> {
  const repo = yield* repoOf(path, tools.sense.flavour)
  if (repo === 'none' || repo === 'unknown') return false
  const state = yield* ask('git', { repo: repo.root, of: ['ignored'] })
  if (state === 'unknown' || !('ignored' in state)) return false
  return (state.ignored ?? []).some((entry) =>
    isInside(path, absolute(repo.root, entry, tools.sense.flavour), tools.sense),
  )
}
