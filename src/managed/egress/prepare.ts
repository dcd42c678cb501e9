/** Makes of a request what goes out: judged, with what its rule sets, with placeholders replaced. The same for every way. */
import { type Judging, reportAllowed, type Way } from './door-state.ts'
import { endToEnd, type HeaderList, valuesOf, withHeaders, withoutHeaders } from './headers.ts'
import { injectedBy } from './inject.ts'
import { authorityText, type Target } from './names.ts'
import { swapHeaders, swapPath } from './placeholders.ts'
import { type Permit, permit, permitClear } from './policy.ts'

export interface Prepared {
  readonly permit: Permit
  readonly path: string
  /** Host first; framing and connection headers are for the sender to add. */
  readonly headers: string[]
}

/** Reports what is let through; what throws (Refused) is for the caller to report. */
export async function prepare(
  door: Judging,
  way: Way,
  method: string,
  target: Target,
  rawHeaders: HeaderList,
): Promise<Prepared> {
  const { host, port, secure } = target
  const allowed = permit(door.policy, host, port)
  if (!secure) permitClear(allowed)
  const path = swapPath(door.swap, target.path, host, secure)
  const swapped = swapHeaders(door.swap, endToEnd(rawHeaders), host, secure)
  const injected = await injectedBy(allowed, door.secrets)
  const headers = withHeaders(withoutHeaders(swapped, 'host'), injected)
  reportAllowed(door, way, allowed, { method, secure, ...(injected.size === 0 ? {} : { set: [...injected.keys()] }) })
  return { permit: allowed, path, headers: ['Host', authorityText(host, port, secure), ...headers] }
}

/** Tells the credentials that the upstream did not take what was injected. */
export function noteStatus(door: Judging, { rule }: Permit, status: number): void {
  if (status === 401 && rule?.credential !== undefined) door.secrets.rejected(rule.credential)
}

/** Headers that say how the body is framed, as the request came. */
export function framing(rawHeaders: HeaderList): 'none' | 'chunked' | 'length' {
  if (valuesOf(rawHeaders, 'transfer-encoding').length > 0) return 'chunked'
  return valuesOf(rawHeaders, 'content-length').length > 0 ? 'length' : 'none'
}
