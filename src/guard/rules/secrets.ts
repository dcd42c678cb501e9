/** Secrets: their content is refused by any route; names and existence pass (`state.md` 15, 26). */
import type { Asking } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import { finding, type Subject, type Tools } from '../subject.ts'

/** What a process was started with. */
const ENVIRON = /^\/proc\/(?:\d+|self|thread-self)\/environ$/

const SAFER =
  'work with the names of the settings, or with the sample file; ask the person for what you need of the value'

// biome-ignore lint/correctness/useYield: rules may ask; this one need not
export function* secrets(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const { effect } = subject
  const out: Finding[] = []
  if (effect.act === 'reveal') {
    const name = effect.target.is === 'thing' || effect.target.is === 'remote' ? effect.target.name : 'secrets'
    const whole = effect.target.is === 'thing' || effect.note === 'environment' || effect.note === 'config'
    out.push(
      finding(
        subject,
        'secrets',
        whole ? 'environment' : 'store',
        whole ? 'ask' : 'deny',
        `${effect.by} shows ${name}`,
        { safer: 'ask for the one value by name, or for names only' },
      ),
    )
  }
  if (effect.act === 'send') {
    const taint = effect.from?.find((from) => from === 'environment' || from === 'secret')
    if (taint)
      out.push(
        finding(
          subject,
          'secrets',
          'sent',
          'deny',
          `${effect.by} sends ${taint === 'environment' ? 'the environment' : 'a secret'} to another machine`,
          { safer: SAFER },
        ),
      )
  }
  if (effect.act !== 'read') return out
  if (subject.located.is === 'unresolved' && ENVIRON.test(subject.located.what)) {
    out.push(
      finding(subject, 'secrets', 'environment', 'ask', `${subject.located.what} holds the whole environment`, {
        safer: SAFER,
      }),
    )
  }
  for (const place of subject.places) {
    const target = tools.show(place.path)
    if (place.zones.has('secret') && (place.exists || effect.note !== 'copied')) {
      const how =
        effect.note === 'sent'
          ? 'would leave this machine'
          : effect.note === 'copied'
            ? 'would be copied to where it can be read'
            : 'would be shown'
      out.push(finding(subject, 'secrets', 'file', 'deny', `the content of ${target} ${how}`, { safer: SAFER }))
    } else if (place.names?.some((name) => tools.zones(name.path).has('secret'))) {
      out.push(finding(subject, 'secrets', 'file', 'deny', `${target} includes files with secrets`, { safer: SAFER }))
    }
    const closed = tools.denyRead.find((glob) =>
      place.pattern
        ? glob.mayMatch(place.pattern, `${place.path}/`, { tree: place.tree })
        : glob.matches(place.path) ||
          (place.tree && place.kind !== 'file' && glob.mayContain(place.path) && place.exists),
    )
    if (closed)
      out.push(
        finding(
          subject,
          'secrets',
          'deny-read',
          'deny',
          `the policy keeps the content of ${closed.glob} from being read, and ${target} reaches it`,
          { safer: 'read something else' },
        ),
      )
  }
  return out
}
