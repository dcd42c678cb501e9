/** PowerShell and cmd, whose options are neither POSIX nor GNU. */
import { base64Utf16 } from '../../code/decode.ts'
import { type Arg, exact, textOf, unknown, type Value } from '../../core/value.ts'
import type { Doing, Reader } from '../doing.ts'
import { joined } from '../prefixes/reader.ts'
import { fromStdin } from './common.ts'

/** Parameters that take a value, in full; each may be shortened to any prefix that begins with the marked part. */
const WITH_VALUE = [
  ['executionpolicy', 'ex'],
  ['windowstyle', 'w'],
  ['version', 'v'],
  ['inputformat', 'inp'],
  ['outputformat', 'o'],
  ['psconsolefile', 'psc'],
  ['configurationname', 'config'],
  ['configurationfile', 'configurationf'],
  ['custompipename', 'cus'],
  ['settingsfile', 'settings'],
  ['workingdirectory', 'wo'],
] as const

const isShort = (given: string, full: string, least: string): boolean =>
  full.startsWith(given) && given.startsWith(least)

/** `pwsh -Command TEXT…`, `-EncodedCommand BASE64`, `-File SCRIPT`; a bare word is a file for pwsh, a text for powershell. */
const powershell: Reader = function* (call) {
  const script = (path: Arg, args: readonly Arg[]): Doing => ({ do: 'script', path, language: 'powershell', args })
  const text = (value: Value): Doing => ({ do: 'code', language: 'powershell', text: value })
  for (let i = 0; i < call.args.length; i++) {
    const given = textOf(call.args[i]!.value)
    const rest = call.args.slice(i + 1)
    const name = /^[-/]{1,2}([A-Za-z]+)$/.exec(given ?? '')?.[1]?.toLowerCase()
    if (given === undefined || (name === undefined && given !== '-')) {
      const words = call.args.slice(i)
      return call.base.toLowerCase() === 'pwsh' ? [script(words[0]!, words.slice(1))] : [text(joined(words))]
    }
    if (given === '-') return fromStdin(call, 'powershell')
    if (name === undefined) continue
    if (name === 'help' || name === 'h' || name === '?') return []
    if (isShort(name, 'command', 'c') && name !== 'config') {
      if (textOf(rest[0]?.value) === '-') return fromStdin(call, 'powershell')
      return rest.length === 0 ? [] : [text(joined(rest))]
    }
    if (isShort(name, 'encodedcommand', 'e') || name === 'ec') {
      const code = rest[0]
      if (code === undefined) return []
      const plain = textOf(code.value)
      const decoded = plain === undefined ? undefined : base64Utf16(plain)
      return [text(decoded === undefined ? unknown('budget') : exact(decoded))]
    }
    if (isShort(name, 'file', 'f')) {
      if (textOf(rest[0]?.value) === '-') return fromStdin(call, 'powershell')
      return rest.length === 0 ? [] : [script(rest[0]!, rest.slice(1))]
    }
    if (name === 'wd' || name === 'ep' || WITH_VALUE.some(([full, least]) => isShort(name, full, least))) i++
  }
  return fromStdin(call, 'powershell')
}

/** `cmd /c TEXT…`; `//c` where a POSIX shell would take `/c` for a path. */
const cmd: Reader = function* (call) {
  for (let i = 0; i < call.args.length; i++) {
    const option = /^\/{1,2}([A-Za-z])(.*)$/.exec(textOf(call.args[i]!.value) ?? '')
    if (!option) return []
    if (!/^[ckr]$/i.test(option[1]!)) continue
    const rest = call.args.slice(i + 1)
    const first: readonly Arg[] = option[2] ? [{ ...call.args[i]!, value: exact(option[2]) }] : []
    const words = [...first, ...rest]
    return words.length === 0 ? [] : [{ do: 'code', language: 'cmd', text: joined(words) }]
  }
  return fromStdin(call, 'cmd')
}

export const WINDOWS: Readonly<Record<string, Reader>> = { 'pwsh powershell': powershell, cmd }
