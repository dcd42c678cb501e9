/** What a GraphQL request changes: the fields of its mutations, told by their names. */
import { showValue, type Value } from '../core/value.ts'

/** Longer requests are not looked through. */
const MOST_TEXT = 100_000

/** Words in the name of a field after which something is gone. */
const ENDS = /^(?:delete|destroy|drop|purge|wipe|truncate|terminate|erase)$/

/** What people say to each other, and marks on it: of one's own, and small. */
const TALK = /^(?:comments?|reactions?|labels?|stars?|drafts?|notifications?|messages?|likes?|bookmarks?)$/

/** The fields that a request's mutations call, and those of them that take something of others away. */
export interface Mutations {
  readonly called: readonly string[]
  readonly ending: readonly string[]
}

/**
 * The mutations in the body of a request, JSON around the query or the query itself. What is not known of it is left
 * out: a variable's value is no field.
 */
export function mutationsIn(body: Value): Mutations {
  const texts = body.is === 'oneOf' ? body.texts : [showValue(body)]
  const called = [...new Set(texts.flatMap((text) => queries(text).flatMap(fields)))]
  return { called, ending: called.filter(ends) }
}

function ends(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
  return words.some((word) => ENDS.test(word)) && !words.some((word) => TALK.test(word))
}

/** The texts in a body that hold a mutation. */
function queries(text: string): readonly string[] {
  if (text.length > MOST_TEXT || !/\bmutation\b/.test(text)) return []
  try {
    const found: string[] = []
    JSON.parse(text, (_, value) => {
      if (typeof value === 'string' && /\bmutation\b/.test(value)) found.push(value)
      return value
    })
    return found
  } catch {
    return [text.replaceAll('\\n', '\n').replaceAll('\\"', '"')]
  }
}

/** Names of the fields right below each `mutation … {`, aliases taken off. */
function fields(query: string): readonly string[] {
  const out: string[] = []
  for (const start of query.matchAll(/\bmutation\b/g)) {
    let depth = 0
    let round = 0
    const token = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|@\s*\w+|[A-Za-z_]\w*(\s*:)?|[{}()[\]]/g
    token.lastIndex = start.index + 'mutation'.length
    for (let found = token.exec(query); found !== null; found = token.exec(query)) {
      const [text, alias] = found
      if (text === '{') depth++
      else if (text === '}') depth--
      else if (text === '(' || text === '[') round++
      else if (text === ')' || text === ']') round--
      else if (depth === 1 && round === 0 && alias === undefined && /^\w/.test(text)) out.push(text)
      if (text === '}' && depth <= 0) break
    }
  }
  return out
}
