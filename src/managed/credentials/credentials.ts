/** Stored credentials: for the API without their secrets, for the proxy with them. */
import { randomBytes, randomUUID } from 'node:crypto'
import {
  type Clock,
  type Credentials,
  type CredentialView,
  ManagedError,
  type OutAnswer,
  type OutRequest,
} from '../contract.ts'
import { placeholderOf } from '../egress/placeholders.ts'
import { type Pattern, readPattern } from '../egress/rules.ts'
import type { Secrets } from '../egress/secrets.ts'
import { invalid, type OAuthFields, readCreate, readUpdate } from './fields.ts'
import { type Granted, NotGranted, renew } from './refresh.ts'
import { type Entry, openVault } from './vault.ts'

export interface CredentialsOptions {
  /** A directory of ours, in no environment. */
  readonly dir: string
  /** 32 bytes in place of the key file in `dir`. */
  readonly key?: Buffer
  readonly clock: Pick<Clock, 'now'>
  /** How token endpoints are asked. */
  readonly request: (request: OutRequest) => Promise<OutAnswer>
}

interface Held {
  readonly revision: string
  readonly granted: Promise<Granted>
  readonly at: number
  /** Not under way any more. */
  ready: boolean
}

/** An access token that was refused is renewed, but not over and over where the server refuses each. */
const REJECTED_MS = 10_000

const missing = (call: string): ManagedError =>
  new ManagedError(404, 'not_found', `Result not found.; ${call} call failed`)

const viewOf = ({ id, type, status, created, updated }: Entry): CredentialView => ({
  id,
  type,
  status,
  createTime: created,
  updateTime: updated,
})

