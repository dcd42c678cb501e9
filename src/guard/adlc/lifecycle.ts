/** The life of a ticket: which commands end or change one, whatever way the program is started. */
import type { Finding } from '../../core/verdict.ts'
import { type Limits, stage } from './facts.ts'

const VERBS: ReadonlySet<string> = new Set(
  'complete archive update edit discard restore store reassign prune migrate sync close delete'.split(' '),
)

const PROGRAM = /^(?:adlc|adlc-tickets|agb)(?:\.[cm]?[jt]s)?$/
const PACKAGE = /^@adlc\/cli(?:@.*)?$/

const baseOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

const startsTicketCommand = (word: string): boolean =>
  (word.includes('adlc') || word.includes('agb')) && (PROGRAM.test(baseOf(word)) || PACKAGE.test(word))

export interface TicketCommand {
  readonly verb: string
  readonly authorized: boolean
}

/** What a command's words do to tickets, or undefined. A word that is not known is undefined. */
export function ticketCommand(words: readonly (string | undefined)[]): TicketCommand | undefined {
  const start = words.findIndex((word) => word !== undefined && startsTicketCommand(word))
  if (start < 0) return undefined
  const authorized = words.includes('--authorize')
  const rest = words.slice(start + 1).filter((word) => word === undefined || !word.startsWith('-'))
  if (/^adlc-tickets/.test(baseOf(words[start]!)) && rest[0] !== undefined && VERBS.has(rest[0]))
    return { verb: rest[0], authorized }
  for (const [i, word] of rest.entries()) {
    const joined = word === undefined ? undefined : /^tickets?-([a-z]+)$/.exec(word)?.[1]
    if (joined !== undefined && VERBS.has(joined)) return { verb: joined, authorized }
    if (word !== 'ticket' && word !== 'tickets') continue
    // The value of an option may stand between them.
    const verb = rest.slice(i + 1, i + 3).find((next) => next !== undefined && VERBS.has(next))
    if (verb !== undefined) return { verb, authorized }
    if (rest[i + 1] === 'create') return { verb: 'create', authorized }
  }
  return undefined
}

const SAFER = 'ask the person to do it; an agent makes tickets with `adlc ticket create` and leaves their end to people'

/** The finding for a ticket command in an ADLC repository; undefined where it may pass. */
export function ticketFinding(command: TicketCommand, limits: Limits): Finding | undefined {
  if (command.verb === 'create') {
    return limits === 'R'
      ? stage('ticket', 'deny', 'this worker may only read, and `ticket create` makes a ticket')
      : undefined
  }
  const said = `\`ticket ${command.verb}\` changes what is frozen`
  if (!command.authorized) return stage('ticket', 'deny', `${said}, and a person has not authorized it`, SAFER)
  return limits === 'int'
    ? stage('ticket', 'ask', said, SAFER)
    : stage('ticket', 'deny', `${said}, which a worker may not`, SAFER)
}
