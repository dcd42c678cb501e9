/** The headers that a rule sets on a request. */
import { hostText } from './names.ts'
import { type Permit, Refused } from './policy.ts'
import type { Secrets } from './secrets.ts'

export type Injected = ReadonlyMap<string, { readonly name: string; readonly value: string }>

const NOTHING: Injected = new Map()

/**
 * The credential's header first, the rule's own headers on top. Looked up at each request, so that a changed credential
 * counts at once. Throws Refused where the credential cannot be used: a request never goes without it.
 */
export async function injectedBy({ rule, host }: Permit, secrets: Secrets): Promise<Injected> {
  if (rule === undefined) return NOTHING
  if (rule.credential === undefined) return rule.headers
  const set = new Map<string, { name: string; value: string }>()
  try {
    const header = await secrets.header(rule.credential)
    set.set(header.name.toLowerCase(), header)
  } catch (error) {
    throw new Refused(
      'credential',
      `Blocked: the credential rule of ${hostText(host)} could not be met: ${error instanceof Error ? error.message : 'it failed'}; the request was not sent without it.`,
    )
  }
  for (const [key, header] of rule.headers) set.set(key, header)
  return set
}
