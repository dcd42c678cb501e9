/** Headers as flat lists of names and values, in the order in which they came; and which of them end at a proxy. */

export type HeaderList = readonly string[]

/** About one connection or meant for the proxy itself. */
const HOP = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'trailers',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])
const OWN = /^(?:proxy-|x-sallyport-)/
/** Named in `Connection` these would change what the message is: such a mention is ignored. */
const KEPT = new Set(['host', 'content-length', 'cookie', 'authorization'])

export function* pairs(list: HeaderList): Generator<readonly [string, string]> {
  for (let i = 0; i + 1 < list.length; i += 2) yield [list[i]!, list[i + 1]!]
}

/** All values of a header. */
export const valuesOf = (list: HeaderList, name: string): readonly string[] => {
  const found: string[] = []
  for (const [key, value] of pairs(list)) if (key.toLowerCase() === name) found.push(value)
  return found
}

/** The list without headers that end here. */
export function endToEnd(list: HeaderList): string[] {
  const named = new Set(
    valuesOf(list, 'connection')
      .flatMap((value) => value.split(','))
      .map((token) => token.trim().toLowerCase())
      .filter((token) => !KEPT.has(token)),
  )
  const out: string[] = []
  for (const [name, value] of pairs(list)) {
    const key = name.toLowerCase()
    if (!HOP.has(key) && !OWN.test(key) && !named.has(key)) out.push(name, value)
  }
  return out
}

/** The list with these headers in place of all that have the same names. Keys in lower case. */
export function withHeaders(
  list: HeaderList,
  set: ReadonlyMap<string, { readonly name: string; readonly value: string }>,
): string[] {
  const out: string[] = []
  for (const [name, value] of pairs(list)) if (!set.has(name.toLowerCase())) out.push(name, value)
  for (const { name, value } of set.values()) out.push(name, value)
  return out
}

/** The list without the headers of these names (lower case). */
export function withoutHeaders(list: HeaderList, ...names: readonly string[]): string[] {
  const out: string[] = []
  for (const [name, value] of pairs(list)) if (!names.includes(name.toLowerCase())) out.push(name, value)
  return out
}
