/** `sallyport serve`: the managed runtime on a port of loopback, until it is told to stop. */
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { chooseModels } from '../../managed/agent/models/choose.ts'
import type { RuntimeEvent } from '../../managed/contract.ts'
import { readUpstreams } from '../../managed/egress/operator.ts'
import { type Serving, serve } from '../../managed/interactions/server.ts'
import type { Managed } from '../../managed/open.ts'
import { EXIT, type Io } from '../io.ts'
import { eventLog } from './events.ts'
import { CannotOpen, open, operatorPolicy, stateOf } from './open.ts'
import { undoState } from './state.ts'

export interface ServeFlags {
  readonly port?: string
  readonly key?: string
  readonly keyFile?: string
  readonly state?: string
  readonly model?: readonly string[]
  readonly guard?: 'off' | 'observe' | 'enforce'
  readonly denyNetwork?: boolean
  readonly allowPrivate?: readonly string[]
  readonly upstreams?: string
  readonly objects?: string
  readonly pinHooks?: boolean
  readonly stopOnDeny?: boolean
  readonly failClosed?: readonly string[]
  readonly argsStyle?: 'seed' | 'pascal' | 'both'
  readonly allowWeaker?: boolean
  readonly verbose?: boolean
}

const PORT = 8420

/** Serves until SIGINT or SIGTERM. Exit code 0 then, 1 where it cannot start, 2 for bad usage. */
export async function serveVerb(flags: ServeFlags, io: Io): Promise<number> {
  const refuse = (sentence: string, code: number = EXIT.usage): number => {
    io.err(`sallyport serve: ${sentence}\n`)
    return code
  }
  const port = flags.port === undefined ? PORT : /^\d{1,5}$/.test(flags.port) ? Number(flags.port) : Number.NaN
  if (!(port <= 65_535)) return refuse(`--port ${flags.port} is no port; it takes a number up to 65535`)
  const key = keyOf(flags, io)
  if ('refused' in key) return refuse(key.refused)
  const models = await chooseModels(flags.model ?? [], io.env)
  if ('refused' in models) return refuse(models.refused)
  const upstreams = upstreamsOf(flags, io)
  if ('refused' in upstreams) return refuse(upstreams.refused)
  let managed: Managed | undefined
  let serving: Serving
  const undo = undoState(io, flags.state)
  try {
    const state = stateOf(io, flags.state)
    const log = eventLog(state, io)
    const tell = (event: RuntimeEvent) => {
      log(event)
      if (event.kind === 'interaction') io.out(`${new Date(event.at).toISOString()} ${event.text}\n`)
      else if (flags.verbose || LOUD.test(event.kind)) io.err(`sallyport serve: ${event.text}\n`)
    }
    managed = await open(io, { ...optionsOf(flags, upstreams.mapped, io), state, models, tell })
    serving = await serve(managed, port, { key: key.key })
    io.out(`Listening on http://127.0.0.1:${serving.port} (model ${models(undefined)?.name}, state ${state})\n`)
  } catch (error) {
    await managed?.close()
    undo()
    if (error instanceof CannotOpen) return refuse(error.message, EXIT.problem)
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return refuse(`port ${port} is taken; choose another with --port`, EXIT.problem)
    if (code === 'EACCES')
      return refuse(`port ${port} may not be used; choose one above 1023 with --port`, EXIT.problem)
    throw error
  }
  if (key.made) io.out(`No key was given. This one holds until the server stops: ${key.key}\n`)
  const signal = await stopped()
  io.out(`Stopping (${signal}).\n`)
  await serving.close()
  await managed.close()
  return EXIT.ok
}

/** Kinds of events that a person sees without asking. */
const LOUD = /^(?:internal|egress\.warning|sandbox\.weaker|sandbox\.leftover)$/

function stopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal))
  })
}

interface Key {
  readonly key: string
  readonly made: boolean
}

function keyOf(flags: ServeFlags, io: Io): Key | { readonly refused: string } {
  if (flags.key !== undefined && flags.keyFile !== undefined)
    return { refused: '--key and --key-file are two keys; leave one out' }
  if (flags.keyFile !== undefined) return keyOfFile(flags.keyFile, io)
  const given = flags.key ?? io.env['SALLYPORT_KEY']
  if (given === '') return { refused: 'the key is empty' }
  if (given === undefined) return { key: randomBytes(24).toString('base64url'), made: true }
  return KEY.test(given)
    ? { key: given, made: false }
    : { refused: `the key is none that a request can carry; ${FITS}` }
}

/** What a header can carry. */
const KEY = /^[\x21-\x7e]{1,1024}$/
const FITS = 'it takes up to 1024 letters, digits and signs without blanks'

function keyOfFile(file: string, io: Io): Key | { readonly refused: string } {
  let text: string
  try {
    const path = resolve(io.cwd, file)
    const { size } = statSync(path)
    text = size > MOST_KEY_FILE ? '' : readFileSync(path, 'utf8').trim()
    if (size > 0 && !KEY.test(text)) return { refused: `the key file ${file} holds no key; ${FITS}` }
  } catch {
    return { refused: `the key file ${file} cannot be read` }
  }
  return text === '' ? { refused: `the key file ${file} is empty` } : { key: text, made: false }
}

/** Bytes: a key and line ends. */
const MOST_KEY_FILE = 4096

type Upstreams = ReturnType<typeof readUpstreams>

function upstreamsOf(flags: ServeFlags, io: Io): { readonly mapped?: Upstreams } | { readonly refused: string } {
  try {
    return flags.upstreams === undefined ? {} : { mapped: readUpstreams(resolve(io.cwd, flags.upstreams)) }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}

/** What the flags settle. Throws `CannotOpen` where a policy cannot be used. */
function optionsOf(flags: ServeFlags, mapped: Upstreams | undefined, io: Io) {
  const { allowPrivate, objects, failClosed, argsStyle, guard = 'off' } = flags
  return {
    operator: {
      ...(mapped === undefined ? {} : { upstreams: mapped }),
      ...(allowPrivate === undefined ? {} : { allowPrivate }),
    },
    hooks: {
      ...(flags.pinHooks ? { pinned: true } : {}),
      ...(flags.stopOnDeny ? { stopOnDeny: true } : {}),
      ...(failClosed === undefined ? {} : { failClosed }),
      ...(argsStyle === undefined ? {} : { argsStyle }),
    },
    ...(guard === 'off' ? {} : { guard: { mode: guard, policy: operatorPolicy(io) } }),
    ...(flags.denyNetwork ? { denyNetwork: true } : {}),
    ...(flags.allowWeaker ? { allowWeaker: true } : {}),
    ...(objects === undefined ? {} : { objects }),
  }
}
