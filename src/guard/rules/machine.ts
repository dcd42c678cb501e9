/** Shared state and the machine itself: clouds, clusters, databases, devices, services, processes. */
import { SAVED_FIRST } from '../../commands/backup.ts'
import type { Effect } from '../../core/effect.ts'
import type { Decision, Family, Finding } from '../../core/verdict.ts'
import { CHANGES, finding, type Subject } from '../subject.ts'
import { beside, saidOf } from './machine-words.ts'

/** Notes of `system` effects: what they come to, and why. */
const SYSTEM: ReadonlyMap<string, { readonly family: Family; readonly decision: Decision; readonly why: string }> =
  new Map([
    ['format', { family: 'loss', decision: 'deny', why: 'destroys what is on a disk' }],
    ['device', { family: 'loss', decision: 'deny', why: 'writes over a device' }],
    ['kernel', { family: 'loss', decision: 'deny', why: 'can halt or crash the machine' }],
    ['power', { family: 'infra', decision: 'ask', why: 'stops or restarts the machine' }],
    ['all-processes', { family: 'loss', decision: 'deny', why: 'ends every process' }],
    ['fork-bomb', { family: 'loss', decision: 'deny', why: 'starts processes without end' }],
    ['schedule-all', { family: 'loss', decision: 'deny', why: 'removes every scheduled job' }],
    ['schedule', { family: 'trust-root', decision: 'ask', why: 'makes something run later by itself' }],
    ['service', { family: 'infra', decision: 'ask', why: 'stops or changes a service of the machine' }],
    ['package', { family: 'infra', decision: 'ask', why: 'changes the packages of the machine' }],
    ['account', { family: 'infra', decision: 'deny', why: 'changes accounts of the machine' }],
    ['setting', { family: 'trust-root', decision: 'ask', why: 'changes where packages or programs come from' }],
    ['hijack', { family: 'trust-root', decision: 'deny', why: 'makes other commands run something else' }],
    ['shell', { family: 'remote-code', decision: 'deny', why: 'hands a shell to another machine' }],
    ['reach', { family: 'infra', decision: 'ask', why: 'starts a program that reaches the machine around it' }],
    ['escape', { family: 'infra', decision: 'deny', why: 'leaves the container for the machine around it' }],
  ])

/** Notes of writes that put another entry in the place of the one that is there, instead of writing into it. */
const REPLACING: ReadonlySet<string> = new Set(['move', 'link', SAVED_FIRST])

/** What an act does to a device, where it does not write over it. */
const DEVICE: ReadonlyMap<string, string> = new Map([
  ['delete', 'takes away'],
  ['mode', 'changes the rights of'],
])

function destroys(effect: Effect, local: boolean): string {
  const { by, command, thing } = saidOf(effect)
  if (command !== undefined)
    return `${command} would destroy ${local ? 'what is kept there' : 'what others may depend on'}`
  return `${by} would destroy ${thing || 'what is kept there'}${local ? '' : ', which others may depend on'}`
}

function changes(effect: Effect): string {
  const { by, command, thing } = saidOf(effect)
  return command === undefined
    ? `${by} changes ${thing || 'something'}, which is shared`
    : `${command} changes what is shared`
}

function publishes(effect: Effect): string {
  const { by, command, thing } = saidOf(effect)
  if (effect.note === 'unpublish')
    return `${command ?? `${by} on ${thing || 'a release'}`} takes back what was published`
  return command === undefined ? `${by} publishes ${thing || 'what is here'}` : `${command} makes something public`
}

export function machine(subject: Subject): readonly Finding[] {
  const { effect } = subject
  const { target } = effect
  const local = target.is === 'remote' && target.local === true
  switch (effect.act) {
    case 'destroy':
      return [
        finding(subject, 'infra', 'destroy', local ? 'ask' : 'deny', destroys(effect, local), {
          safer: effect.safer ?? 'show what would go (a plan, a dry run, a listing) and let the person do it',
        }),
      ]
    case 'change':
      return local
        ? []
        : [
            finding(subject, 'infra', 'change', 'ask', changes(effect), {
              safer: effect.safer ?? 'show the plan or the diff first',
            }),
          ]
    case 'publish':
      return [
        finding(
          subject,
          'publish',
          effect.note ?? 'release',
          effect.note === 'unpublish' ? 'deny' : 'ask',
          publishes(effect),
          { safer: 'do a dry run and let the person publish' },
        ),
      ]
    case 'system': {
      const known = SYSTEM.get(effect.note ?? '')
      if (known === undefined)
        return [
          finding(subject, 'infra', 'system', 'ask', beside(`${effect.by} changes the machine`, saidOf(effect).thing)),
        ]
      return [
        finding(
          subject,
          known.family,
          effect.note!,
          known.decision,
          beside(`${effect.by} ${known.why}`, saidOf(effect).thing),
          {
            safer: 'let the person do this',
          },
        ),
      ]
    }
    default:
  }
  if (!CHANGES.has(effect.act)) return []
  const replaces = effect.act === 'delete' || (effect.act === 'write' && REPLACING.has(effect.note ?? ''))
  const streams = replaces ? subject.places.filter((place) => place.zones.has('stream')) : []
  if (streams.length > 0)
    // Who moves something there mostly means to throw it away, and only root can do more.
    return streams.map((place) =>
      finding(
        subject,
        'loss',
        'device',
        effect.act === 'delete' ? 'deny' : 'ask',
        `${effect.by} takes ${place.path} away, which every program relies on`,
        { safer: 'rm what is to go, and > /dev/null for what nobody reads' },
      ),
    )
  return subject.places
    .filter((place) => place.zones.has('device') && effect.act !== 'create')
    .map((place) =>
      finding(
        subject,
        'loss',
        'device',
        'deny',
        `${effect.by} ${DEVICE.get(effect.act) ?? 'writes over'} the device ${place.path}`,
        {
          safer: 'let the person do this',
        },
      ),
    )
}
