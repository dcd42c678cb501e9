/** What could not be read. We do not guess: an unknown command asks. */
import type { Finding } from '../../core/verdict.ts'
import { finding, type Subject } from '../subject.ts'

interface Unread {
  readonly decision: 'deny' | 'ask'
  readonly say: (what: string, by: string) => string
  readonly safer: string
}

/** Notes of opaque effects, each with what it means for the person who reads the reason. */
const NOTES: ReadonlyMap<string, Unread> = new Map<string, Unread>([
  [
    'unknown-command',
    { decision: 'ask', say: (what) => `the name of the command is unknown: ${what}`, safer: 'write the command out' },
  ],
  [
    'glob-command',
    {
      decision: 'ask',
      say: (what) => `the command is whatever the pattern ${what} matches`,
      safer: 'write the command out',
    },
  ],
  [
    'unknown-code',
    {
      decision: 'ask',
      say: (what, by) => `${by} runs a text that is unknown until it runs (${what})`,
      safer: 'write the code to a file that can be read, then run the file',
    },
  ],
  ['unknown-script', { decision: 'ask', say: (what) => `${what} would run`, safer: 'name the script literally' }],
  [
    'hidden',
    {
      decision: 'ask',
      say: (what) => `the text holds ${what}, so it does not read as it runs`,
      safer: 'write it in plain characters',
    },
  ],
  ['look-alike', { decision: 'ask', say: (what) => `the command is ${what}`, safer: 'write it in plain characters' }],
  [
    'budget',
    {
      decision: 'ask',
      say: (what) => `the call is larger than can be followed (${what})`,
      safer: 'split it into smaller calls',
    },
  ],
  [
    'malformed',
    {
      decision: 'deny',
      say: (what) => `the arguments of the tool do not fit: ${what}`,
      safer: 'send the arguments that the tool documents',
    },
  ],
])

export function reading(subject: Subject): readonly Finding[] {
  const { effect } = subject
  if (effect.act !== 'opaque') return []
  const what = effect.target.is === 'thing' ? effect.target.name : 'code'
  // An image's own program works on what was mounted for it, as any program of the project does.
  if (effect.note === 'mounts' || effect.note === 'made') return []
  const unread = NOTES.get(effect.note ?? '')
  if (unread === undefined) {
    return [
      finding(
        subject,
        'reading',
        effect.note ?? 'opaque',
        'ask',
        `${effect.by} runs something that cannot be read: ${what}`,
        { safer: 'do it in a form that can be read' },
      ),
    ]
  }
  return [
    finding(subject, 'reading', effect.note!, unread.decision, unread.say(what, effect.by), { safer: unread.safer }),
  ]
}
