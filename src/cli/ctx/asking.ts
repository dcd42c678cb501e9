/** What the verbs that answer from captures have in common. */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Address, NoAddress } from '../../containment/address.ts'
import { addressWords, parseAddress, parseSelector, type Selector } from '../../containment/address.ts'
import { hostCapOf } from '../../containment/ledger/caps.ts'
import { book, ledgerFile, rowOf } from '../../containment/ledger/ledger.ts'
import { LEAST_BUDGET } from '../../containment/query/get.ts'
import type { MaskSlice } from '../../containment/query/page.ts'
import { type Asker, workspaceOf } from '../../containment/query/source.ts'
import { redactionKey } from '../../containment/redact/key.ts'
import { maskSlice } from '../../containment/redact/redact.ts'
import { openStore } from '../../containment/store/store.ts'
import type { Store } from '../../containment/store/types.ts'
import { tokensOf } from '../../containment/tokens.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import type { AnswerPolicy } from './asking-policy.ts'
import { callerOf } from './run-caller.ts'
import { settingsOf } from './run-settings.ts'

/** Tokens of one answer. */
const BUDGET = 1200
const MOST = 1_000_000

export interface Asking extends Asker {
  readonly store: Store
  readonly mask: MaskSlice
  /** Tokens of an answer, unless the caller says otherwise. */
  readonly result: number
}

/** Opens the store with the settings of the policy. */
export async function askingOf(io: Io): Promise<Asking> {
  const home = homeOf(io.env)
  const { maxBytes, days } = await settingsOf(io.env, home, io.cwd)
  const store = openStore({
    env: io.env,
    home,
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(days === undefined ? {} : { days }),
  })
  let key: Uint8Array | undefined
  const mask: MaskSlice = (before, text, behind) => {
    key ??= redactionKey(io.env, home)
    return maskSlice(before, text, behind, key)
  }
  const { hides, result = BUDGET } = await answerPolicy(io, home)
  return { store, mask, cwd: io.cwd, result, ...(hides === undefined ? {} : { hides }) }
}

/** Nothing is loaded where there is no policy. */
async function answerPolicy({ env, cwd }: Io, home: string): Promise<Partial<AnswerPolicy>> {
  const given = env['XDG_CONFIG_HOME']
  const config = given !== undefined && isAbsolute(given) ? given : join(home, '.config')
  const workspace = workspaceOf(cwd)
  const places = ['/etc/sallyport', join(config, 'sallyport'), join(workspace, '.sallyport')]
  if (!places.some((place) => existsSync(join(place, 'policy.jsonc')))) return {}
  const { readAnswerPolicy } = await import('./asking-policy.ts')
  return readAnswerPolicy(env, home, workspace)
}

export interface Refusal {
  readonly refused: string
}

/** A whole number of a flag, or a clause about it. */
export function countOf(name: string, text: string | undefined, least: number, standard: number): number | Refusal {
  if (text === undefined) return standard
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= least ? value : { refused: `--${name} ${text} is no number from ${least} on` }
}

/** The budget of an answer, in tokens. `standard`: what holds where none is asked for. */
export function budgetOf(text: string | undefined, standard: number): number | Refusal {
  const value = countOf('budget', text, LEAST_BUDGET, Math.max(LEAST_BUDGET, standard))
  return typeof value === 'number' ? Math.min(value, MOST) : value
}

export interface SelectorFlags {
  readonly lines?: string
  readonly bytes?: string
  readonly records?: string
  readonly jsonPointer?: string
  readonly shape?: string
}

/** Reads an address in one argument, or with its selector as flags. */
export function addressOf(text: string, flags: SelectorFlags): Address | NoAddress {
  const address = parseAddress(text)
  if ('refused' in address) return address
  const given = (
    [
      ['--lines', flags.lines],
      ['--bytes', flags.bytes],
      ['--records', flags.records],
      ['--json-pointer', flags.jsonPointer],
      ['--shape', flags.shape],
    ] as const
  ).filter(([, value]) => value !== undefined)
  const [first, second] = given
  if (second !== undefined || (first !== undefined && address.selector !== undefined)) {
    const names = [...given.map(([flag]) => flag), ...addressWords(address).slice(1, 2)]
    return { refused: `an address takes one selector, and these are ${names.length}: ${names.join(', ')}` }
  }
  if (first === undefined) return address
  const selector: Selector | NoAddress = parseSelector(first[0], first[1] ?? '')
  return 'refused' in selector ? selector : { ...address, selector }
}

/** Prints why a verb does not answer. */
export function refuse(io: Io, verb: string, { refused }: Refusal): number {
  io.err(`ctx ${verb}: ${refused}\n`)
  return EXIT.usage
}

/** Adds an answer to the ledger, as a debit. A ledger that cannot be written holds nothing up. */
export function bookAnswer(io: Io, verb: string, of: string | undefined, text: string): void {
  const caller = callerOf(io.env)
  const row = rowOf({
    ...(of === undefined ? {} : { of }),
    ts: new Date().toISOString(),
    host: caller.host,
    session: caller.session,
    family: verb,
    raw: { bytes: 0, tokens: 0 },
    cap: hostCapOf(caller.host, 0),
    delivered: { bytes: 0, tokens: 0 },
    retrieved: { bytes: Buffer.byteLength(text), tokens: tokensOf(text) },
    method: 'retrieval',
  })
  book(row, ledgerFile(io.env, homeOf(io.env)))
}
