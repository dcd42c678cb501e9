/** Showing a run that was captured by another process, or earlier. */

import { constants } from 'node:os'
import { counted } from '../../core/count.ts'
import { type Address, handleText } from '../address.ts'
import type { Earlier } from '../digest/earlier.ts'
import type { Capture, Manifest, Sealed, Store } from '../store/types.ts'
import { type Part, SMALL_BYTES, smallOutput, type Verdict } from './output.ts'
import type { Digested, RunServices, Shown } from './services.ts'

export interface CapturedRun {
  readonly manifest: Manifest
  readonly capture: Capture
}

/** How a run ended, with the exit code of `ctx run` for that. `timeoutMs`: its deadline, where that is known. */
export function verdictOfRun(store: Pick<Store, 'occurrences'>, manifest: Manifest, timeoutMs?: number): Verdict {
  const signal = manifest.signal ?? undefined
  const late = store.occurrences(manifest.id).at(-1)?.timedOut === true
  const own =
    signal === undefined
      ? (manifest.exit ?? undefined)
      : 128 + (constants.signals[signal as keyof typeof constants.signals] ?? 0)
  if (!late) return { exit: own, signal }
  return { exit: 124, signal, timedOutAfter: timeoutMs === undefined ? true : timeoutMs / 1000 }
}

/** What is printed of it: the bytes of a small one, stream after stream, else the digest. */
export async function captured(
  store: Store,
  run: CapturedRun,
  verdict: Verdict,
  how: Pick<Shown, 'command' | 'earlier' | 'budget' | 'focus' | 'cwd'>,
  services: Pick<RunServices, 'mask' | 'digest'>,
): Promise<{ readonly parts: readonly Part[]; readonly digest: Digested | undefined; readonly sealed: Sealed }> {
  const { manifest, capture } = run
  const sealed: Sealed = {
    ...capture,
    stream: (which) => capture.stream(which),
    id: manifest.id,
    handle: `run:${manifest.id.slice(0, 12)}`,
    manifest,
  }
  if (capture.streams.merged.bytes <= SMALL_BYTES) {
    const pieces = (['stdout', 'stderr'] as const).map((to): Part => {
      const bytes = capture.stream(to)
      return { to, bytes: bytes.read(0, bytes.size) }
    })
    const { parts } = smallOutput(
      pieces.filter(({ bytes }) => bytes.length > 0),
      verdict,
      await services.mask(),
    )
    return { parts, digest: undefined, sealed }
  }
  const answers = answersOf(store)
  return { parts: [], digest: await digestOf(services, { ...how, sealed, verdict, answers }), sealed }
}

/** Whether the store answers an address, as `Store.answers`; a handle is looked up once, which for a large run costs memory. */
export function answersOf(store: Store): (address: Address) => boolean {
  const known = new Map<string, ReturnType<Store['bytesOf']>>()
  return ({ handle, selector }) => {
    const name = handleText(handle)
    const bytes = known.get(name) ?? store.bytesOf(handle)
    known.set(name, bytes)
    if ('is' in bytes) return false
    if (selector?.by === 'lines') return selector.to <= bytes.lines
    return selector?.by !== 'bytes' || selector.to < bytes.size
  }
}

/** The digest; where it cannot be made, what is known without it: a command that ran must not seem to have failed by us. */
export async function digestOf(services: Pick<RunServices, 'digest'>, shown: Shown): Promise<Digested> {
  try {
    return await services.digest(shown)
  } catch (error) {
    const { sealed, verdict } = shown
    const { bytes, lines } = sealed.streams.merged
    const words = [
      verdict.exit === undefined ? 'exit unknown' : `exit ${verdict.exit}`,
      ...(verdict.signal === undefined ? [] : [`killed by ${verdict.signal}`]),
      `${counted(lines, 'line')}, ${counted(bytes, 'byte')}`,
      `its digest failed: ${(error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ')}`,
      ...(sealed.handle === undefined ? [] : [`ctx get ${sealed.handle}`]),
    ]
    return { text: `[ctx ${words.join(' | ')}]\n`, family: 'none', rawTokens: 0 }
  }
}

/** The latest run of the same argv in the same directory, for the digest of the next one. Read before that is sealed. */
export function earlierRun(store: Store, argv: readonly string[], cwd: string): Earlier | undefined {
  const manifest = store.earlier(argv, cwd)
  if (manifest === undefined) return undefined
  const bytes = store.bytesOf({ is: 'run', id: manifest.id })
  if (!('read' in bytes)) return undefined
  const { exit, signal } = verdictOfRun(store, manifest)
  return {
    bytes,
    sha256: manifest.streams.merged.sha256,
    ...(exit === undefined ? {} : { exit }),
    ...(signal === undefined ? {} : { signal }),
    // What the command wrote after that is not known.
    ...(manifest.stopped === undefined ? {} : { stopped: bytes.size }),
    handle: `run:${manifest.id.slice(0, 12)}`,
  }
}
