/**
 * Words to values, as bash expands them: braces, tilde, parameters, substitutions, arithmetic, splitting, patterns.
 * Everything that is not in the text comes from `ShellEnv`; what is not known stays unknown.
 */
import type { Asking } from '../core/question.ts'
import { type Arg, exact, type Provenance, unknown, type Value } from '../core/value.ts'
import { evaluateBody, runSubscripts } from './expand-arithmetic.ts'
import { allFields } from './fields.ts'
import { type Expanding, mostFields, piecesOf, valueOfPieces } from './pieces.ts'
import type { Script, Word } from './tree.ts'

export { matchPattern, takesHidden } from './pattern.ts'

/** What expansion needs to know of the shell that runs the line. */
export interface ShellEnv {
  /** A parameter by name, `?`, `$`, `!`, `-`, `#` and `0` included. */
  variable(name: string): Asking<Value | 'unset'>
  /** `$1` and on; undefined where they are not known. */
  positional(): readonly Value[] | undefined
  /** `${x:=y}`, `$((x = 1))`. */
  assign(name: string, value: Value): void
  /** What `$(…)` prints; trailing newlines may stay. `source`: the text that the script's spans index. */
  command(script: Script, source: string): Asking<Value>
  /** The path that `<(…)` or `>(…)` becomes. */
  process(script: Script, direction: '<' | '>', source: string): Asking<Value>
  /** Home of a user; '' is `$HOME`, `+` and `-` are `$PWD` and `$OLDPWD`. */
  homeOf(user: string): Asking<Value>
  /** `${x:?}` of a variable that is surely unset: the shell stops here. */
  stops?(): void
}

/** An argument that may also not be there at all: an unquoted variable that is empty on some branch. */
export interface Field extends Arg {
  readonly maybe?: true
}

const begin = (env: ShellEnv, source: string): Expanding => ({
  env,
  source,
  memo: new Map(),
  subscripts: new Set(),
  ifs: undefined,
})

/** Runs the commands in the subscripts of a name that a builtin takes (`unset 'a[$(cmd)]'`). */
export function* runNamesIn(text: string, env: ShellEnv, source: string): Asking<void> {
  yield* runSubscripts(text, begin(env, source))
}

/**
 * Expands words to arguments. Unquoted texts are split on `$IFS` and their pattern characters count; an unquoted
 * expansion that is empty gives no argument; one that is not known gives one unknown argument.
 */
export function* expandFields(words: readonly Word[], env: ShellEnv, source: string): Asking<Field[]> {
  const out: Field[] = []
  for (const word of words) {
    const expanding = begin(env, source)
    const first = word.parts[0]
    if (first?.is === 'brace') {
      if (first.alternatives) {
        for (const parts of first.alternatives)
          out.push(...(yield* fieldsOfWord(parts, word, expanding, out.length === 0)))
      } else {
        yield* piecesOf(first.inside ?? [], expanding, 'text', false)
        out.push({ value: unknown('budget'), span: word.span, provenance: 'unknown' })
      }
    } else out.push(...(yield* fieldsOfWord(word.parts, word, expanding, out.length === 0)))
    if (out.length > mostFields) {
      out.length = mostFields
      out.push({ value: unknown('budget'), span: word.span, provenance: 'unknown' })
    }
  }
  return out
}

/** `parts`: those of the word, or of one alternative of its braces. */
function* fieldsOfWord(parts: Word['parts'], word: Word, expanding: Expanding, command: boolean): Asking<Field[]> {
  const pieces = yield* piecesOf(parts, expanding, 'fields', false)
  const fields = yield* allFields(pieces, expanding, command)
  return fields.map(({ value, written, maybe }) => ({
    value,
    span: word.span,
    provenance: provenanceOf(value, written && parts === word.parts),
    ...(maybe && { maybe }),
  }))
}

function provenanceOf(value: Value, written: boolean): Provenance {
  if (value.is === 'unknown' || value.is === 'partly') return 'unknown'
  if (value.is === 'glob' && value.parts.some((part) => part.is === 'any')) return 'unknown'
  return written ? 'literal' : 'constant'
}

/**
 * Expands a word to one text, with neither splitting nor patterns: values of assignments, targets of redirections,
 * here-documents, here-strings, the word of `case`.
 */
export function* expandText(word: Word, env: ShellEnv, source: string): Asking<Value> {
  const expanding = begin(env, source)
  return valueOfPieces(yield* piecesOf(word.parts, expanding, 'text', false), 'text')
}

/** Expands the pattern of a `case`: an exact text, or a glob whose stars match slashes, too. */
export function* expandPattern(word: Word, env: ShellEnv, source: string): Asking<Value> {
  const expanding = begin(env, source)
  return valueOfPieces(yield* piecesOf(word.parts, expanding, 'text', false), 'pattern')
}

/** Computes `((…))`: the number, or unknown. Assignments in it are made. */
export function* expandArithmetic(body: Word, env: ShellEnv, source: string): Asking<Value> {
  const value = yield* evaluateBody(body, begin(env, source))
  return value === undefined ? unknown('arithmetic') : typeof value === 'bigint' ? exact(String(value)) : value
}
