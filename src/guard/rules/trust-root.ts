/** The trust root: settings and hooks of agent hosts, our own places, git hooks, and what starts with the machine. */
import { INTO } from '../../commands/row.ts'
import { type Asking, ask } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import { findBelow } from '../../paths/below.ts'
import { basename, flavourOf } from '../../paths/lexical.ts'
import type { Zone } from '../../paths/zones.ts'
import { CHANGES, finding, isIdle, type Subject, type Tools } from '../subject.ts'

const SAFER = 'ask the person to make this change in a terminal of their own'

/** Settings inside `.git` that name programs and remotes. */
const RUN_BY_GIT = /[/\\]\.git[/\\](?:(?:modules|worktrees)[/\\].+[/\\])?(?:config(?:\.worktree)?|info[/\\]attributes)$/

/** Modes that leave the owner's right to read and take none away from the owner. */
const OPENS = /^(?:[0-7]?[4-7][0-7]{2}|(?:(?:[uago]*\+|g[o]*[-=]|o[-=])[rwxX]*,?)+)$/

/** What commits hang from. */
const HISTORY = /[/\\]\.git[/\\](?:HEAD|index|packed-refs|(?:objects|refs|logs)[/\\].+)$/

const isRoot = (path: string): boolean => /^(?:[A-Za-z]:)?[/\\]?$/.test(path)

const WRITES: ReadonlySet<string> = new Set(['write', 'edit', 'append'])

/** A repository in temp that this line or session makes: its hooks and settings are nobody's but its own. */
function* isOwnScratch(place: Subject['places'][number]): Asking<boolean> {
  if (!place.zones.has('temp') || place.zones.has('project')) return false
  const root = /^(.+?)[/\\]\.git(?:[/\\]|$)/.exec(place.path)?.[1]
  if (root === undefined) return false
  return place.zones.has('created') || (yield* ask('stat', { path: root })) === 'absent'
}

export function* trustRoot(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const { effect, places } = subject
  if (!CHANGES.has(effect.act)) return []
  const out: Finding[] = []
  if (subject.located.is === 'unresolved')
    out.push(...mayMean(subject, subject.located.what.replace(/^\u2026/, ''), tools))
  for (const place of places) {
    if (place.open && place.end !== undefined) out.push(...mayMean(subject, place.end, tools))
    if ((isIdle(effect, place) && effect.note !== INTO) || (yield* isOwnScratch(place))) continue
    const zones = place.zones
    const target = tools.show(place.path)
    if (zones.has('trust-root')) {
      out.push(
        finding(
          subject,
          'trust-root',
          'path',
          'deny',
          `${target} belongs to the guard or to an agent's settings, which no agent may change`,
          { safer: SAFER },
        ),
      )
    } else if (zones.has('persistence')) {
      out.push(
        finding(
          subject,
          'trust-root',
          'persistence',
          'deny',
          `${target} decides what runs at log-in or who may log in`,
          { safer: SAFER },
        ),
      )
    } else if (zones.has('git-dir') && effect.by !== 'git' && effect.act !== 'delete' && RUN_BY_GIT.test(place.path)) {
      out.push(
        finding(subject, 'trust-root', 'git-config', 'ask', `${target} decides what git runs and where it pushes`, {
          safer: 'use git config for the one key',
        }),
      )
    } else if (zones.has('git-dir') && effect.by !== 'git' && WRITES.has(effect.act) && HISTORY.test(place.path)) {
      out.push(
        finding(subject, 'loss', 'git-dir', 'ask', `${target} belongs to git itself, and commits may be lost with it`, {
          safer: 'use a command of git',
        }),
      )
    } else if (effect.act === 'mode' && place.tree && place.zones.has('project') && mends(effect, place, tools)) {
      // The usual mending of modes in a project: whoever owns the settings below can still read them.
    } else if (place.tree && effect.note !== 'unpack' && effect.act !== 'create' && holds(place, 'trust-root', tools)) {
      out.push(
        finding(
          subject,
          'trust-root',
          'holds',
          'deny',
          isRoot(place.path)
            ? `${effect.by} on ${target} covers the whole file system, with the settings of the guard and of agents`
            : `${effect.by} on ${target} would change settings of the guard or of an agent below it`,
          { safer: SAFER },
        ),
      )
    } else if (place.pattern?.[0]?.is === 'any' && (yield* hiddenBelow(place, tools))) {
      out.push(
        finding(
          subject,
          'trust-root',
          'holds',
          'ask',
          `${effect.by} on some of ${target} may change settings of the guard or of an agent`,
          { safer: SAFER },
        ),
      )
    } else if (
      place.names?.some(
        (name) =>
          tools.zones(name.path).has('trust-root') ||
          (place.tree && name.kind === 'dir' && tools.contains(name.path, 'trust-root')),
      )
    ) {
      out.push(
        finding(
          subject,
          'trust-root',
          'holds',
          'deny',
          `${effect.by} on ${target} would change settings of the guard or of an agent`,
          { safer: SAFER },
        ),
      )
    }
  }
  return out
}

/** Owned by the person again, as after a container wrote there as root: `chown -R me:me .` */
const givesBack = ({ by, note = '' }: Subject['effect'], user: string): boolean =>
  by === 'chown' && (note === user || note.startsWith(`${user}:`) || note.startsWith(`${user}.`))

/** A usual mode for a directory of the project; one that is named and hidden holds settings and little else. */
const mends = (effect: Subject['effect'], place: Subject['places'][number], tools: Tools): boolean =>
  (OPENS.test(effect.note ?? '') || givesBack(effect, tools.context.user)) &&
  !basename(place.path, flavourOf(tools.context.platform)).startsWith('.')

/** No path that a system takes is longer. */
const LONGEST_END = 4096

/** A path whose beginning is not known, and whose end is that of the trust root in the home or a workspace. */
function mayMean(subject: Subject, end: string, tools: Tools): readonly Finding[] {
  const from = end.indexOf('/')
  const tail = end.slice(from)
  if (from < 0 || tail.length > LONGEST_END || tail.split('/').length < 3) return []
  const means = [tools.context.home, ...tools.workspaces].some((dir) => tools.zones(dir + tail).has('trust-root'))
  return means
    ? [
        finding(
          subject,
          'trust-root',
          'maybe',
          'ask',
          `a path that ends with ${tail} may belong to the guard or to an agent`,
          {
            safer: 'write the path out',
          },
        ),
      ]
    : []
}

/** Entries looked at below a directory whose files a search chose. */
const MOST_BELOW = 2_000

/** Whether some of a hidden directory, which searches enter only by name, belongs to the trust root. */
function* hiddenBelow(place: Subject['places'][number], tools: Tools): Asking<boolean> {
  const flavour = flavourOf(tools.context.platform)
  if (!basename(place.path, flavour).startsWith('.')) return false
  const found = yield* findBelow(place.path, {
    flavour,
    found: (path) => tools.zones(path).has('trust-root'),
    mayContain: (path) => tools.contains(path, 'trust-root'),
    budget: { entries: MOST_BELOW },
  })
  return found !== 'none'
}

/** Only what is removed, moved or given away as a whole takes the trust root below along. */
const holds = (place: Subject['places'][number], zone: Zone, tools: Tools): boolean =>
  place.pattern === undefined &&
  place.exists &&
  (place.kind === undefined || place.kind === 'dir') &&
  tools.contains(place.path, zone)
