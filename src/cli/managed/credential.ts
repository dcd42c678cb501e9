/**
 * `sallyport credential`: works on the store itself, under its lock; a running server looks at the store at each request,
 * so nobody has to be asked and nothing restarted.
 */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { type Credentials, type CredentialView, ManagedError } from '../../managed/contract.ts'
import { createCredentials } from '../../managed/credentials/credentials.ts'
import { keyOfEnv } from '../../managed/credentials/key.ts'
import { readUpstreams } from '../../managed/egress/operator.ts'
import { plainRequests } from '../../managed/egress/request.ts'
import { EXIT, type Io } from '../io.ts'
import { CannotOpen, mustBeThere, stateOf } from './state.ts'

export interface StoreFlags {
  readonly state?: string
}

export interface ListFlags extends StoreFlags {
  readonly json?: boolean
}

export interface AddFlags extends StoreFlags {
  readonly type?: CredentialView['type']
  readonly replace?: boolean
  readonly headerName?: string
  readonly prefix?: string
  readonly clientId?: string
  readonly tokenUrl?: string
  readonly scope?: readonly string[]
  readonly in?: readonly string[]
  readonly trust?: readonly string[]
  readonly upstreams?: string
}

const MOST_BYTES = 128 * 1024
/** A command that prints a secret may ask the person for a password first. */
const COMMAND_MS = 120_000

function storeOf(io: Io, flags: StoreFlags & { readonly upstreams?: string }): Credentials {
  const state = stateOf(io, flags.state)
  try {
    const key = keyOfEnv(io.env)
    return createCredentials({
      dir: join(state, 'credentials'),
      clock: { now: Date.now },
      ...(key === undefined ? {} : { key }),
      request: plainRequests(
        flags.upstreams === undefined ? {} : { upstreams: readUpstreams(resolve(io.cwd, flags.upstreams)) },
        () => {},
      ),
    })
  } catch (error) {
    throw new CannotOpen(sentenceOf(error))
  }
}

const sentenceOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')

/** Says what went wrong in one sentence. Never holds a secret: sentences of the store name none. */
function refused(verb: string, error: unknown, io: Io): number {
  if (!(error instanceof ManagedError || error instanceof CannotOpen || error instanceof Usage)) throw error
  io.err(`sallyport credential ${verb}: ${sentenceOf(error)}\n`)
  return error instanceof Usage || (error instanceof ManagedError && error.status === 400) ? EXIT.usage : EXIT.problem
}

class Usage extends Error {}

/**
 * Stores one; `words` are its id and the command that prints the secret, if any, which must be among the last `behind` words:
 * those behind `--`. Exit code 0, 1, 2.
 */
export async function credentialAdd(
  flags: AddFlags,
  [id, ...command]: readonly string[],
  behind: number,
  io: Io,
): Promise<number> {
  try {
    // What stands there is not said: it may be the secret.
    if (command.length > behind)
      throw new Usage('one id is taken; a command that prints the secret stands behind --, and a secret in no argument')
    const store = storeOf(io, flags)
    const { type = 'bearer_token' } = flags
    const has = store.get(id!)
    if (has !== undefined && !flags.replace)
      throw new CannotOpen(`there is a credential ${id} already; change it with --replace`)
    if (has === undefined && flags.replace) throw new CannotOpen(`there is no credential ${id} to replace`)
    const settings = settingsOf(flags, type)
    const secret = command.length > 0 ? await printedBy(command, io) : await fromStdin(io)
    if (secret === '') throw new Usage('the secret is empty: give it on stdin, or by a command behind --')
    const body = { ...settings, type, ...secretsOf(type, secret) }
    const view = has === undefined ? await store.create({ ...body, id }) : await store.update(id!, body)
    io.out(`${has === undefined ? 'Stored' : 'Changed'} ${view.id} (${view.type}).\n`)
    return EXIT.ok
  } catch (error) {
    return refused('add', error, io)
  }
}

