/** What is wrong in the tickets of a repository, for people. */
import { type Asking, ask } from '../core/question.ts'
import { join, type PathSense } from '../paths/lexical.ts'
import { isPlain, unescaped } from '../paths/pattern.ts'
import { strangeKeys } from './keys.ts'
import { type Looking, leadExists, meantOtherwise } from './meant.ts'
import type { AdlcRepo } from './model.ts'
import type { Rail } from './rails.ts'
import { widthOf } from './validity.ts'

export interface LintRow {
  /** `closed`: freezes everything until it is mended. `taken`: malformed, and taken for something. `nothing`: a name that
   * nothing has, where something else is meant. `wide`: freezes more than its ticket can mean. `scope`: adds nothing.
   * `key`: a misspelled key, which means nothing. `store`: no ticket can be read. */
  readonly what: 'closed' | 'taken' | 'nothing' | 'wide' | 'scope' | 'key' | 'store'
  /** The rail, scope entry or key as written; absent for the store. */
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
  const at = { root: repo.root, sense }
  if (repo.unreadable !== undefined) {
    const file = repo.store.is === 'unreadable' ? repo.store.path : repo.dir
    out.push({ what: 'store', tickets: [], file, message: `The tickets cannot be read: ${repo.unreadable}.` })
  }
  for (const rail of repo.rails) {
    const { text, tickets, file, globs, notes } = rail
    const base = { text, tickets, file }
    const dud = yield* dudOf(rail, at)
    if (dud !== undefined) {
      out.push({ ...base, what: dud.what, message: `The rail ${dud.why}.` })
      continue
    }
    const named = yield* namedPlace(rail, repo.root, sense)
    const said = [...notes, ...(named === undefined ? [] : [`names ${named}, which a pattern does not`])]
    if (said.length === 0) continue
    const taken = globs.map((glob) => `\`${glob}\``).join(' and ')
    const more = (yield* leadsNowhere(rail, at)) ? ', and nothing has that name' : ''
    const letter = named === undefined ? '' : ' by the letter too'
    const message = `The rail ${said.join(' and ')}; it is taken for ${taken}${letter}${more}.`
    out.push({ ...base, what: 'taken', globs, message })
  }
  for (const { id, file, active, rails, scope } of repo.tickets) {
    if (!active) continue
    for (const text of rails) {
      const message = widthOf({ rails: [text], scope }, sense)
      const known = out.some((row) => (row.what === 'closed' || row.what === 'nothing') && row.text === text)
      if (message !== undefined && !known) {
        out.push({ what: 'wide', text, tickets: [id], file, message: message.replace('would freeze', 'freezes') })
      }
    }
    for (const text of scope ?? []) {
      const fault = scopeFault(text)
      const other = fault === undefined ? yield* meantOtherwise(text, [text], at) : undefined
      if (fault === undefined && other === undefined) continue
      const message = `The scope entry ${other === undefined ? `${fault}, so it adds nothing` : `${other}; ${NO_NAME}`}.`
      out.push({ what: 'scope', text, tickets: [id], file, message })
    }
  }
  for (const { ticket, file, key, meant } of yield* strangeKeys(repo)) {
    const message = `The key \`${key}\` means nothing; \`${meant}\` is the one that counts.`
    out.push({ what: 'key', text: key, tickets: [ticket], file, message })
  }
  return out
}

/** What a rail is that freezes everything or nothing, with a clause. */
interface Dud {
  readonly what: 'closed' | 'nothing'
  readonly why: string
}

/** The rails of a repository that freeze everything since they cannot be understood, or nothing since they mean no name. */
export function* dudRails(
  { rails, root }: AdlcRepo,
  sense: PathSense,
): Asking<readonly (Dud & { readonly rail: Rail })[]> {
  const out: (Dud & { readonly rail: Rail })[] = []
  for (const rail of rails) {
    const dud = yield* dudOf(rail, { root, sense })
    if (dud !== undefined) out.push({ ...dud, rail })
  }
  return out
}

function* dudOf({ text, globs, problem }: Rail, at: Looking): Asking<Dud | undefined> {
  if (problem !== undefined) return { what: 'closed', why: `${problem}; until then everything is frozen` }
  const other = yield* meantOtherwise(text, globs, at)
  return other === undefined ? undefined : { what: 'nothing', why: `${other}; ${NO_NAME}` }
}

const NO_NAME = 'it is taken for a name, and nothing has it'

function scopeFault(text: string): string | undefined {
  if (text.trim() === '') return 'is empty'
  if (/^\s*[#!]/.test(text)) return 'begins with # or !'
  if (text.startsWith('/')) return 'begins with a slash, which leads out of the repository'
  if (text.split('/').includes('..')) return 'climbs with ..'
  return undefined
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

/** Whether a rail that begins with a slash, as places outside the repository do, is taken for names that do not exist. */
function* leadsNowhere({ text, globs, notes }: Rail, at: Looking): Asking<boolean> {
  if (!text.trim().startsWith('/') || notes.includes('is absolute')) return false
  for (const glob of globs) if (glob === '**' || (yield* leadExists(glob, at))) return false
  return true
}
