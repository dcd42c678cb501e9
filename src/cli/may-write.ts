/** What may be written in a repository with tickets, as `sallyport adlc status` tells people. */
import { type AdlcRepo, type CurrentTicket, scopeMatcher } from '../adlc/adlc.ts'
import { compileGlob } from '../paths/glob.ts'
import { POSIX } from '../paths/lexical.ts'
import type { Policy } from '../policy/policy.ts'

interface MayWrite {
  readonly scope: readonly string[]
  /** Rails that lie in the scope and stay frozen all the same. */
  readonly except: readonly string[]
  /** With its full stop. */
  readonly sentence: string
}

interface Facts {
  readonly repo: AdlcRepo
  readonly current: CurrentTicket
  /** One clause about a present ticket that is not there. */
  readonly missing: string | undefined
  readonly policy: Policy
}

/** `env`: the variables that make a worker of a session. */
export function mayWrite(facts: Facts, env: Readonly<Record<string, string | undefined>>): MayWrite {
  const { repo, current } = facts
  const nothing = (sentence: string): MayWrite => ({ scope: [], except: [], sentence })
  if (env['AGB_WORKER_MODE']) return nothing('This is a read-only worker: it may write nothing.')
  if (repo.unreadable !== undefined) return nothing('Nothing may be written here until the tickets can be read.')
  if (current.is === 'unclear') return nothing(`Which ticket this is about is unclear: ${current.why}.`)
  if (current.is === 'none' || current.from !== 'AGB_WORKER_TICKET') return ofPerson(facts)
  const ticket = repo.tickets.find(({ id }) => id === current.id)
  if (!ticket) return nothing(`The ticket ${current.id} is not in the store: its worker may write nothing.`)
  if (!ticket.scope?.length) return nothing(`The ticket ${current.id} has no scope: its worker may write nothing.`)
  const except = frozenIn(repo, scopeMatcher(ticket, repo.root, POSIX))
  return { scope: ticket.scope, except, sentence: `The worker of ${current.id} may write in its scope.` }
}

/** A person's session: a scope, of the present ticket or of the policy, is what goes without a question. */
function ofPerson({ repo, current, missing, policy }: Facts): MayWrite {
  const all = 'No worker runs here: all but what is frozen may be written'
  const free = (more?: string): MayWrite => ({
    scope: ['**'],
    except: repo.rails.map(({ text }) => text),
    sentence: `${[all, ...(more === undefined ? [] : [more])].join('; ')}.`,
  })
  const ticket = current.is === 'ticket' ? repo.tickets.find(({ id }) => id === current.id) : undefined
  const own = ticket?.scope ?? []
  if (policy.scope === undefined && own.length === 0) {
    return free(missing ?? (ticket && `the ticket ${ticket.id} has no scope, so none is checked`))
  }
  const whose = [...(own.length > 0 ? [`of ${ticket!.id}`] : []), ...(policy.scope ? ['of the policy'] : [])].join(
    ' and ',
  )
  const level = policy.families.scope ?? 'ask'
  if (policy.profile === 'adlc') return free(`the profile adlc does not look at the scope ${whose}`)
  if (level === 'off') return free(`the policy switches off that the scope ${whose} is looked at`)
  const outside =
    policy.profile === 'observe'
      ? 'what is written outside it is recorded, and nothing is refused'
      : level === 'deny'
        ? 'outside it writing is refused'
        : 'outside it a person is asked first'
  const globs = policy.scope ?? []
  const matchers = globs.map(({ glob, base }) => compileGlob(glob, base, { ...POSIX, closed: 'none' }))
  const inTicket = scopeMatcher({ scope: own }, repo.root, POSIX)
  const inside = (path: string) => inTicket(path) || matchers.some((matcher) => matcher.matches(path))
  return {
    scope: [...new Set([...own, ...globs.map(({ glob }) => glob)])],
    except: frozenIn(repo, inside),
    sentence: `No worker runs here: all but what is frozen may be written in the scope ${whose}; ${outside}${missing === undefined ? '' : `; ${missing}`}.`,
  }
}

const frozenIn = (repo: AdlcRepo, inside: (path: string) => boolean): readonly string[] =>
  repo.rails
    .filter((rail) => rail.globs.some((glob) => inside(`${repo.root}/${glob.replace(/\/\*\*$/, '')}`)))
    .map(({ text }) => text)