/** The fields that are no secret. A flag of another type is bad usage. */
function settingsOf(flags: AddFlags, type: CredentialView['type']): Record<string, unknown> {
  const all: readonly (readonly [flag: string, field: string, of: CredentialView['type'], value: unknown])[] = [
    ['--header-name', 'header_name', 'bearer_token', flags.headerName],
    ['--prefix', 'prefix', 'bearer_token', flags.prefix],
    ['--client-id', 'client_id', 'oauth2', flags.clientId],
    ['--token-url', 'token_url', 'oauth2', flags.tokenUrl],
    ['--scope', 'scopes', 'oauth2', flags.scope],
    ['--in', 'injection_location', 'environment_variable', flags.in],
    ['--trust', 'trusted_domains', 'environment_variable', flags.trust],
  ]
  const settings: Record<string, unknown> = {}
  for (const [flag, field, of, value] of all) {
    if (value === undefined) continue
    if (of !== type) throw new Usage(`${flag} belongs to the type ${of}, not to ${type}`)
    settings[field] = value
  }
  if (type === 'environment_variable' && flags.in === undefined && !flags.replace)
    settings['injection_location'] = ['header']
  if (type === 'environment_variable' && flags.trust === undefined && !flags.replace)
    throw new Usage('a variable is sent to trusted domains alone: name at least one with --trust')
  return settings
}

function secretsOf(type: CredentialView['type'], secret: string): Record<string, unknown> {
  if (type === 'bearer_token') return { token: secret }
  if (type === 'environment_variable') return { value: secret }
  try {
    const parsed: unknown = JSON.parse(secret)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>
  } catch {
    // Said below, without what was given.
  }
  throw new Usage('for oauth2 the secret is a JSON object with client_secret and refresh_token')
}

/** One line ending is not part of a secret. */
const trimmed = (text: string): string => text.replace(/\r?\n$/, '')

async function fromStdin(io: Io): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY) return typed(io)
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stdin as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MOST_BYTES) throw new Usage('the secret on stdin is too large')
    parts.push(part)
  }
  return trimmed(Buffer.concat(parts).toString('utf8'))
}

/** What a person types at a terminal, not shown there. */
function typed(io: Io): Promise<string> {
  const { stdin } = process
  io.err('Secret (not shown): ')
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  return new Promise((done, fail) => {
    let text = ''
    const settle = (then: () => void) => {
      stdin.off('data', look)
      stdin.setRawMode(false)
      stdin.pause()
      io.err('\n')
      then()
    }
    const look = (part: string) => {
      for (const key of part) {
        if (key === '\r' || key === '\n' || key === '\x04') return settle(() => done(text))
        if (key === '\x03') return settle(() => fail(new CannotOpen('nothing was stored')))
        text = key === '\x7f' || key === '\b' ? text.slice(0, -1) : text + key
      }
    }
    stdin.on('data', look)
  })
}

/** The output of a command, run without a shell; its stderr and stdin are the person's. */
function printedBy([file, ...args]: readonly string[], io: Io): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(file!, args, { cwd: io.cwd, stdio: ['inherit', 'pipe', 'inherit'] })
    const timer = setTimeout(() => child.kill(), COMMAND_MS)
    const parts: Buffer[] = []
    let size = 0
    child.stdout.on('data', (part: Buffer) => {
      size += part.length
      if (size <= MOST_BYTES) parts.push(part)
      else child.kill()
    })
    // Its name is not said: somebody may have put the secret there.
    child.on('error', () => {
      clearTimeout(timer)
      fail(new CannotOpen('the command behind -- could not be started'))
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      if (size > MOST_BYTES) fail(new CannotOpen('the command printed too much for a secret'))
      else if (code === 0) done(trimmed(Buffer.concat(parts).toString('utf8')))
      else fail(new CannotOpen(`the command that prints the secret ended with ${code ?? 'a signal'}`))
    })
  })
}

/** Lists them. Exit code 0, 1. */
export function credentialList(flags: ListFlags, io: Io): number {
  try {
    mustBeThere(io, flags.state)
    const views = storeOf(io, flags).list()
    if (flags.json) io.out(`${JSON.stringify(views)}\n`)
    else if (views.length === 0) io.out('There are no credentials.\n')
    else
      for (const { id, type, status, updateTime } of views)
        io.out(`${id}  ${type}  ${status}  ${new Date(updateTime).toISOString()}\n`)
    return EXIT.ok
  } catch (error) {
    return refused('ls', error, io)
  }
}

/** Removes them; all or, where one is not there, none. Exit code 0, 1. */
export async function credentialRemove(flags: StoreFlags, ids: readonly string[], io: Io): Promise<number> {
  try {
    mustBeThere(io, flags.state)
    const store = storeOf(io, flags)
    const missing = ids.find((id) => store.get(id) === undefined)
    if (missing !== undefined) throw new CannotOpen(`there is no credential ${missing}`)
    for (const id of new Set(ids)) await store.remove(id)
    io.out(`Removed ${[...new Set(ids)].join(', ')}.\n`)
    return EXIT.ok
  } catch (error) {
    return refused('rm', error, io)
  }
}
