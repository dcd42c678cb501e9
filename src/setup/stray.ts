/** Wirings that no record tells of: somebody put the entries in by hand, and the host calls the hook all the same. */
import { existsSync } from 'node:fs'
import type { HostId } from '../core/call.ts'
import type { Subject } from './checks.ts'
import { detect } from './detect.ts'
import { readForEdit, textOf } from './edit/disk.ts'
import { valueAt } from './edit/format.ts'
import { KNOWN, sameWiring } from './hosts.ts'
import { formatIn } from './plan.ts'
import type { Check } from './plugin-doctor.ts'
import { allRecords, type HostRecord, readRecord, type Wired } from './record.ts'
import { strayWiring } from './remove.ts'
import { commandsIn, isOurs, quote } from './wire/entries.ts'
import type { Edits, Scope, Surroundings, WireRow } from './wire/row.ts'

type Commands = Wired['commands']
const SCOPES: readonly Scope[] = ['user', 'project']

/** Found as setup finds them, for these hosts or all: the user's and those of the project. Changes nothing. */
export function straySubjects(state: string, at: Surroundings, hosts?: readonly HostId[]): readonly Subject[] {
  // Where the project is the home directory, both scopes may be one file.
  const told = new Set(allRecords(state).flatMap(({ wired }) => wired.flatMap(({ files }) => files.map(pathIn))))
  return KNOWN.filter(({ host }) => hosts === undefined || hosts.includes(host.id)).flatMap((known) => {
    const record = readRecord(state, known.host.id)
    return SCOPES.flatMap((scope): readonly Subject[] => {
      if (record?.wired.some((one) => sameWiring(one, scope, at.project))) return []
      const found = strayWiring(known.row, scope, at)
      if (found === undefined || found.files.some((file) => told.has(pathIn(file)))) return []
      const wired = { ...found, commands: found.files.flatMap(({ path }) => commandsOf(known.row, path)) }
      if (wired.commands.length === 0) return []
      for (const file of found.files) told.add(pathIn(file))
      return [{ ...known, record: record ?? unrecorded(known.row, at), wired, byHand: true }]
    })
  })
}

const pathIn = ({ path }: { readonly path: string }): string => path

function unrecorded(row: WireRow, at: Surroundings): HostRecord {
  const { version } = detect(row, at)
  return { v: 1, host: row.host, ...(version === undefined ? {} : { version }), probed: '', wired: [] }
}

/** What one file registers for the events of that host. */
function commandsOf(row: WireRow, path: string): Commands {
  const file = readForEdit(path)
  const text = ('refused' in file || file.bytes === undefined ? undefined : textOf(file.bytes)) ?? ''
  const target = row.files.find(({ is }) => is === 'entries') as Edits | undefined
  const found = target === undefined ? ownCommands(row, text) : entryCommands(row, target, text)
  return found.filter(({ event }) => row.events.some(({ name }) => name === event))
}

function entryCommands({ host }: WireRow, target: Edits, text: string): Commands {
  const { at, event } = target.form
  const read = formatIn(target).loose(text)
  const holder = 'refused' in read ? undefined : valueAt(read.values, at)
  const lists: readonly (readonly [string, unknown])[] = Array.isArray(holder)
    ? holder.map((entry) => [String((entry as Readonly<Record<string, unknown>> | null)?.[event ?? '']), [entry]])
    : Object.entries(typeof holder === 'object' && holder !== null ? holder : {})
  return lists.flatMap(([name, list]) =>
    (Array.isArray(list) ? list : [])
      .filter(isOurs)
      .flatMap((entry) => commandsIn(entry))
      .filter((command) => new RegExp(`\\s${host}\\s`).test(command))
      .map((command) => ({ event: name, command })),
  )
}

/** Of a file that is all ours: a plugin, a script of one event, or JSON. */
function ownCommands(row: WireRow, text: string): Commands {
  const plugin = /^const COMMAND = \[(['"])(.+)\1,\s*(['"])(.+)\3\]/m.exec(text)
  // A plugin in which nobody put the paths starts nothing.
  if (plugin?.[2] === 'NODE') return []
  if (plugin !== null)
    return row.events.map(({ name }) => ({
      event: name,
      command: [plugin[2]!, plugin[4]!, row.host, name].map(quote).join(' '),
    }))
  const script = /^exec (.+)$/m.exec(text)?.[1]
  return (script === undefined ? commandsIn(parsed(text)) : [script]).flatMap((command) => {
    const name = new RegExp(`\\s${row.host}\\s+(\\S+)`).exec(command)?.[1]
    return name === undefined ? [] : [{ event: name, command }]
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Who wired it, and what makes it setup's: one clause. */
export const byHandWords = ({ host, wired: { scope } }: Subject): string =>
  `wired by hand; sallyport setup${scope === 'project' ? ' --scope project' : ''} --host ${host.id} takes it over`

/** Whether what was put in by hand makes a gate, as far as its files show; and what setup would do besides. */
export function byHandChecks(subject: Subject): readonly Check[] {
  const { row, wired } = subject
  const paths = wired.files.map(pathIn).join(', ')
  const fail = (detail: string): Check => ({ name: 'settings', level: 'fail', detail })
  const target = row.files.find(({ is }) => is === 'entries') as Edits | undefined
  const unread = wired.files.flatMap(({ path, own }) => {
    if (own || target === undefined) return []
    const file = readForEdit(path)
    if ('refused' in file) return [fail(`${path}: ${file.refused}`)]
    // What the host itself does not read as a whole it drops.
    const read = formatIn(target).read(textOf(file.bytes ?? new Uint8Array()) ?? '')
    return 'refused' in read ? [fail(`${path}: ${read.refused}`)] : []
  })
  const lacks = row.events.filter(({ name }) => !wired.commands.some(({ event }) => event === name))
  const open = lacks.filter(({ is, since }) => is === 'gate' && since === undefined)
  const gone = [...new Set(wired.commands.flatMap(({ command }) => absolutesIn(command)))].filter(
    (path) => !existsSync(path),
  )
  const more = lacks.length === 0 ? '' : `, which also registers ${lacks.map(({ name }) => name).join(', ')}`
  return [
    ...unread,
    ...open.map(({ name }) => fail(`${paths}: an entry for ${name} is missing, and without it calls are not judged`)),
    ...gone.map((path) => fail(`${paths} names ${path}, which is not there`)),
    {
      name: 'settings',
      level: 'warn',
      detail: `${paths}: ${byHandWords(subject)}${more}`,
    },
  ]
}

/** Words of a command that are absolute paths: the Node, the hook, a launcher. */
const absolutesIn = (command: string): readonly string[] =>
  [...command.matchAll(/(?<=^|\s)(?:"(\/[^"$]+)"|'(\/[^']+)'|(\/[^\s'"$]+))(?=\s|$)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare!,
  )
