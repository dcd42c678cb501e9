/** Texts of rails and scopes that plainly mean something else than the name that they are taken for. */
import { type Asking, ask, type Entry } from '../core/question.ts'
import { compileGlob } from '../paths/glob.ts'
import { foldCase, join, type PathSense } from '../paths/lexical.ts'
import { isPlain, unescaped } from '../paths/pattern.ts'
import { splitLead } from './rails.ts'

/** Names of one directory that are looked through. */
const MOST_NAMES = 10_000

interface Meant {
  readonly when: RegExp | ((text: string) => boolean)
  /** What is odd in a name: the last component that holds it is looked for. Absent: the first component. */
  readonly odd?: RegExp
  /** The first group of `when` must name something that exists. */
  readonly given?: true
  /** A clause. */
  readonly why: string
}

const QUOTE = '"\'`\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb\u2039\u203a'
// Fillers and selectors of variants are letters and marks to Unicode.
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164]|[\ufe00-\ufe0f]|(?! )\p{Zs}|(?![\t\r\n])\p{Cc}/u
const REMARK = 'ends in a remark'
const SEVERAL = 'holds several paths; each is a rail of its own'

/** What people write who mean something that no rail says, each with a clause. */
const MEANT: readonly Meant[] = [
  { when: UNSEEN, odd: UNSEEN, why: 'holds a character that nobody sees' },
  { when: /^[-*+\u2022\u00b7\u2013\u2014]\s+\S/, why: 'begins with the mark of a list' },
  { when: /^\d+[.)]\s+(\S.*)$/, given: true, why: 'begins with the mark of a list' },
  { when: new RegExp(`^\\[\\s*[${QUOTE}]`), odd: /[[\]]/, why: 'is a list that is written as one text' },
  {
    when: new RegExp(`^[${QUOTE}]|[${QUOTE}]$`),
    odd: new RegExp(`[${QUOTE}]`),
    why: 'has quotation marks around it, which belong to no name',
  },
  { when: /[^:]:\d+(?:[:-]\d+)*$|\.\w+#[\w-]+$|#L\d+(?:-L?\d+)?$/, odd: /[:#]/, why: 'ends in the place of a line' },
  { when: /^~/, why: 'begins with ~, which stands for no home directory here' },
  { when: /^\$|^%\w+%/, why: 'begins with a variable, which nobody puts in here' },
  { when: /^[A-Za-z][\w+.-]*:/, why: 'begins with a scheme or a drive' },
  { when: /^@\//, why: 'begins with @/, which stands for no directory here' },
  {
    when: /\{\{[^{},]*\}\}|\$[{(]|<[^<>/]*>|\u2026|(?:^|\/)\.{3,}(?:\/|$)/,
    odd: /\{\{|\$[{(]|[<>\u2026]|^\.{3,}$/,
    why: 'holds a placeholder, which nobody fills in here',
  },
  { when: /\.[A-Za-z]\w*\s+(?:\([^()]*\)$|--|[#\u2013\u2014]|\/\/)/, odd: /\s/, why: REMARK },
  { when: /^(\S.*?)\s+(?:\([^()]*\)$|--?\s|[#\u2013\u2014]|\/\/)/, odd: /\s/, given: true, why: REMARK },
  {
    when: /^\^|\$$|(?<![@+!?*])\([^()]*\|[^()]*\)|\(\?[:=!<]|\[\^\/|\.\+(?:\/|\\|$)/,
    odd: /[\^$|+]|\(\?/,
    why: 'is a regular expression, and rails are globs',
  },
  { when: isOpen, odd: /[{}[\]()]/, why: 'has a bracket without its other half' },
  { when: /^[^(){}]*\|[^(){}]*$/, odd: /\|/, why: SEVERAL },
  { when: /[\t\r\n]/, odd: /[\t\r\n]/, why: SEVERAL },
  { when: /^[^{}]*[,;][^{}]*$/, odd: /[,;]/, why: SEVERAL },
  { when: /^[\w./-]+\.\w+\s+[\w.-]+\/[\w./-]*$/, odd: /\s/, why: SEVERAL },
  { when: /^(\S+)\s+\S/, odd: /\s/, given: true, why: SEVERAL },
]

/** Whether some bracket has no other half, whether or not classes (`[{]`) are read as such: routes are `[[...slug]]`. */
function isOpen(text: string): boolean {
  const bare = text.replace(/\\./gs, '')
  return isUneven(bare) && isUneven(bare.replace(/\[[!^]?\]?[^\]/]*\]/g, ''))
}

function isUneven(text: string): boolean {
  for (const [open, close] of ['{}', '[]', '()'] as const) {
    let depth = 0
    for (const char of text) {
      if (char === open) depth++
      else if (char === close && --depth < 0) return true
    }
    if (depth > 0) return true
  }
  return false
}

export interface Looking {
  readonly root: string
  readonly sense: PathSense
}

/**
 * A clause where a text (as written; `globs`: what it is taken for below the root) plainly means something else and nothing
 * has the name that it is taken for.
 */
export function* meantOtherwise(text: string, globs: readonly string[], at: Looking): Asking<string | undefined> {
  const trimmed = text.trim()
  for (const { when, odd, given, why } of MEANT) {
    const match = typeof when === 'function' ? when(trimmed) : when.exec(trimmed)
    if (!match) continue
    if (given && !(yield* leadExists(match === true ? '' : match[1]!, at))) continue
    for (const glob of globs) if (yield* isThere(glob, odd, at)) return undefined
    return why
  }
  for (const glob of globs) {
    const other = yield* otherCase(glob, at)
    if (other !== undefined) return `names what is \`${other}\` here, and case counts`
  }
  return undefined
}

/** Whether something has the name of a glob, up to the component that is odd. What cannot be found out may be there. */
function* isThere(glob: string, odd: RegExp | undefined, { root, sense }: Looking): Asking<boolean> {
  const segments = glob.split('/')
  const last = odd === undefined ? 0 : segments.findLastIndex((segment) => odd.test(segment))
  const parts = segments.slice(0, Math.max(last, 0) + 1)
  const name = parts.map(unescaped).join('/')
  if ((yield* ask('stat', { path: join(root, name, sense.flavour) })) !== 'absent') return true
  const above = parts.slice(0, -1)
  if (isPlain(parts.at(-1)!) || !above.every(isPlain)) return false
  const dir = above.length === 0 ? root : join(root, above.map(unescaped).join('/'), sense.flavour)
  const { matches } = compileGlob(parts.join('/'), root, { ...sense, closed: 'none' })
  return (yield* namesIn(dir))?.some(({ name: entry }) => matches(join(dir, entry, sense.flavour))) ?? true
}

/** Whether the leading part of a glob without patterns exists; false where there is none. */
export function* leadExists(glob: string, { root, sense }: Looking): Asking<boolean> {
  const lead = splitLead(glob).lead.join('/')
  return lead !== '' && (yield* ask('stat', { path: join(root, lead, sense.flavour) })) !== 'absent'
}

/** The name that exists where a glob's leading part differs from it in case alone, on a system where case counts. */
function* otherCase(glob: string, { root, sense }: Looking): Asking<string | undefined> {
  const { lead } = splitLead(glob)
  if (sense.foldsCase || lead.length === 0 || lead.includes('..')) return undefined
  let dir = root
  for (const [i, name] of lead.entries()) {
    const path = join(dir, name, sense.flavour)
    if ((yield* ask('stat', { path })) === 'absent') {
      const names = yield* namesIn(dir)
      const other = names && foldedOf(names).get(foldCase(name))
      return other === undefined ? undefined : [...lead.slice(0, i), other].join('/')
    }
    dir = path
  }
  return undefined
}

/** Undefined where not all of them could be had. */
function* namesIn(dir: string): Asking<Names | undefined> {
  const listed = yield* ask('list', { dir, limit: MOST_NAMES })
  if (listed === 'absent') return []
  return listed === 'unknown' || listed.cut ? undefined : listed.entries
}

type Names = readonly Pick<Entry, 'name'>[]

/** The first name of each folded one, by the very answer: many rails begin in few directories. */
const folded = new WeakMap<Names, ReadonlyMap<string, string>>()

function foldedOf(names: Names): ReadonlyMap<string, string> {
  let map = folded.get(names)
  if (map === undefined) {
    map = new Map(names.map(({ name }) => [foldCase(name), name] as const).reverse())
    folded.set(names, map)
  }
  return map
}
