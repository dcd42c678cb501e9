/** The user's own `hooks.json` of Antigravity: hooks of the guard that were wired by hand, taken out and put back. */

type Hooks = Readonly<Record<string, unknown>>

/** Commands that start the guard: the plugin's runner, and this program's own hook. */
const OURS = /hook-runner\.sh|pre-tool-use\.bundle\.mjs|\b(?:sallyport|agb)(?:\.js)?'?"?\s+hook\b|\bhook\.cjs\b/

/** The file without our hooks; undefined where it need not be changed. Throws where it is no JSON object. */
export function withoutOurHooks(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined
  const hooks = parse(bytes)
  const rest = Object.entries(hooks).filter(([, hook]) => !isOurs(hook))
  return rest.length === Object.keys(hooks).length ? undefined : text(Object.fromEntries(rest))
}

/** The file as it is now, with those of our hooks that it had before. */
export function withHooksOf(now: Uint8Array, before: Uint8Array | undefined): string {
  const old = before === undefined ? {} : parse(before)
  const ours = Object.entries(old).filter(([, hook]) => isOurs(hook))
  return text({ ...Object.fromEntries(ours), ...parse(now) })
}

const text = (hooks: Hooks): string => `${JSON.stringify(hooks, undefined, 2)}\n`

function parse(bytes: Uint8Array): Hooks {
  try {
    const read: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Hooks
  } catch {
    // Said below.
  }
  throw new Error('hooks.json of Antigravity is no JSON object; mend it first')
}

/** Whether a named hook starts the guard and nothing else. */
function isOurs(hook: unknown): boolean {
  const commands = commandsIn(hook, 0)
  return commands.length > 0 && commands.every((command) => OURS.test(command))
}

/** A hook is nested a few levels deep: event, group, handler. */
const MOST_LEVELS = 8

function commandsIn(value: unknown, level: number): readonly string[] {
  if (typeof value !== 'object' || value === null || level > MOST_LEVELS) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'command' && typeof inner === 'string' ? [inner] : commandsIn(inner, level + 1),
  )
}
