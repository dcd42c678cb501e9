/** Secrets: their content is refused by any route; names and existence pass. */
import { SETTING_NAMES } from '../../commands/setting-names.ts'
import type { Target } from '../../core/effect.ts'
import type { GlobPart } from '../../core/value.ts'
import type { Finding } from '../../core/verdict.ts'
import { matchPattern } from '../../shell/expand.ts'
import type { Place } from '../locate.ts'
import { movedFrom, type Overlay } from '../overlay.ts'
import { KEPT } from '../perform-files.ts'
import { finding, type Subject, type Tools } from '../subject.ts'

/** Names that files with secrets have, for patterns that are not looked up (`find . -name '.env*'`). */
const USUAL = ['.env', '.env.local', '.env.production', 'id_rsa', 'id_ed25519', 'credentials', '.netrc', '.npmrc']
const USUAL_MORE = ['.pgpass', '.git-credentials', 'x.pem', 'x.key', 'x.p12', 'x.pfx']

/** Text that a pattern must hold before it can be said to mean secrets: `*` means everything, `*env*` much else. */
const LEAST_TEXT = 3

/** Whether a pattern of any depth is one for files with secrets, by the name it asks for. */
function meansSecrets(place: Place, tools: Tools): boolean {
  const parts = place.pattern ?? []
  const slash = parts.findLastIndex((part) => part.is === 'text' && part.text.includes('/'))
  const last = parts
    .slice(Math.max(slash, 0))
    .map((part): GlobPart => {
      return part.is === 'text' ? { is: 'text', text: part.text.slice(part.text.lastIndexOf('/') + 1) } : part
    })
    .filter((part) => part.is !== 'text' || part.text !== '')
  const known = last.map((part) => (part.is === 'text' ? part.text : '')).join('')
  const end = last.at(-1)
  if (known.length < LEAST_TEXT || !(last[0]?.is === 'text' || (end?.is === 'text' && end.text.startsWith('.'))))
    return false
  if (last.some((part) => part.is === 'any' || part.is === 'deep')) return false
  return [...USUAL, ...USUAL_MORE].some(
    (name) =>
      known.length * 2 >= name.length &&
      matchPattern(last, name) &&
      ['', '/.ssh', '/.aws'].some((dir) => tools.zones(`${place.path}${dir}/${name}`).has('secret')),
  )
}

/** Whether a path that ends so holds secrets, in whichever directory or home it lies. */
const endsSecret = (end: string, tools: Tools): boolean =>
  [tools.context.home, ...tools.workspaces].some((dir) => tools.zones(`${dir}${end}`).has('secret'))

/** What a process was started with. */
const ENVIRON = /^\/proc\/(?:\d+|self|thread-self)\/environ$/

/** Whether a pattern below /proc picks what processes were started with; what lies there is not looked up. */
function picksEnviron(target: Target): boolean {
  if (target.is !== 'path' || target.pattern === undefined || !/^\/proc(?:\/|$)/.test(target.path)) return false
  const slash = target.pattern.findLastIndex((part) => part.is === 'text' && part.text.includes('/'))
  const last = target.pattern.slice(Math.max(slash, 0)).flatMap((part): readonly GlobPart[] => {
    if (part.is !== 'text') return [part]
    const text = part.text.slice(part.text.lastIndexOf('/') + 1)
    return text === '' ? [] : [{ is: 'text', text }]
  })
  return matchPattern(last, 'environ')
}

/** Files of settings, one `NAME=value` a line: their names may be shown. */
const SETTINGS = /(?:^|[/\\])\.env(?:\.[\w.-]+)?$/

const SAFER =
  'work with the names of the settings, or with the sample file; ask the person for what you need of the value'

const TEST = 'test whether it is set: [ -n "$NAME" ]'

/** Acts that put something into a file. */
const WRITES: ReadonlySet<string> = new Set(['write', 'append', 'create', 'edit'])

