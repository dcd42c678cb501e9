/** Files by the classes of .NET: `[IO.File]::Delete("x")`, `[IO.StreamWriter]::new("x")`. */
import type { Doing } from '../commands/doing.ts'
import type { PathAct } from '../core/effect.ts'
import { type Arg, textOf } from '../core/value.ts'

/** What a static method, or a constructor, of these classes does. `type` and `method` in lower case, without `System.`. */
export function fileCall(type: string, method: string, args: readonly Arg[]): readonly Doing[] {
  const [first, second] = args
  if (first === undefined || !/^io\.(?:file|directory|streamwriter|filestream)$/.test(type)) return []
  if (second && (method === 'move' || method === 'replace'))
    return [{ do: 'move', from: [first], to: second, into: 'no' }]
  if (second && method === 'copy') return [{ do: 'copy', from: [first], to: second, tree: false, into: 'no' }]
  const act = actOf(type, method, args)
  if (act === undefined) return []
  return [
    { do: 'path', act, at: first, ...(act === 'delete' && type === 'io.directory' && second ? { tree: true } : {}) },
  ]
}

/** What reads a program of PowerShell, as far as an object's making needs it. */
interface Reading {
  readonly source: string
  at: number
  blanks(lines: boolean): void
  args(depth: number): readonly Arg[]
  word(depth: number, plain: boolean): Arg
}

const NEW_STREAM = /^new-object\b(?=[^;|\r\n]{0,200}?\bio\.(?:streamwriter|filestream)\b)/i

/**
 * `New-Object IO.StreamWriter 'x'`, with the arguments in brackets, behind `-ArgumentList` or plain: what the constructor is
 * given. Reads on to the end of the command; undefined where no such thing begins here.
 */
export function newStream(reader: Reading, depth: number): { readonly type: string; readonly args: Arg[] } | undefined {
  const rest = () => reader.source.slice(reader.at, reader.at + 240)
  const head = NEW_STREAM.exec(rest())
  if (head === null) return undefined
  reader.at += head[0].length
  let [type, name] = ['', '']
  const args: Arg[] = []
  for (;;) {
    reader.blanks(false)
    const c = reader.source[reader.at]
    if (c === undefined || /[\n;|)}]/.test(c)) return { type, args }
    const before = reader.at
    const parameter = /^-([a-z]+):?/i.exec(rest())
    const plain = type === '' && !name.startsWith('a') ? /^(["']?)(?:system\.)?([a-z][\w.]*)\1/i.exec(rest()) : null
    const group = /^@?\(/.exec(rest())
    if (parameter) {
      reader.at += parameter[0].length
      name = parameter[1]!.toLowerCase()
    } else if (plain) {
      reader.at += plain[0].length
      type = plain[2]!.toLowerCase()
      name = ''
    } else if (group) {
      reader.at += group[0].length
      args.push(...reader.args(depth + 1))
    } else if (c === ',') reader.at++
    else if (name === '' || name.startsWith('a')) args.push(reader.word(depth + 1, true))
    else reader.word(depth + 1, true)
    if (reader.at === before) reader.at++
  }
}

/** Acts of the static methods of files and directories; who opens one by mode may only read. */
function actOf(type: string, method: string, args: readonly Arg[]): PathAct | undefined {
  if (method === 'delete') return 'delete'
  if (type === 'io.filestream' || method === 'open')
    return args.some(({ value }) => /^read$/i.test(textOf(value) ?? '')) ? 'read' : 'edit'
  if (/^set\w+$/.test(method)) return 'mode'
  if (/^(?:writeall|create$|createtext|openwrite|new$)/.test(method)) return 'write'
  if (method.startsWith('append')) return 'append'
  return /^(?:readall|openread|opentext|readlines)/.test(method) ? 'read' : undefined
}
