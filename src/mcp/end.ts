/** One end of a conversation in the Model Context Protocol: messages in both directions, as JSON and, where it has them, as lines. */
import type { Json } from '../core/call.ts'

export interface Message {
  readonly value: Json
  /** The line that it came as: passed on as it is where nothing was changed. */
  readonly line?: string
}

export interface End {
  /** Calls `take` for each message, one after the other, until the other side has closed. Rejects where it cannot be started. */
  run(take: (message: Message) => Promise<void>): Promise<void>
  /** Resolves when the message is on its way. */
  send(message: Message): Promise<void>
  close(): Promise<void>
}

/** Characters of one message: the longest text that is ever put together. */
const MOST_MESSAGE = 256 * 1024 * 1024

/** Messages as lines on two streams (the stdio transport). `stop` ends what writes to `input`, where something has to. */
export class LineEnd implements End {
  readonly #input: NodeJS.ReadableStream
  readonly #output: NodeJS.WritableStream
  readonly #stop: () => Promise<void>

  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, stop: () => Promise<void> = async () => {}) {
    this.#input = input
    this.#output = output
    this.#stop = stop
    // Who reads may be gone; the other direction tells.
    output.on('error', () => {})
  }

  async run(take: (message: Message) => Promise<void>): Promise<void> {
    let parts: string[] = []
    let size = 0
    this.#input.setEncoding('utf8')
    for await (const chunk of this.#input) {
      let from = 0
      const text = String(chunk)
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        parts.push(text.slice(from, end))
        await this.#line(parts.length === 1 ? parts[0]! : parts.join(''), take)
        parts = []
        size = 0
        from = end + 1
      }
      if (from === text.length) continue
      parts.push(text.slice(from))
      size += text.length - from
      if (size > MOST_MESSAGE) throw new Error(`a message is longer than ${MOST_MESSAGE >> 20} MiB`)
    }
    if (parts.length > 0) await this.#line(parts.join(''), take)
  }

  async #line(line: string, take: (message: Message) => Promise<void>): Promise<void> {
    if (line.trim() === '') return
    let value: Json
    try {
      value = JSON.parse(line) as Json
    } catch {
      // Not a message: it is the other end's to say so.
      await take({ value: null, line })
      return
    }
    await take({ value, line })
  }

  send({ value, line }: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      const text = `${line ?? JSON.stringify(value)}\n`
      if (!this.#output.writable) reject(new Error('the reader is gone'))
      else if (this.#output.write(text)) resolve()
      else {
        this.#output.once('drain', resolve)
        this.#output.once('close', resolve)
      }
    })
  }

  close(): Promise<void> {
    return this.#stop()
  }
}
