/** `protoc`: each language has an option of its own that names the directory of its files. */
import { textOf } from '../../core/value.ts'
import type { Doing, Reader } from '../doing.ts'
import { cutArg, parseArgs, specify } from '../options.ts'
import { onEach, pure } from '../parts.ts'
import { into, onPath } from '../row.ts'

const PROTOC = specify(
  '-I|--proto_path: -o|--descriptor_set_out:write --dependency_out:write --plugin: --encode: --decode:',
)
const OUT = /^--(?!descriptor_set|dependency)[a-z_0-9-]+_out(?:=|$)/

/** `--go_out=[options:]DIR`, also as two words; a name with an ending is an archive. */
export const protoc: Reader = pure((call) => {
  const doings: Doing[] = []
  const rest = call.args.filter((arg, i) => {
    const text = textOf(arg.value) ?? ''
    const behind =
      OUT.test(textOf(call.args[i - 1]?.value) ?? '') && !(textOf(call.args[i - 1]?.value) ?? '').includes('=')
    if (!behind && !(OUT.test(text) && text.includes('='))) return !OUT.test(text)
    const value = behind ? arg : cutArg(arg, text.indexOf('=') + 1)
    // A drive is no list of options.
    const options = /^(?![A-Za-z]:[\\/]).*?:/s.exec(textOf(value.value) ?? '')?.[0].length ?? 0
    const at = cutArg(value, options)
    doings.push(/\.(?:zip|jar|srcjar)$/.test(textOf(at.value) ?? '') ? onPath('write', at) : into(at))
    return false
  })
  const parsed = parseArgs(PROTOC, rest)
  for (const name of ['-o', '--dependency_out']) doings.push(...onEach('write', parsed.values.get(name) ?? []))
  return [...doings, ...onEach('read', parsed.operands)]
})
