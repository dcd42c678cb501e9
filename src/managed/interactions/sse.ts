/** Events of an interaction as a stream: what was, then what comes, to the end. */
import type { Live } from './live.ts'
import type { Numbered } from './wire.ts'

/** Milliseconds between comments that keep a quiet stream open. */
const BEAT_MS = 15_000

/**
 * A stream of events behind `after` (an id, or nothing for all). `live`: absent where the interaction has ended. `gone` is
 * called where the client goes before the end.
 */
export function streamOf(
  events: readonly Numbered[],
  live: Live | undefined,
  after: string | undefined,
  gone: () => void,
): Response {
  const from = after === undefined ? 0 : Number(after)
  let close: () => void = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => controller.enqueue(new TextEncoder().encode(text))
      const send = (event: Numbered) => {
        if (Number(event.event_id) > from) write(textOf(event))
      }
      const end = () => {
        close()
        write('data: [DONE]\n\n')
        controller.close()
      }
      for (const event of events) send(event)
      if (live === undefined || isOver(live)) return end()
      const beat = setInterval(() => write(': still at work\n\n'), BEAT_MS)
      const quiet = live.listen((event) => (event === undefined ? end() : send(event)))
      close = () => {
        clearInterval(beat)
        quiet()
      }
    },
    cancel() {
      close()
      gone()
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}

const isOver = ({ status }: Live): boolean => status !== 'queued' && status !== 'in_progress'

const textOf = (event: Numbered): string =>
  `id: ${event.event_id}\nevent: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`
