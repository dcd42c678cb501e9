/** `npm pkg set KEY=VALUE…`: the manifest as it will be, so that a script set here is what a later step runs. */
import type { Asking } from '../../core/question.ts'
import { type Arg, exact, textOf } from '../../core/value.ts'
import { join } from '../../paths/lexical.ts'
import type { Doing } from '../doing.ts'
import { fileOf, type Manager, projectOf } from './js.ts'
import { fileText } from './project.ts'

/** The edit of the nearest manifest with its new text; undefined where that cannot be told. */
export function* manifestSet(m: Manager, words: readonly Arg[]): Asking<Doing | undefined> {
  const project = yield* projectOf(m)
  if (typeof project === 'string') return undefined
  const found = yield* fileText(join(project.dir, 'package.json', m.flavour))
  if (typeof found === 'string') return undefined
  let manifest: unknown
  try {
    manifest = JSON.parse(found.text)
  } catch {
    return undefined
  }
  if (!isObject(manifest)) return undefined
  for (const arg of words) {
    const text = textOf(arg.value)
    const at = text?.indexOf('=') ?? -1
    if (text === undefined || at < 0 || !put(manifest, text.slice(0, at).split('.'), text.slice(at + 1)))
      return undefined
  }
  const content = { text: exact(`${JSON.stringify(manifest, null, 2)}\n`), taints: [] }
  return { do: 'path', act: 'edit', at: fileOf(m, project.dir, 'package.json'), note: 'lock', content }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sets a value at a dotted key. False: the key leads through something that is no object. */
function put(into: Record<string, unknown>, keys: readonly string[], value: string): boolean {
  let place = into
  for (const key of keys.slice(0, -1)) {
    if (key === '__proto__') return false
    if (!Object.hasOwn(place, key)) place[key] = {}
    const next = place[key]
    if (!isObject(next)) return false
    place = next
  }
  const last = keys.at(-1)!
  if (last === '__proto__') return false
  place[last] = value
  return true
}
