/**
 * Reads plain requests ("Run `ls` using code_execution, then read /workspace/a.txt") into tool calls, in their order.
 * What it does not understand it leaves out. Pure.
 */
import type { Arguments } from '../steps.ts'

export interface Wanted {
  readonly name: string
  readonly args: Arguments
}

/** A span that is quoted in the request: its text is taken as it is. */
interface Quoted {
  readonly text: string
  /** The word behind an opening fence. */
  readonly language?: string
}

/** Stands for the quoted span `n` while the text around it is read. */
const MARK = /\u0001(\d+)\u0001/

const QUOTES =
  /```([\w+-]*)[ \t]*\n([\s\S]*?)\n?```|`([^`\n]+)`|"([^"\n]*)"|(?<![\w'])'((?:[^'\n]|(?<=\w)'(?=\w))*)'(?!\w)/g

/** Words that begin a wish. */
const VERBS =
  'run|execute|create|write|save|append|read|view|open|show|display|print|cat|list|delete|remove|replace|summari[sz]e'

/** Where one wish ends and the next begins. */
const BETWEEN = new RegExp(
  `[;\\n]+|[.!?](?=\\s|$)|,?\\s*\\b(?:and\\s+)?(?:then|afterwards|after that|finally)\\b,?|,?\\s+and\\s+(?=(?:immediately\\s+)?(?:${VERBS})\\b)|,\\s+(?=(?:immediately\\s+)?(?:${VERBS})\\b)`,
  'gi',
)

/** A fence on the line behind a colon belongs to what is before it. */
const COLON = /:[ \t]*\n\s*(?=\u0001)/g

/** `run the following bash command: LINE`: all of the line is meant, whatever stands in it. */
const SAID =
  /\b(?:run|execute)\b(?:[ \t]+[a-z0-9]+){1,5}[ \t]*:[ \t]*(?=[^\s\u0001])([^\n\u0001]+?)(?=(?:(?<=\w)\.)?[ \t]*(?:\n|$))/gi

export interface Reading {
  /** Calls that a request asks for, in order. */
  readonly calls: readonly Wanted[]
  /** What asks for something too, but could not be read, in the words of the request. */
  readonly unread: readonly string[]
}

/** Reads a request. */
export function readingOf(request: string): Reading {
  const quoted: Quoted[] = []
  const marked = request.replace(
    QUOTES,
    (_, language?: string, fence?: string, code?: string, two?: string, one?: string) => {
      quoted.push({
        text: fence ?? code ?? two ?? one ?? '',
        ...(language ? { language: language.toLowerCase() } : {}),
      })
      return ` \u0001${quoted.length - 1}\u0001 `
    },
  )
  const text = marked.replace(SAID, (all: string, line: string) => {
    quoted.push({ text: line.trimEnd() })
    return `${all.slice(0, all.length - line.length)} \u0001${quoted.length - 1}\u0001 `
  })
  const out: Wanted[] = []
  const unread: string[] = []
  let last: string | undefined
  for (const clause of text.replace(COLON, ': ').split(BETWEEN)) {
    const wanted = clauseOf(clause, quoted, last)
    if (wanted === undefined && asks(clause)) unread.push(spoken(clause, quoted))
    // "read it and summarize it" is one look.
    if (wanted === undefined || (wanted.name === 'view_file' && isSame(wanted, out.at(-1)))) continue
    out.push(wanted)
    const path = wanted.args['path']
    if (typeof path === 'string' && wanted.name !== 'list_dir') last = path
  }
  return { calls: out, unread }
}

/** Words that ask for something to be done; to show or to sum up what was read takes no tool. */
const DOES = /\b(?:run|execute|create|write|save|append|list|delete|remove|replace|read|open)\b/i

function asks(clause: string): boolean {
  const verb = DOES.exec(clause)
  return verb !== null && !NEGATED.test(clause.slice(0, verb.index))
}

const spoken = (clause: string, quoted: readonly Quoted[]): string =>
  clause
    .replace(/\s*\u0001(\d+)\u0001/g, (_, at: string) => ` \`${quoted[Number(at)]!.text}\``)
    .replace(/\s+/g, ' ')
    .trim()

const isSame = (one: Wanted, other: Wanted | undefined): boolean =>
  one.name === other?.name && one.args['path'] === other.args['path']

