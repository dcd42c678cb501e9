/**
 * The name server of a sandbox. Every name gets an address of 198.18.0.0/15 that stands for it, so that a connection to
 * the address tells the name; no look-up leaves the machine.
 */

const FIRST = (198 << 24) | (18 << 16)
const COUNT = 1 << 17
const TYPE = { a: 1, aaaa: 28, ptr: 12 }
const CLASS_IN = 1
/** Answers are asked for again after a minute. */
const TTL = 60

/** Which address stands for which name. The oldest gives way when all are taken. */
export class Names {
  readonly #byName = new Map<string, number>()
  readonly #byNumber = new Map<number, string>()
  #next = 1

  /** The address of `name`, dotted. */
  addressOf(name: string): string {
    const key = name.toLowerCase()
    let number = this.#byName.get(key)
    if (number === undefined) {
      number = this.#next
      // The first and the last address of the range stand for nothing.
      this.#next = this.#next + 1 >= COUNT - 1 ? 1 : this.#next + 1
      const old = this.#byNumber.get(number)
      if (old !== undefined) this.#byName.delete(old)
      this.#byName.set(key, number)
      this.#byNumber.set(number, key)
    }
    const address = FIRST + number
    return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.')
  }

  /** The name that `address` was given out for. */
  nameOf(address: string): string | undefined {
    const parts = address.split('.').map(Number)
    if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part))) return undefined
    const number = parts.reduce((sum, part) => ((sum << 8) | part) >>> 0, 0) - (FIRST >>> 0)
    return this.#byNumber.get(number)
  }
}

interface Asked {
  readonly name: string
  readonly type: number
  readonly class: number
  /** The question as it was asked, to be repeated. */
  readonly bytes: Buffer
}

/** The answer to one query, or undefined where the bytes are no query that can be answered. */
export function answerQuery(query: Buffer, names: Names): Buffer | undefined {
  if (query.length < 12 || (query[2]! & 0x80) !== 0) return undefined
  const opcode = (query[2]! >> 3) & 15
  const asked = opcode === 0 && query.readUInt16BE(4) === 1 ? question(query) : undefined
  if (asked === undefined) return header(query, 1, 0)
  const answer = asked.class === CLASS_IN ? record(asked, names) : undefined
  // A name always exists: where it has no record of the type the answer is empty, and clients ask for the other one.
  const body = answer === undefined ? [asked.bytes] : [asked.bytes, answer]
  return Buffer.concat([header(query, 0, answer === undefined ? 0 : 1, 1), ...body])
}

function header(query: Buffer, code: number, answers: number, questions = 0): Buffer {
  const out = Buffer.alloc(12)
  query.copy(out, 0, 0, 2)
  // An answer that repeats whether recursion was wanted, and offers it.
  out[2] = 0x80 | (query[2]! & 0x79)
  out[3] = 0x80 | code
  out.writeUInt16BE(questions, 4)
  out.writeUInt16BE(answers, 6)
  return out
}

function question(query: Buffer): Asked | undefined {
  const labels: string[] = []
  let at = 12
  for (;;) {
    const length = query[at]
    if (length === undefined || length > 63) return undefined
    at++
    if (length === 0) break
    if (at + length > query.length) return undefined
    labels.push(query.toString('latin1', at, at + length))
    at += length
  }
  if (at - 12 > 255 || at + 4 > query.length) return undefined
  return {
    name: labels.join('.'),
    type: query.readUInt16BE(at),
    class: query.readUInt16BE(at + 2),
    bytes: query.subarray(12, at + 4),
  }
}

function record(asked: Asked, names: Names): Buffer | undefined {
  const local = /^(?:.*\.)?localhost$/i.test(asked.name)
  if (asked.type === TYPE.a && asked.name !== '') {
    const address = local ? '127.0.0.1' : names.addressOf(asked.name)
    return resource(asked.type, Buffer.from(address.split('.').map(Number)))
  }
  if (asked.type === TYPE.aaaa && local) return resource(asked.type, Buffer.from([...Array(15).fill(0), 1]))
  const reverse = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$/i.exec(asked.name)
  if (asked.type === TYPE.ptr && reverse !== null) {
    const name = names.nameOf(reverse.slice(1).reverse().join('.'))
    if (name === undefined) return undefined
    const labels = name
      .split('.')
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]))
    return resource(asked.type, Buffer.concat([...labels, Buffer.from([0])]))
  }
  return undefined
}

function resource(type: number, data: Buffer): Buffer {
  const out = Buffer.alloc(12)
  // The name of the question, twelve bytes into the message.
  out.writeUInt16BE(0xc00c, 0)
  out.writeUInt16BE(type, 2)
  out.writeUInt16BE(CLASS_IN, 4)
  out.writeUInt32BE(TTL, 6)
  out.writeUInt16BE(data.length, 10)
  return Buffer.concat([out, data])
}
