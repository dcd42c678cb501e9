/** Looks at the first bytes of a connection without taking them. */
import type { Duplex } from 'node:stream'

export type First = 'tls' | 'http' | 'other' | 'silent' | 'closed'

/** A word of capital letters, as methods of HTTP are, or the beginning of one. */
const METHOD = /^[A-Z][A-Z-]{0,30}(?: |$)/

/** What comes first on `socket`; `silent` where nothing came within `ms`. The bytes are put back. */
export function sniff(socket: Duplex, ms: number): Promise<First> {
  return new Promise((resolve) => {
    const settle = (first: First) => {
      clearTimeout(timer)
      socket.off('readable', look).off('end', gone).off('close', gone).off('error', gone)
      resolve(first)
    }
    const gone = () => settle('closed')
    const look = () => {
      const part: Buffer | null = socket.read()
      if (part === null) return
      socket.unshift(part)
      settle(part[0] === 0x16 ? 'tls' : METHOD.test(part.toString('latin1', 0, 32)) ? 'http' : 'other')
    }
    const timer = setTimeout(() => settle('silent'), ms)
    socket.on('readable', look).once('end', gone).once('close', gone).once('error', gone)
    look()
  })
}
