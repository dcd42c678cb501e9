/** The words that a host hands to its model: what part was refused, by which rule, and what to do instead. */
import { PUBLISHED_RAIL, type Verdict } from '../core/verdict.ts'
import type { PolicyError } from '../policy/policy.ts'

/** UTF-16 units: a model pays for each word, and hosts cut longer ones where they like. */
export const MOST_REASON = 600
/** What a reason is cut down to before anything else gives way. */
const LEAST_WHY = 60
/** A safer way that is longer than this leaves no room for what was refused, and is left out whole: half a command is worse than none. */
const MOST_SAFER = 400

const START = 'Sallyport: '
const AGAIN = ' Another spelling of the same effect will be refused, too.'

export interface ReasonExtra {
  readonly policyErrors: readonly PolicyError[]
  /** True where nobody can answer an ask. */
  readonly unattended: boolean
}

/** One paragraph of at most 600 characters for a deny or an ask; empty for a pass. The safer way is never cut. */
export function reasonFor(verdict: Verdict, extra: ReasonExtra): string {
  if (verdict.decision === 'pass') return ''
  // The published wording, which other programs look for as it is.
  if (verdict.rule === PUBLISHED_RAIL) return cutWords(oneLine(verdict.reason), MOST_REASON)
  const became = becameDeny(verdict, extra)
  const head =
    START +
    (became
      ? 'denied, since the session is unattended and this would ask: '
      : verdict.decision === 'ask'
        ? 'asks a person first: '
        : 'denied: ')
  const why = oneLine(verdict.reason.replace(/\s*\(unattended: [^)]*\)$/, '')) || 'a rule refuses this'
  const rule = ` (${oneLine(verdict.rule)}).`
  const way = verdict.safer === undefined ? '' : oneLine(verdict.safer)
  const safer = way === '' || way.length > MOST_SAFER ? '' : ` Instead: ${way}${/[.!?]$/.test(way) ? '' : '.'}`
  const again = verdict.decision === 'ask' && !became ? '' : AGAIN
  const policy = policyNote(extra.policyErrors)

  // The least important goes first: the note on the policy, then the end of the reason, then the repeated warning.
  let tail = rule + safer + again + policy
  if (head.length + LEAST_WHY + tail.length > MOST_REASON) tail = rule + safer + again
  if (head.length + LEAST_WHY + tail.length > MOST_REASON) tail = rule + safer
  if (head.length + LEAST_WHY + tail.length > MOST_REASON) tail = safer === '' ? '.' : `.${safer}`
  return head + cutWords(why, MOST_REASON - head.length - tail.length) + tail
}

/** Whether the verdict would be an ask if somebody were there. */
function becameDeny(verdict: Verdict, extra: ReasonExtra): boolean {
  if (!extra.unattended) return false
  if (verdict.decision === 'ask' || /\(unattended: [^)]*\)$/.test(verdict.reason)) return true
  const decisions = verdict.findings.map((finding) => finding.decision)
  return decisions.includes('ask') && !decisions.includes('deny')
}

function policyNote(errors: readonly PolicyError[]): string {
  const first = errors[0]
  if (first === undefined) return ''
  const place = first.line === undefined ? first.file : `${first.file}:${first.line}`
  return ` Tell the person that their policy has ${errors.length === 1 ? 'an error' : `${errors.length} errors`} (${cutWords(oneLine(`${place}: ${first.message}`), 150)}).`
}

/** Names of files may hold line breaks and control characters, with which they could say something of their own. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** The start of `text` in at most `most` units, ended between two words where there are some. */
export function cutWords(text: string, most: number): string {
  if (text.length <= most) return text
  const room = Math.max(0, most - 1)
  const blank = text.lastIndexOf(' ', room)
  const cut = text.slice(0, blank > room / 2 ? blank : room)
  // Half a surrogate pair is no character.
  const whole = /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
  return `${whole.replace(/[\s,;:]+$/, '')}…`
}
