/** What a run needs of the other parts, each loaded when it is needed: most commands say little and end soon. */
import { basename } from 'node:path'
import type { Bytes } from '../../containment/bytes.ts'
import type { Delivered, RunServices } from '../../containment/run/services.ts'
import type { Io } from '../io.ts'
import { callerOf } from './run-caller.ts'
import type { CaptureSettings } from './run-settings.ts'

/** `say` prefixes its sentence with the program and the verb. */
export function servicesOf(io: Io, home: string, settings: CaptureSettings, verb = 'run'): RunServices {
  const { env } = io
  const redaction = async () => {
    const [{ redactionKey }, redact] = await Promise.all([
      import('../../containment/redact/key.ts'),
      import('../../containment/redact/redact.ts'),
    ])
    const key = redactionKey(env, home)
    return {
      key,
      mask: (text: string) => redact.mask(text, key),
      maskSlice: (before: string, text: string, behind: string) => redact.maskSlice(before, text, behind, key),
    }
  }
  const sealing = async () => {
    const [{ StreamMask }, { key, mask }] = await Promise.all([
      import('../../containment/redact/stream.ts'),
      redaction(),
    ])
    return { mask, stream: () => new StreamMask(key) }
  }
  return {
    async store() {
      const [{ openStore }, seal] = await Promise.all([
        import('../../containment/store/store.ts'),
        settings.seal ? sealing() : undefined,
      ])
      const { maxBytes, days } = settings
      return openStore({
        env,
        home,
        ...(seal === undefined ? {} : { seal }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
        ...(days === undefined ? {} : { days }),
      })
    },
    mask: async () => (await redaction()).mask,
    async filter() {
      // Needed only where the capture fails, and then at once.
      return (await sealing()).stream
    },
    async digest(shown) {
      const [{ digestRun }, masks] = await Promise.all([import('./run-digest.ts'), redaction()])
      return digestRun(shown, masks, env, home)
    },
    async book(delivered) {
      try {
        await bookRun(delivered, io, home)
      } catch (error) {
        io.err(`ctx ${verb}: the ledger has no row of this (${error instanceof Error ? error.message : error})\n`)
      }
    },
    async progress() {
      const { isatty } = await import('node:tty')
      if (!isatty(2)) return undefined
      const [{ progressOn }, { mask }] = await Promise.all([import('../../containment/run/progress.ts'), redaction()])
      return progressOn(env, (text) => mask(text).text)
    },
    say: (sentence) => io.err(`ctx ${verb}: ${sentence}\n`),
  }
}

/** Adds the run to the ledger. A ledger that cannot be written holds nothing up. */
async function bookRun(delivered: Delivered, { env }: Io, home: string): Promise<void> {
  const caller = callerOf(env)
  const [{ book, ledgerFile, rowOf }, { hostCapOf }, { tokensOf }] = await Promise.all([
    import('../../containment/ledger/ledger.ts'),
    import('../../containment/ledger/caps.ts'),
    import('../../containment/tokens.ts'),
  ])
  const { sealed, job, verdict, command, rawBytes, digest } = delivered
  const of = job === undefined ? sealed.handle : `job:${job}`
  const measure = (text: string) => ({ bytes: Buffer.byteLength(text), tokens: tokensOf(text) })
  const raw =
    digest === undefined
      ? rawMeasure(sealed.stream('merged'), rawBytes, tokensOf)
      : { bytes: rawBytes, tokens: digest.rawTokens }
  book(
    rowOf({
      ...(of === undefined ? {} : { of }),
      ts: new Date().toISOString(),
      host: caller.host,
      session: caller.session,
      family: digest?.family ?? (command.line === undefined ? basename(command.argv[0] ?? 'other') : 'shell'),
      raw,
      cap: hostCapOf(caller.host, raw.bytes, verdict.exit),
      ...(digest === undefined ? {} : { delivered: measure(digest.text) }),
      method: digest === undefined ? 'raw' : 'run',
      ...(verdict.exit === undefined ? {} : { exit: verdict.exit }),
    }),
    ledgerFile(env, home),
  )
}

/** Bytes of a sample; the rest of a capture is taken to cost the same. */
const SAMPLE = 65_536

function rawMeasure(bytes: Bytes, size: number, tokensOf: (text: string) => number) {
  const text = Buffer.from(bytes.read(0, SAMPLE)).toString()
  const sampled = Math.min(bytes.size, SAMPLE)
  return { bytes: size, tokens: sampled === 0 ? 0 : Math.round((tokensOf(text) * size) / sampled) }
}
