/** The network of one environment: a namespace in which every address leads to the environment's door. */

import type { ChildProcess } from 'node:child_process'
import type { Socket as Datagrams } from 'node:dgram'
import { closeSync, openSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type Identity, mapIds } from './identity.ts'
import { KEEPER } from './keeper.ts'
import { launch } from './launch.ts'
import { OPENER, ROUTES } from './opener.ts'
import { Relay } from './relay.ts'

export interface NetworkSpec {
  readonly door: string
  readonly identity: Identity
  readonly say: (text: string) => void
}

export interface Network {
  /** Words of `nsenter` that lead into it; they work while the runtime lives and the network is open. */
  readonly enter: readonly string[]
  /** Kills a process by its number among those that were started inside. */
  kill(pid: number): void
  /** Ends everything that was started inside. */
  close(): Promise<void>
}

type Descriptors = readonly [null, null, Readable, null, Socket, Socket]

const WEB_ONLY =
  'nft cannot be used: connections to ports other than 80 and 443 are refused unless a program uses the proxy'
const FAILURES: Readonly<Record<string, string>> = {
  90: 'the route to the own device could not be set (is `ip` of iproute2 installed?)',
  95: '/proc could not be mounted in a namespace of its own',
}

/** Milliseconds until a namespace that does not open is given up. */
const OPENS_WITHIN = 20_000

/** Makes the namespace and takes its sockets over. Rejects with what the machine said where it cannot be made. */
export function openNetwork(spec: NetworkSpec): Promise<Network> {
  const child = launch({
    argv: [
      ...unshareWords(spec.identity),
      'bash',
      '--noprofile',
      '--norc',
      '-c',
      KEEPER,
      spec.door,
      ROUTES,
      process.execPath,
      OPENER,
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe', 'pipe'],
    pipes: '',
    groups: [],
    serialization: 'json',
  })
  const relay = new Relay(spec.door)
  const [, , stderr, , tell, life] = child.stdio as unknown as Descriptors
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => resolve())
    child.on('error', () => resolve())
  })
  return new Promise<Network>((resolve, reject) => {
    let told = ''
    let said = ''
    let host = 0
    let ready: string | undefined
    let settled = false
    const fail = (why: string) => {
      if (settled) return
      settled = true
      clearTimeout(deadline)
      relay.close()
      life.destroy()
      child.kill('SIGKILL')
      reject(new Error(why))
    }
    const deadline = setTimeout(() => fail('the network namespace did not open in time'), OPENS_WITHIN)
    for (const stream of [tell, life]) stream.on('error', () => {})
    const opened = (status: string) => {
      if (status !== '0' || ready === undefined)
        return fail(said.trim() || FAILURES[status] || `the network namespace could not be made (status ${status})`)
      if (ready !== 'ready:all') spec.say(WEB_ONLY)
      clearTimeout(deadline)
      try {
        const network = networkOf(host, spec.identity, relay, child, life, ended)
        for (const stream of [stderr, tell]) stream.destroy()
        settled = true
        resolve(network)
      } catch (error) {
        fail((error as Error).message)
      }
    }
    tell.on('data', (chunk: Buffer) => {
      const lines = (told + chunk.toString()).split('\n')
      told = lines.pop()!
      for (const [word, value = ''] of lines.map((line) => line.split(' '))) {
        if (word === 'opened') opened(value)
        if (word !== 'host') continue
        host = Number(value)
        try {
          if (spec.identity.is === 'mapped') mapIds(host, spec.identity)
          life.write('mapped\n')
        } catch (error) {
          fail((error as Error).message)
        }
      }
    })
    stderr.on('data', (chunk: Buffer) => {
      if (said.length < 4096) said += chunk.toString()
    })
    child.on('error', (error) => fail(error.message))
    child.on('message', (name: string, handle) => {
      if (name === 'dns') relay.answer(handle as unknown as Datagrams)
      else if (name.startsWith('tcp:')) relay.serve(handle as Server, Number(name.slice('tcp:'.length)))
      if (!name.startsWith('ready')) return
      ready = name
      child.send('bye', () => {})
    })
    child.on('exit', (code) =>
      fail(said.trim() || FAILURES[String(code)] || `the network namespace could not be made (status ${code})`),
    )
  })
}

/** New namespaces of processes, mounts and network, and the first process in them. */
function unshareWords(identity: Identity): string[] {
  const users = { plain: [], mapped: ['--user'], own: ['--user', '--map-root-user'] }[identity.is]
  return ['unshare', ...users, '--pid', '--fork', '--mount', '--propagation', 'slave', '--net', '--']
}

/** Keeps the namespaces by open descriptors of our own, and the keeper by its pipe. */
function networkOf(
  host: number,
  identity: Identity,
  relay: Relay,
  child: ChildProcess,
  life: Socket,
  ended: Promise<void>,
): Network {
  const files: number[] = []
  const enter = ['nsenter', '--preserve-credentials']
  for (const [kind, option] of [...(identity.is === 'plain' ? [] : [['user', 'user']]), ...INNER] as const) {
    const file = openSync(`/proc/${host}/ns/${kind}`, 'r')
    files.push(file)
    enter.push(`--${option}=/proc/${process.pid}/fd/${file}`)
  }
  // An environment that nobody uses does not keep the runtime from ending.
  child.disconnect()
  child.unref()
  life.unref()
  let open = true
  return {
    enter: [...enter, '--'],
    kill(pid) {
      if (open) life.write(`${pid}\n`)
    },
    async close() {
      if (!open) return
      open = false
      relay.close()
      life.destroy()
      child.ref()
      await ended
      for (const file of files) closeSync(file)
    },
  }
}

const INNER = [
  ['net', 'net'],
  ['pid', 'pid'],
  ['mnt', 'mount'],
] as const
