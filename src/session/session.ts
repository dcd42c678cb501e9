/** What this session did and was refused, as data. Reading and writing the file is the entry point's job. */
import type { EffectIdentity } from '../core/verdict.ts'

/** Lines of `sessions/<host>-<id>.jsonl`. */
export interface SessionLine {
  /** Milliseconds since the epoch. */
  readonly t: number
  readonly kind: 'seen' | 'denied' | 'created' | 'written' | 'downloaded' | 'approved' | 'hash'
  readonly fingerprint: string
  readonly acts: readonly string[]
  readonly paths: readonly string[]
  /** For `denied` and `approved`: the effects themselves. Absent: `acts` and `paths` in step. */
  readonly effects?: readonly EffectIdentity[]
  /** For `approved`: how many uses; absent is one, 0 says that the approval of this fingerprint is used up. */
  readonly uses?: number
  /** For `approved`: it holds as long as the session, however often it is used. */
  readonly lasts?: 'session'
  /** For `denied`: false where nobody could be asked, so that it does not stick and may still be approved. */
  readonly sticky?: false
  /** For `denied`: the rule of the verdict. */
  readonly rule?: string
}

/** An earlier call, to be judged for its effects where the session file does not hold them (frozen worlds). */
export type EarlierCall =
  | { readonly command: string }
  | { readonly call: { readonly tool: string; readonly input: unknown } }

export interface SessionState {
  /** Absolute paths this session made: their loss is nobody's. */
  readonly created: readonly string[]
  readonly written: readonly string[]
  /** Paths that this session fetched from elsewhere. */
  readonly downloaded: readonly string[]
  /** Effects denied before. */
  readonly denied: readonly EffectIdentity[]
  /** Effects approved by a person, one use each; used ones are not here. */
  readonly approved: readonly EffectIdentity[][]
  /** The same, given as calls (frozen worlds): the guard reads them into effects. */
  readonly deniedCalls: readonly EarlierCall[]
  readonly approvedCalls: readonly EarlierCall[]
}

export const EMPTY_SESSION: SessionState = {
  created: [],
  written: [],
  downloaded: [],
  denied: [],
  approved: [],
  deniedCalls: [],
  approvedCalls: [],
}
