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
