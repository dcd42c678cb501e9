/** Showing a run that was captured by another process, or earlier. */
import { constants } from 'node:os'
import type { Address } from '../address.ts'
import type { Earlier } from '../digest/earlier.ts'
import type { Capture, Manifest, Sealed, Store } from '../store/types.ts'
import { type Part, SMALL_BYTES, smallOutput, type Verdict } from './output.ts'
import type { Digested, RunServices, Shown } from './services.ts'

export interface CapturedRun {
  readonly manifest: Manifest
  readonly capture: Capture
}

/** The exit code that `ctx run` gives for a run that ended so; undefined where nobody saw its end. */
export function verdictOfRun(store: Store, manifest: Manifest): Verdict {
  const signal = manifest.signal ?? undefined
  const late = store.occurrences(manifest.id).at(-1)?.timedOut === true
  const own =
    signal === undefined
      ? (manifest.exit ?? undefined)
      : 128 + (constants.signals[signal as keyof typeof constants.signals] ?? 0)
  return { exit: late ? 124 : own, signal }
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
  const answers = (address: Address) => store.answers(address)
  return { parts: [], digest: await services.digest({ ...how, sealed, verdict, answers }), sealed }
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
    ...(exit === undefined ? {} : { exit }),
    ...(signal === undefined ? {} : { signal }),
    handle: `run:${manifest.id.slice(0, 12)}`,
  }
}