/** In front of the verb: what must not be done is not done. */
const NEGATED = /\b(?:not|never|cannot|without|avoid|\w+n['’]t)\b[^\u0001]*$/i

/** What one clause asks for. `last`: the path that "it" stands for. */
function clauseOf(clause: string, quoted: readonly Quoted[], last: string | undefined): Wanted | undefined {
  const verb = new RegExp(`\\b(${VERBS})\\b`, 'i').exec(clause)
  if (verb === null || NEGATED.test(clause.slice(0, verb.index))) return undefined
  const rest = clause.slice(verb.index + verb[0].length)
  const of = (text: string) => spanOf(text, quoted)
  switch (verb[1]!.toLowerCase()) {
    case 'run':
    case 'execute':
      return runOf(rest, of, last)
    case 'create':
    case 'write':
    case 'save':
      return writeOf(rest, of, quoted)
    case 'replace':
      return replaceOf(rest, quoted, last)
    // There is no tool for it.
    case 'append':
      return undefined
    case 'list':
      return { name: 'list_dir', args: { path: pathIn(rest, quoted) ?? '/workspace' } }
    case 'delete':
    case 'remove': {
      const path = pathIn(rest, quoted) ?? itOf(rest, last)
      return path === undefined ? undefined : { name: 'delete_file', args: { path } }
    }
    default: {
      const path = pathIn(rest, quoted) ?? itOf(rest, last)
      return path === undefined ? undefined : { name: 'view_file', args: { path } }
    }
  }
}

type Span = (text: string) => Quoted | undefined

/** The first quoted span of a text. */
function spanOf(text: string, quoted: readonly Quoted[]): Quoted | undefined {
  const at = MARK.exec(text)?.[1]
  return at === undefined ? undefined : quoted[Number(at)]
}

const itOf = (text: string, last: string | undefined): string | undefined =>
  /\b(?:it|that file)\b/i.test(text) ? last : undefined

/**
 * A path, quoted or bare. Bare ones begin with a slash or a dot, or hold a slash or an ending; what ends a sentence is no part
 * of them.
 */
function pathIn(text: string, quoted: readonly Quoted[]): string | undefined {
  for (const word of text.split(/\s+/)) {
    const span = spanOf(word, quoted)
    if (span !== undefined && isPath(span.text)) return span.text
    const bare = word.replace(/[.,:;!?)]+$/, '')
    if (/^\.{0,2}\//.test(bare) || (BARE.test(bare) && !/^(?:e\.g|i\.e|\d+\.\d+)$/i.test(bare))) return bare
  }
  return undefined
}

/** `notes.txt`, `src/main.c`, `src/`; no address. */
const BARE = /^(?=[^:]*$)[\w@~+-][\w.@~+-]*(?:\/[\w.@~+-]*)*(?<=\/[\w.@~+-]*|\.[A-Za-z]\w{0,7})$/

const isPath = (text: string): boolean => /^[^\s]*[/.][^\s]*$/.test(text)

const LANGUAGES: Readonly<Record<string, string>> = {
  python: 'python',
  python3: 'python',
  py: 'python',
  node: 'node',
  javascript: 'node',
  js: 'node',
}

function runOf(rest: string, of: Span, last: string | undefined): Wanted | undefined {
  const span = of(rest)
  const file = span === undefined ? itOf(rest, last) : undefined
  if (file !== undefined) return { name: 'code_execution', args: { code: startOf(file), language: 'bash' } }
  const bare = rest
    .replace(/\b(?:using|with|via|in|inside)\b.*$/is, '')
    .replace(/^\s*(?:(?:the\s+)?command\s+)?:?\s*/i, '')
    .trim()
  // "run the tests" names no command.
  if (span === undefined && /^(?:an?|the|this|that|these|those|it|my|your|our|all|some|any|every)\b/i.test(bare))
    return undefined
  const code = span?.text ?? bare
  if (code === '' || /\u0001/.test(code)) return undefined
  const said = /\b(python3?|node|javascript)\b(?=\s+(?:code|program|script|snippet|command)|[^\u0001]*$)/i.exec(
    span === undefined ? '' : rest.replace(/\u0001\d+\u0001/g, ' '),
  )?.[1]
  const language = LANGUAGES[span?.language ?? said?.toLowerCase() ?? ''] ?? 'bash'
  return { name: 'code_execution', args: { code, language } }
}

/** The command line that runs a file, by its ending. */
function startOf(path: string): string {
  const word = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
  const program = { py: 'python3', js: 'node', mjs: 'node', cjs: 'node' }[/\.(\w+)$/.exec(path)?.[1] ?? ''] ?? 'bash'
  return `${program} ${word}`
}

/** `PATH containing TEXT`, `a file PATH with the content TEXT`, `TEXT to PATH`. */
function writeOf(rest: string, of: Span, quoted: readonly Quoted[]): Wanted | undefined {
  const [, head, tail] =
    /^([\s\S]*?)\s(?:containing|that (?:says|contains)|with (?:the )?(?:following )?(?:contents?|text)(?: of)?|:)\s*:?\s*([\s\S]*)$/i.exec(
      rest,
    ) ?? []
  if (head !== undefined && tail !== undefined) {
    const path = pathIn(head, quoted)
    const content = of(tail)?.text ?? tail.trim()
    return path === undefined ? undefined : { name: 'write_to_file', args: { path, content } }
  }
  const [, what, where] = /^([\s\S]*?)\s(?:in)?to\s([\s\S]*)$/i.exec(rest) ?? []
  const content = what === undefined ? undefined : of(what)?.text
  const path = where === undefined ? undefined : pathIn(where, quoted)
  return content === undefined || path === undefined ? undefined : { name: 'write_to_file', args: { path, content } }
}

/** `TEXT with TEXT in PATH`. */
function replaceOf(rest: string, quoted: readonly Quoted[], last: string | undefined): Wanted | undefined {
  const [, target, replacement, where] =
    /\u0001(\d+)\u0001\s+(?:with|by)\s+\u0001(\d+)\u0001([\s\S]*)$/i.exec(rest) ?? []
  if (target === undefined || replacement === undefined) return undefined
  const path = pathIn(where ?? '', quoted) ?? itOf(where ?? '', last)
  if (path === undefined) return undefined
  return {
    name: 'replace_file_content',
    args: {
      path,
      target_content: quoted[Number(target)]!.text,
      replacement_content: quoted[Number(replacement)]!.text,
    },
  }
}
