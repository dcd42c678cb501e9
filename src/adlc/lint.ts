/** What is wrong in the tickets of a repository, for people. */
import { type Asking, ask } from '../core/question.ts'
import { join, type PathSense } from '../paths/lexical.ts'
import { isPlain, unescaped } from '../paths/pattern.ts'
import type { AdlcRepo } from './model.ts'
import type { Rail } from './rails.ts'
import { widthOf } from './validity.ts'

export interface LintRow {
  /** `closed`: freezes everything until it is mended. `taken`: malformed, and taken for something. `nothing`: a name that
   * nothing has, where something else is meant. `wide`: freezes more than its ticket can mean. `scope`: adds nothing.
   * `store`: no ticket can be read. */
  readonly what: 'closed' | 'taken' | 'nothing' | 'wide' | 'scope' | 'store'
  /** The rail or scope entry as written; absent for the store. */
  readonly text?: string
  readonly tickets: readonly string[]
  readonly file: string
  /** What the text is taken for. */
  readonly globs?: readonly string[]
  /** One sentence. */
  readonly message: string
}

/** Everything that is malformed in the active tickets of a repository, in the order of its rails. */
export function* lintRepo(repo: AdlcRepo, sense: PathSense): Asking<readonly LintRow[]> {
  const out: LintRow[] = []
  if (repo.unreadable !== undefined) {
    const file = repo.store.is === 'unreadable' ? repo.store.path : repo.dir
    out.push({ what: 'store', tickets: [], file, message: `The tickets cannot be read: ${repo.unreadable}.` })
  }
  for (const rail of repo.rails) {
    const { text, tickets, file, globs, problem, notes } = rail
    const base = { text, tickets, file }
    if (problem !== undefined) {
      out.push({ ...base, what: 'closed', message: `The rail ${problem}; until then everything is frozen.` })
      continue
    }
    const other = yield* meantOtherwise(rail, repo.root, sense)
    if (other !== undefined) {
      out.push({ ...base, what: 'nothing', message: `The rail ${other}; it is taken for a name, and nothing has it.` })
      continue
    }
    const named = yield* namedPlace(rail, repo.root, sense)
    const said = [...notes, ...(named === undefined ? [] : [`names ${named}, which a pattern does not`])]
    if (said.length === 0) continue
    const taken = globs.map((glob) => `\`${glob}\``).join(' and ')
    const message = `The rail ${said.join(' and ')}; it is taken for ${taken}${named === undefined ? '' : ' by the letter too'}.`
    out.push({ ...base, what: 'taken', globs, message })
  }
  for (const { id, file, active, rails, scope } of repo.tickets) {
    if (!active) continue
    for (const text of rails) {
      const message = widthOf({ rails: [text], scope }, sense)
      const known = out.some((row) => row.what === 'closed' && row.text === text)
      if (message !== undefined && !known) {
        out.push({ what: 'wide', text, tickets: [id], file, message: message.replace('would freeze', 'freezes') })
      }
    }
    for (const text of scope ?? []) {
      const why = scopeFault(text)
      if (why)
        out.push({ what: 'scope', text, tickets: [id], file, message: `The scope entry ${why}, so it adds nothing.` })
    }
  }
  return out
}

function scopeFault(text: string): string | undefined {
  if (text.trim() === '') return 'is empty'
  if (/^\s*[#!]/.test(text)) return 'begins with # or !'
  if (text.startsWith('/')) return 'begins with a slash, which leads out of the repository'
  if (text.split('/').includes('..')) return 'climbs with ..'
  return undefined
}

/** What people write who mean something that no rail says, each with a clause. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/^~/, 'begins with ~, which stands for no home directory here'],
  [/^\$|^%\w+%/, 'begins with a variable, which nobody puts in here'],
  [/^[A-Za-z][\w+.-]*:/, 'begins with a scheme or a drive'],
  [/^[^{}]*[,;][^{}]*$/, 'holds several paths; each is a rail of its own'],
  [/^[\w./-]+\.\w+\s+[\w.-]+\/[\w./-]*$/, 'holds several paths; each is a rail of its own'],
]

/** A clause where a rail plainly means something else and nothing has its first name. */
function* meantOtherwise({ text, globs }: Rail, root: string, sense: PathSense): Asking<string | undefined> {
  const why = MEANT.find(([pattern]) => pattern.test(text.trim()))?.[1]
  if (why === undefined) return undefined
  for (const glob of globs) {
    const segments = glob.split('/')
    const at = segments.findIndex((segment) => /[,;\s]/.test(segment))
    const name = segments.slice(0, Math.max(at, 0) + 1).map(unescaped)
    if ((yield* ask('stat', { path: join(root, name.join('/'), sense.flavour) })) !== 'absent') return undefined
  }
  return why
}

/** What exists under a name that is a pattern to a glob, as frameworks name routes (`[slug]`, `+page@(app).ts`). */
function* namedPlace(rail: Rail, root: string, sense: PathSense): Asking<string | undefined> {
  for (const glob of rail.globs) {
    const segments = glob.split('/')
    const at = segments.findIndex((segment) => !isPlain(segment))
    if (at < 0 || !/[[(]/.test(segments[at]!) || /[{}]/.test(segments[at]!)) continue
    const name = segments
      .slice(0, at + 1)
      .map(unescaped)
      .join('/')
    const stat = yield* ask('stat', { path: join(root, name, sense.flavour) })
    if (typeof stat === 'object') return name
  }
  return undefined
}
