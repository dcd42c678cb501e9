/** Proves at each start that a door refuses what it must, by knocking at it as a program in the sandbox would. No look-up leaves. */
import { connect } from 'node:net'
import type { EgressDoor } from '../contract.ts'
import { type Rules, ruleFor } from './rules.ts'

const KNOCK_MS = 10_000
/** Reserved never to exist (RFC 6761). */
const UNLISTED = 'sallyport-self-test.invalid'

/** Rejects with one sentence where a forbidden way is open, or the door does not answer. */
export async function testDoor(door: EgressDoor, rules: Rules): Promise<void> {
  const closed = ['127.0.0.1', '[::1]', '169.254.169.254', 'localhost', '[::ffff:127.0.0.1]']
  if (rules.mode === 'disabled' || (rules.mode === 'allowlist' && ruleFor(rules.rules, UNLISTED) === undefined))
    closed.push(UNLISTED)
  for (const host of closed) {
    await knock(door, `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`, host)
    await knock(door, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`, host)
  }
}

async function knock(door: EgressDoor, request: string, host: string): Promise<void> {
  const status = await firstStatus(door, request)
  if (status === '403') return
  const what = status === '' ? 'it gave no answer' : `it answered ${status}`
  throw new Error(`The self-test of the network door failed: ${host} must be refused, but ${what}.`)
}

/** The status of the answer, or nothing. */
function firstStatus(door: EgressDoor, request: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(door.socket, () => socket.write(`{"to":"proxy"}\n${request}`))
    const timer = setTimeout(() => socket.destroy(), KNOCK_MS)
    socket.on('data', (part) => {
      text += part.toString('latin1')
      if (text.includes('\r\n')) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? '')
    })
  })
}
