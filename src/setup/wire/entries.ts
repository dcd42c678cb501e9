/** What of ours stands in a host's settings: its entries, and how they are known again. */
import { dirname, join } from 'node:path'
import type { Json } from '../../core/call.ts'
import { isAfter } from '../../hosts/versions.ts'
import type { Entry } from '../edit/insert.ts'
import type { Edits, Form, WireEvent, WireRow } from './row.ts'

/** What is started: a Node and the hook that it runs, both absolute. */
export interface Program {
  readonly node: string
  readonly hook: string
}

/** The command of one event, as a shell reads it; by the launcher where the host takes a denial by exit code. */
export function commandOf({ node, hook }: Program, { host, byExit, events }: WireRow, event: string): string {
  const gate = events.some(({ name, is }) => name === event && is === 'gate')
  const launcher = ['/bin/sh', join(dirname(dirname(hook)), 'bin', 'exit-code.sh'), gate ? 'before' : 'after']
  return [...(byExit ? launcher : []), node, hook, host, event].map(quote).join(' ')
}

/** A word as `sh` reads it back. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** The entries of a host in one of its files. `version`: of the host, where it is known. `only`: the events that count. */
export function entriesOf(
  row: WireRow,
  { form }: Edits,
  program: Program,
  version: string | undefined,
  only?: readonly { readonly event: string }[],
): readonly Entry[] {
  const events = eventsOf(row, version).filter(({ name }) => only?.some(({ event }) => event === name) ?? true)
  return events.map((event) => ({
    at: form.is === 'tables' ? form.at : [...form.at, event.name],
    value: entryOf(form, event, commandOf(program, row, event.name), event.seconds ?? row.seconds, version),
  }))
}

/** The events that are registered with a host of that version. */
export const eventsOf = (row: WireRow, version: string | undefined): readonly WireEvent[] =>
  row.events.filter(({ since }) => since === undefined || (version !== undefined && !isAfter(since, version)))

function entryOf(form: Form, event: WireEvent, command: string, seconds: number, version: string | undefined): Json {
  const { timeout, also = {}, closed } = form
  // Where the version is not known, it is most likely a new one.
  const closes =
    event.is === 'gate' &&
    closed !== undefined &&
    (version === undefined ||
      ((closed.after === undefined || isAfter(version, closed.after)) &&
        (closed.since === undefined || !isAfter(closed.since, version))))
  const handler = {
    ...(form.event === undefined ? {} : { [form.event]: event.name }),
    ...also,
    [form.command]: command,
    ...(timeout === undefined ? {} : { [timeout.key]: seconds * timeout.perSecond }),
    ...(closes ? closed.also : {}),
  }
  const matched = form.matcher !== undefined && event.is !== 'session' ? { matcher: form.matcher } : {}
  return form.is === 'groups' && event.flat !== true ? { ...matched, hooks: [handler] } : { ...matched, ...handler }
}

/** A hook of ours as a command, whether setup or a person registered it. */
const OURS = /\bsallyport(?:\.js)?['"]?\s+hook\s|[\\/]hook\.cjs['"]?\s+\S+\s+\S/

/** Commands of a hook lie a few levels deep: group, handlers, handler. */
const MOST_LEVELS = 6

/** The commands in an entry. */
export function commandsIn(value: unknown, level = 0): readonly string[] {
  if (typeof value !== 'object' || value === null || level > MOST_LEVELS) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    /^(?:command|bash)$/.test(key) && typeof inner === 'string' ? [inner] : commandsIn(inner, level + 1),
  )
}

/** Whether an entry starts our hook and nothing else. */
export function isOurs(value: unknown): boolean {
  const commands = commandsIn(value)
  return commands.length > 0 && commands.every((command) => OURS.test(command))
}
