/** AppleScript: texts for a shell, and the Finder's deletes. */
import type { Doing } from '../commands/doing.ts'
import { type Arg, concat, exact, unknown, type Value } from '../core/value.ts'
import { type Lexing, lex, quoted, type Special, type Token } from './lexer.ts'

const lexing: Lexing = {
  lineComments: ['--', '#'],
  blockComments: [['(*', '*)']],
  name: /[\p{L}_][\p{L}\p{N}_]*/uy,
  operators: ['&', '=', '≠'],
  special: (source, at): Special | undefined =>
    source[at] === '"' ? { t: 'string', ...quoted(source, at + 1, { close: '"', escapes: 'all' }) } : undefined,
}

/** Words joined by `&` from a token on: strings are known, anything else is not. */
function joinedFrom(tokens: readonly Token[], from: number): Value {
  let all: Value = exact('')
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i]!
    if (token.t === 'newline' || ['with', 'without', 'as', ')'].includes(token.text)) break
    if (token.text === '&' || token.text === '(') continue
    all = concat(
      all,
      token.t === 'string'
        ? exact((token.pieces ?? []).map((piece) => (piece.is === 'text' ? piece.text : '')).join(''))
        : unknown('variable'),
    )
  }
  return all
}

/** What an AppleScript does. */
export function readAppleScript(source: string, _args: readonly Arg[]): readonly Doing[] {
  const tokens = lex(source, lexing)
  if (tokens === undefined) return [{ do: 'opaque', what: 'applescript program', note: 'too-long' }]
  const doings: Doing[] = []
  tokens.forEach((token, i) => {
    const [second, third] = [tokens[i + 1], tokens[i + 2]]
    if (token.t !== 'name') return
    if (
      token.text === 'do' &&
      (second?.text === 'shell' || second?.text === 'script') &&
      (third?.text === 'script' || third?.t === 'string')
    )
      doings.push({ do: 'code', language: 'sh', text: joinedFrom(tokens, third.t === 'string' ? i + 2 : i + 3) })
    else if (token.text === 'delete') doings.push({ do: 'path', act: 'delete', at: target(tokens, i), tree: true })
    else if (token.text === 'empty' && /^(the|trash)$/.test(second?.text ?? ''))
      doings.push({ do: 'path', act: 'delete', at: { value: unknown('variable'), span: token }, tree: true })
    else if (token.text === 'run' && second?.text === 'script')
      doings.push({ do: 'opaque', what: 'applescript program', note: 'run script' })
  })
  return doings
}

/** `delete POSIX file "/x"`: the string that follows on the same line. */
function target(tokens: readonly Token[], from: number): Arg {
  for (let i = from + 1; i < tokens.length && tokens[i]!.t !== 'newline'; i++)
    if (tokens[i]!.t === 'string') return { value: joinedFrom(tokens, i), span: tokens[i]!, provenance: 'constant' }
  return { value: unknown('variable'), span: tokens[from]!, provenance: 'constant' }
}
