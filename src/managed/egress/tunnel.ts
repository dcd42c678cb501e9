/** Bytes that pass unread, both ways, each side at the pace of the other. */
import type { Duplex } from 'node:stream'
import { keepFlat } from './flat.ts'

/** Joins two connections until both ended, or one broke. `closed` is called once. */
export function join(client: Duplex, upstream: Duplex, closed: () => void): void {
  let open = 2
  const end = () => {
    if (--open === 0) closed()
  }
  const stop = () => {
    client.destroy()
    upstream.destroy()
  }
  for (const side of [client, upstream]) {
    side.on('error', stop)
    side.once('close', () => {
      end()
      // A side that closed without ending in order takes the other with it.
      if (!side.readableEnded || !side.writableFinished) stop()
    })
  }
  client.pipe(upstream)
  upstream.pipe(client)
  keepFlat(client)
  keepFlat(upstream)
}