export function secrets(subject: Subject, tools: Tools): readonly Finding[] {
  const { effect } = subject
  const out: Finding[] = []
  if (effect.act === 'reveal' && effect.note === 'value') {
    const name = effect.target.is === 'unknown' ? 'a secret' : 'name' in effect.target ? effect.target.name : 'a secret'
    out.push(finding(subject, 'secrets', 'value', 'deny', `${effect.by} shows ${name}`, { safer: TEST }))
  } else if (effect.act === 'reveal') {
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
  if (WRITES.has(effect.act) && effect.from?.includes('secret')) {
    for (const place of subject.places)
      if (!place.zones.has('secret') && !place.zones.has('device'))
        out.push(
          finding(
            subject,
            'secrets',
            'written',
            'deny',
            `the value of a secret would be written to ${tools.show(place.path)}, where it can be read`,
            { safer: SAFER },
          ),
        )
  }
  if (effect.act !== 'read') return out
  const environ = picksEnviron(effect.target)
    ? 'what the pattern picks'
    : subject.located.is === 'unresolved' && ENVIRON.test(subject.located.what)
      ? subject.located.what
      : undefined
  if (environ !== undefined) {
    out.push(
      finding(subject, 'secrets', 'environment', 'ask', `${environ} holds the whole environment`, {
        safer: SAFER,
      }),
    )
  }
  if (effect.target.is === 'unknown' && effect.target.end !== undefined && endsSecret(effect.target.end, tools))
    out.push(
      finding(
        subject,
        'secrets',
        'file',
        'deny',
        `${effect.target.what} would be shown, a file with secrets wherever it lies`,
        {
          safer: SAFER,
        },
      ),
    )
  for (const place of subject.places) {
    if (place.open && place.path.startsWith('/proc') && place.end?.endsWith('/environ'))
      out.push(
        finding(subject, 'secrets', 'environment', 'ask', 'the environment of a process would be shown', {
          safer: SAFER,
        }),
      )
    const target = () => tools.show(place.path)
    // A file that this line moved is as secret as it was.
    const origin = movedFrom(effect.seen as Overlay | undefined, place.path)
    const moved = origin !== undefined && tools.zones(origin).has('secret')
    const names = effect.note === SETTING_NAMES && SETTINGS.test(place.path)
    if (
      (place.zones.has('secret') || moved) &&
      !names &&
      effect.note !== KEPT &&
      (place.exists || effect.note !== 'copied')
    ) {
      const how =
        effect.note === 'sent'
          ? 'would leave this machine'
          : effect.note === 'git-add'
            ? 'would be committed'
            : effect.note === 'copied'
              ? 'would be copied to where it can be read'
              : 'would be shown'
      out.push(finding(subject, 'secrets', 'file', 'deny', `the content of ${target()} ${how}`, { safer: SAFER }))
    } else if (place.names?.some((name) => tools.zones(name.path).has('secret'))) {
      out.push(finding(subject, 'secrets', 'file', 'deny', `${target()} includes files with secrets`, { safer: SAFER }))
    } else if (place.pattern !== undefined && place.names === undefined && meansSecrets(place, tools)) {
      out.push(
        finding(subject, 'secrets', 'file', 'deny', `the pattern below ${target()} picks files with secrets`, {
          safer: SAFER,
        }),
      )
    }
    const closed = tools.denyRead.find((glob) =>
      place.pattern
        ? glob.mayMatch(place.pattern, `${place.path}/`, { tree: place.tree })
        : glob.matches(place.path) ||
          (origin !== undefined && glob.matches(origin)) ||
          (place.tree && place.kind !== 'file' && glob.mayContain(place.path) && place.exists),
    )
    if (closed)
      out.push(
        finding(
          subject,
          'secrets',
          'deny-read',
          'deny',
          `the policy keeps the content of ${closed.glob} from being read, and ${target()} reaches it`,
          { safer: 'read something else' },
        ),
      )
  }
  return out
}
