/** By this the proxy gets secrets. Nothing else in the runtime sees it. */
import type { Pattern } from './rules.ts'

export type Place = 'header' | 'query' | 'body'

/** A value that stands in for a placeholder. */
export interface Variable {
  readonly value: string
  readonly places: ReadonlySet<Place>
  readonly trusted: readonly Pattern[]
}

/** What kind of credential an id names, as far as the proxy cares. */
export type Use = 'header' | 'placeholder'

export interface Secrets {
  /** Undefined where there is no such credential. */
  use(id: string): Use | undefined
  /**
   * The header that a credential sets, as it is now. Rejects with one sentence that names no secret where the credential
   * is gone, revoked, or cannot be refreshed.
   */
  header(id: string): Promise<{ readonly name: string; readonly value: string }>
  /** The upstream did not accept what `header` gave: a token that can be renewed is renewed before its next use. */
  rejected(id: string): void
  /** Undefined where there is no such credential, or it is of another type, or revoked. */
  variable(id: string): Variable | undefined
}

/** No credentials at all. */
export const NO_SECRETS: Secrets = {
  use: () => undefined,
  header: (id) => Promise.reject(new Error(`the credential ${id} does not exist`)),
  rejected: () => {},
  variable: () => undefined,
}
