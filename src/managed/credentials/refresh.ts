/** Access tokens of oauth2 credentials: renewed once however many wait for them, kept in memory only. */
import type { Clock, OutAnswer, OutRequest } from '../contract.ts'
import type { OAuthFields } from './fields.ts'

export interface Granted {
  readonly token: string
  /** Milliseconds since the epoch from when on it is not used any more. */
  readonly until: number
  /** A refresh token in place of the one that was used. */
  readonly rotated: string | undefined
}

/** The token endpoint said no or could not be reached. The sentence names no secret. */
export class NotGranted extends Error {
  /** The refresh token is void for good. */
  readonly final: boolean
  constructor(sentence: string, final: boolean) {
    super(sentence)
    this.final = final
  }
}

const MOST_MS = 15_000
const MOST_BYTES = 64 * 1024
/** Where the answer does not say how long the token lives. */
const UNSAID_MS = 300_000
/** Tokens are renewed so long before they end, or a tenth of their life before where that is shorter. */
const EARLY_MS = 60_000

/** Asks the token endpoint. Rejects with NotGranted. */
export async function renew(
  fields: OAuthFields,
  request: (request: OutRequest) => Promise<OutAnswer>,
  clock: Pick<Clock, 'now'>,
): Promise<Granted> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: fields.refresh_token,
    client_id: fields.client_id,
    client_secret: fields.client_secret,
    ...(fields.scopes.length === 0 ? {} : { scope: fields.scopes.join(' ') }),
  })
  const answer = await request({
    method: 'POST',
    url: fields.token_url,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: Buffer.from(form.toString()),
    timeout: MOST_MS,
    limit: MOST_BYTES,
  })
  if (!answer.ok) throw new NotGranted(`its token endpoint could not be asked: ${answer.why.replace(/\.$/, '')}`, false)
  const said = parse(Buffer.from(answer.body).toString('utf8'))
  const code = said.get('error')
  if (answer.status < 200 || answer.status > 299 || code !== undefined) {
    const word = typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : ''
    throw new NotGranted(`its token endpoint answered ${answer.status}${word}`, code === 'invalid_grant')
  }
  const token = said.get('access_token')
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw new NotGranted('its token endpoint returned no access token', false)
  const seconds = Number(said.get('expires_in') ?? Number.NaN)
  const life = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : UNSAID_MS
  const rotated = said.get('refresh_token')
  return {
    token,
    until: clock.now() + life - Math.min(EARLY_MS, life / 10),
    rotated: typeof rotated === 'string' && rotated !== '' && rotated !== fields.refresh_token ? rotated : undefined,
  }
}

/** An answer in JSON or as a form. */
function parse(text: string): ReadonlyMap<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return new Map(Object.entries(parsed))
  } catch {
    // Then it is a form.
  }
  return new Map(new URLSearchParams(text.trim()))
}