/** Opens the store. Throws one sentence where it cannot be opened with the key. */
export function createCredentials(options: CredentialsOptions): Credentials & Secrets {
  const { clock, request } = options
  const vault = openVault(options.dir, options.key)
  vault.entries()
  /** By id, for one revision each: the access token, or the renewal under way. */
  const tokens = new Map<string, Held>()
  /** Refresh tokens that could not be stored yet. */
  const unstored = new Map<string, { readonly revision: string; readonly token: string }>()

  const stamped = () => ({ updated: clock.now(), revision: randomBytes(8).toString('hex') })

  /** Proves that the endpoint gives an access token, as a create or a change must. */
  async function proven(fields: OAuthFields): Promise<{ readonly fields: OAuthFields; readonly granted: Granted }> {
    try {
      const granted = await renew(fields, request, clock)
      return { fields: granted.rotated === undefined ? fields : { ...fields, refresh_token: granted.rotated }, granted }
    } catch (error) {
      if (!(error instanceof NotGranted)) throw error
      throw invalid(`The OAuth2 credential could not be validated: ${error.message}.`)
    }
  }

  const keep = (entry: Entry, granted: Granted) =>
    void tokens.set(entry.id, {
      revision: entry.revision,
      granted: Promise.resolve(granted),
      at: clock.now(),
      ready: true,
    })

  async function access(entry: Entry & { type: 'oauth2' }): Promise<string> {
    const held = tokens.get(entry.id)
    if (held?.revision === entry.revision) {
      const granted = await held.granted
      if (granted.until > clock.now()) return granted.token
      // While this one waited another may have begun.
      if (tokens.get(entry.id) !== held) return access(entry)
    }
    const flight: Held = { revision: entry.revision, granted: renewed(entry), at: clock.now(), ready: false }
    tokens.set(entry.id, flight)
    flight.granted.then(
      () => {
        flight.ready = true
      },
      () => {
        if (tokens.get(entry.id) === flight) tokens.delete(entry.id)
      },
    )
    return (await flight.granted).token
  }

  async function renewed(entry: Entry & { type: 'oauth2' }): Promise<Granted> {
    const waiting = unstored.get(entry.id)
    const fields =
      waiting?.revision === entry.revision ? { ...entry.fields, refresh_token: waiting.token } : entry.fields
    try {
      const granted = await renew(fields, request, clock)
      const token = granted.rotated ?? (fields === entry.fields ? undefined : fields.refresh_token)
      if (token !== undefined) await store(entry, { refresh_token: token })
      return granted
    } catch (error) {
      if (error instanceof NotGranted && error.final) await revoke(entry)
      throw error
    }
  }

  /** Stores a refresh token; the old one may be void already, so a failure keeps the new one for the next time. */
  async function store(entry: Entry & { type: 'oauth2' }, changed: Pick<OAuthFields, 'refresh_token'>): Promise<void> {
    unstored.set(entry.id, { revision: entry.revision, token: changed.refresh_token })
    await vault.change((entries) => {
      const now = entries.get(entry.id)
      if (now?.type === 'oauth2' && now.revision === entry.revision)
        entries.set(entry.id, { ...now, fields: { ...now.fields, ...changed } })
    })
    unstored.delete(entry.id)
  }

  async function revoke(entry: Entry): Promise<void> {
    await vault.change((entries) => {
      const now = entries.get(entry.id)
      if (now !== undefined && now.revision === entry.revision)
        entries.set(entry.id, { ...now, status: 'revoked', updated: clock.now() })
    })
  }

  return {
    async create(body) {
      const { id = randomUUID(), ...given } = readCreate(body)
      const taken = () =>
        new ManagedError(409, 'aborted', `Credential '${id}' already exists.; CreateCredential call failed`)
      if (vault.entries().has(id)) throw taken()
      const proof = given.type === 'oauth2' ? await proven(given.fields) : undefined
      const fields = proof === undefined ? given.fields : proof.fields
      const entry = { ...given, fields, id, status: 'active', created: clock.now(), ...stamped() } as Entry
      await vault.change((entries) => {
        if (entries.has(id)) throw taken()
        entries.set(id, entry)
      })
      if (proof !== undefined) keep(entry, proof.granted)
      return viewOf(entry)
    },

    async update(id, body) {
      const before = vault.entries().get(id)
      if (before === undefined) throw missing('UpdateCredential')
      const changed = readUpdate(body, id, before.type)
      const proof =
        before.type === 'oauth2' && Object.keys(changed).length > 0
          ? await proven({ ...before.fields, ...changed })
          : undefined
      const entry = await vault.change((entries) => {
        const now = entries.get(id)
        if (now === undefined || now.created !== before.created) throw missing('UpdateCredential')
        const fields = proof?.fields ?? { ...now.fields, ...changed }
        const next = { ...now, fields, ...stamped(), status: 'active' } as Entry
        entries.set(id, next)
        return next
      })
      if (proof !== undefined) keep(entry, proof.granted)
      return viewOf(entry)
    },

    get(id) {
      const entry = vault.entries().get(id)
      return entry === undefined ? undefined : viewOf(entry)
    },

    list: () => [...vault.entries().values()].map(viewOf),

    async remove(id) {
      await vault.change((entries) => {
        if (!entries.delete(id)) throw missing('DeleteCredential')
      })
      tokens.delete(id)
      unstored.delete(id)
    },

    placeholder: (id) => (vault.entries().get(id)?.type === 'environment_variable' ? placeholderOf(id) : undefined),

    use(id) {
      const type = vault.entries().get(id)?.type
      return type === undefined ? undefined : type === 'environment_variable' ? 'placeholder' : 'header'
    },

    async header(id) {
      const entry = vault.entries().get(id)
      if (entry === undefined) throw new Error(`the credential ${id} does not exist`)
      if (entry.status === 'revoked') throw new Error(`the credential ${id} is revoked`)
      if (entry.type === 'bearer_token') {
        const { token, header_name: name, prefix } = entry.fields
        return { name, value: prefix === '' ? token : `${prefix.trimEnd()} ${token}` }
      }
      if (entry.type === 'environment_variable')
        throw new Error(`the credential ${id} is of the type environment_variable, which sets no header`)
      try {
        return { name: 'Authorization', value: `Bearer ${await access(entry)}` }
      } catch (error) {
        // Of other errors nothing is told: they might hold more than a sentence.
        throw new Error(
          `the credential ${id} could not be refreshed${error instanceof NotGranted ? ` (${error.message})` : ''}`,
        )
      }
    },

    rejected(id) {
      const held = tokens.get(id)
      if (held?.ready === true && clock.now() - held.at > REJECTED_MS) tokens.delete(id)
    },

    variable(id) {
      const entry = vault.entries().get(id)
      if (entry?.type !== 'environment_variable' || entry.status === 'revoked') return undefined
      const { value, injection_location: places, trusted_domains: trusted } = entry.fields
      return { value, places: new Set(places), trusted: trusted.flatMap(patternOf) }
    },
  }
}

function patternOf(domain: string): readonly Pattern[] {
  const read = readPattern(domain)
  return 'pattern' in read ? [read.pattern] : []
}
