/** `ctx pin`, `gc` and `purge`: the command line's side of them. */
import { type Handle, parseHandle, shown } from '../../containment/address.ts'
import type { Collected } from '../../containment/store/types.ts'
import { counted } from '../../core/count.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { askingOf, countOf, refuse } from './asking.ts'
import { settingsOf } from './run-settings.ts'

/** Days of retention unless the policy says otherwise. */
const DAYS = 30

interface JsonFlag {
  readonly json?: boolean
}

/** Keeps a thing for good. Exit code 0, or 2 where the address names nothing. */
export async function pinVerb(flags: JsonFlag, given: string, io: Io): Promise<number> {
  const handle = parseHandle(given)
  if ('refused' in handle) return refuse(io, 'pin', handle)
  const { store } = await askingOf(io)
  const pinned = store.pin(handle)
  if ('is' in pinned) return refuse(io, 'pin', pinned)
  const is = handle.is === 'blob' ? 'blob' : 'run'
  io.out(
    flags.json
      ? `${JSON.stringify({ v: 1, pinned: `${is}:${pinned.id}` })}\n`
      : `${shown(is, pinned.id)} is kept for good\n`,
  )
  return EXIT.ok
}

/** Seals what dead runs left, then removes what is too old or too much. Exit code 0, or 2 for bad input. */
export async function gcVerb(flags: JsonFlag & { readonly retentionDays?: string }, io: Io): Promise<number> {
  const { days: standard = DAYS } = await settingsOf(io.env, homeOf(io.env), io.cwd)
  const days = countOf('retention-days', flags.retentionDays, 0, standard)
  if (typeof days !== 'number') return refuse(io, 'gc', days)
  const { store } = await askingOf(io)
  const sealed = store.recover({ most: Number.POSITIVE_INFINITY }).length
  const gone = store.collect({ days })
  if (flags.json) io.out(`${JSON.stringify({ v: 1, days, sealed, ...gone })}\n`)
  else {
    if (sealed > 0) io.out(`sealed ${counted(sealed, 'run')} whose process died\n`)
    io.out(`removed ${goneText(gone)}\n`)
  }
  return EXIT.ok
}

/** Removes one thing or all. Exit code 0, or 2 where the address names nothing. */
export async function purgeVerb(
  flags: JsonFlag & { readonly all?: boolean },
  given: string | undefined,
  io: Io,
): Promise<number> {
  if ((given === undefined) === (flags.all !== true))
    return refuse(io, 'purge', { refused: 'name one address, or --all for all captures' })
  const what: Handle | { refused: string } | 'all' = given === undefined ? 'all' : parseHandle(given)
  if (typeof what !== 'string' && 'refused' in what) return refuse(io, 'purge', what)
  const { store } = await askingOf(io)
  const gone = store.purge(what)
  if ('is' in gone) return refuse(io, 'purge', gone)
  io.out(flags.json ? `${JSON.stringify({ v: 1, ...gone })}\n` : `removed ${goneText(gone)}\n`)
  return EXIT.ok
}

const goneText = ({ runs, blobs, bytes }: Collected): string =>
  `${counted(runs, 'run')} and ${counted(blobs, 'blob')}, ${bytes} bytes`
