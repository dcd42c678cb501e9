/** The network of one environment: a namespace in which every address leads to the environment's door. */

import type { Socket as Datagrams } from 'node:dgram'
import { closeSync, openSync } from 'node:fs'
import type { Server } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { type Identity, mapIds } from './identity.ts'
import { launch } from './launch.ts'
import { NODE_INSIDE } from './layout.ts'
import { OPENER, ROUTES } from './opener.ts'
import { Relay } from './relay.ts'

export interface NetworkSpec {
  readonly door: string
  /** Options of bwrap that show the system and the runtime's Node, read-only. */
  readonly system: readonly string[]
  readonly identity: Identity
  readonly say: (text: string) => void
}

export interface Network {
  /** Words of `nsenter` that lead into it; they work while the runtime lives and the network is open. */
  readonly enter: readonly string[]
  close(): void
}

type Descriptors = readonly [null, null, Readable, null, Readable, Writable, Writable]

const WEB_ONLY =
  'nft cannot be used: connections to ports other than 80 and 443 are refused unless a program uses the proxy'

/** Milliseconds until a namespace that does not open is given up. */
const OPENS_WITHIN = 20_000
/** Descriptors of bwrap here: 3 is Node's channel. */
const INFO = 4
const ARGS = 5
const BLOCK = 6

/** Makes the namespace and takes its sockets over. Rejects with what the machine said where it cannot be made. */
export function openNetwork(spec: NetworkSpec): Promise<Network> {
  return new Promise((resolve, reject) => {
    const child = launch({
      argv: ['bwrap', '--args', String(ARGS), '--', '/bin/sh', '-c', ROUTES, 'sh', NODE_INSIDE, OPENER],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe', 'pipe', 'pipe'],
      pipes: '',
      groups: [],
      serialization: 'json',
    })
    const relay = new Relay(spec.door)
    let info = ''
    let pid = 0
    let said = ''
    let result: Network | undefined
    const fail = (why: string) => {
      clearTimeout(deadline)
      child.kill('SIGKILL')
      if (result !== undefined) return
      relay.close()
      reject(new Error(why))
    }
    const deadline = setTimeout(() => fail('the network namespace did not open in time'), OPENS_WITHIN)
    const [, , , , information, args, block] = child.stdio as unknown as Descriptors
    for (const stream of [args, block]) stream.on('error', () => {})
    args.end(
      optionsOf(spec)
        .map((word) => `${word}\0`)
        .join(''),
    )
    information.on('data', (chunk: Buffer) => {
      info += chunk.toString()
      if (!info.includes('}')) return
      try {
        pid = (JSON.parse(info) as { 'child-pid': number })['child-pid']
        if (spec.identity.is === 'mapped') mapIds(pid, spec.identity)
      } catch (error) {
        fail((error as Error).message)
        return
      }
      block.end('\n')
    })
    child.stderr!.on('data', (chunk: Buffer) => {
      if (said.length < 4096) said += chunk.toString()
    })
    child.on('error', (error) => fail(error.message))
    child.on('message', (name: string, handle) => {
      if (name === 'dns') relay.answer(handle as unknown as Datagrams)
      else if (name.startsWith('tcp:')) relay.serve(handle as Server, Number(name.slice('tcp:'.length)))
      if (!name.startsWith('ready')) return
      if (name !== 'ready:all') spec.say(WEB_ONLY)
      try {
        result = networkOf(pid, spec.identity, relay)
      } catch (error) {
        return fail((error as Error).message)
      }
      child.send('bye', () => {})
    })
    child.on('close', (code) => {
      clearTimeout(deadline)
      if (result !== undefined) return resolve(result)
      const why = code === 90 ? 'the route to the own device could not be set (is `ip` of iproute2 installed?)' : ''
      fail(said.trim() || why || `the network namespace could not be made (status ${code})`)
    })
  })
}

function optionsOf(spec: NetworkSpec): string[] {
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try'],
    ...(spec.identity.is === 'plain' ? [] : ['--unshare-user', '--uid', '0', '--gid', '0']),
    // A map with more than one id is written by us, while bwrap waits.
    ...(spec.identity.is === 'mapped' ? ['--userns-block-fd', String(BLOCK)] : []),
    ...['--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
    // For the routes and the two ports below 1024; what runs here is ours and ends before any program starts.
    ...['--cap-add', 'CAP_NET_ADMIN', '--cap-add', 'CAP_NET_BIND_SERVICE'],
    ...spec.system,
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--setenv', 'PATH', '/usr/sbin:/usr/bin:/sbin:/bin', '--setenv', 'NODE_CHANNEL_FD', '3'],
    ...['--setenv', 'NODE_CHANNEL_SERIALIZATION_MODE', 'json', '--info-fd', String(INFO), '--chdir', '/'],
  ]
}

/** Keeps the namespaces by open descriptors of our own: no process needs to stay in them, and none is left behind. */
function networkOf(pid: number, identity: Identity, relay: Relay): Network {
  const files: number[] = []
  const enter = ['nsenter', '--preserve-credentials']
  for (const kind of identity.is === 'plain' ? (['net'] as const) : (['user', 'net'] as const)) {
    const file = openSync(`/proc/${pid}/ns/${kind}`, 'r')
    files.push(file)
    enter.push(`--${kind}=/proc/${process.pid}/fd/${file}`)
  }
  let open = true
  return {
    enter: [...enter, '--'],
    close() {
      if (!open) return
      open = false
      relay.close()
      for (const file of files) closeSync(file)
    },
  }
}
