/** Where code that came in came from: so that a person can approve exactly that, and a refusal of it is known again. */
import type { Target } from '../core/effect.ts'
import type { Engine } from './engine.ts'

/** Programs that run what they are given and change nothing in it. */
const RUNS = /^(?:sh|bash|dash|zsh|ksh|sudo|source|\.|eval|node|deno|bun|python[\d.]*|perl|ruby|php|pwsh|powershell)$/
/** Programs that fetch, and options with which they fetch nothing else and from nowhere else. */
const FETCHES = /^(?:curl|wget|http|https|xh)$/
const PLAIN = /^-[fsSLqO]+-?$|^--(?:silent|show-error|fail|location|quiet|https-only)$|^-$/
const ADDRESS = /^(?:https?|ftp):\/\//

/** A name and password in front of a host: no part of where it lies, and not to be written down. */
const USER = /\/\/[^/@\s]*@/g
const withoutUser = (address: string): string => address.replace(USER, '//')

/**
 * The target of running fetched code: the addresses that the line fetches from, and every other command of the line word
 * by word, since it may change what runs. A thing without a name where an address or a word is not known.
 */
export function sourceOf(engine: Engine, label: string): Target {
  const addresses: string[] = []
  const others: string[] = []
  for (const { words } of engine.ran) {
    const [name, ...rest] = words
    if (name === undefined || rest.includes(undefined)) {
      if (name !== undefined && RUNS.test(name)) continue
      return { is: 'thing', name: label }
    }
    const found = rest.filter((word) => ADDRESS.test(word ?? ''))
    addresses.push(...(found as string[]).map(withoutUser))
    const plain = FETCHES.test(name) && rest.every((word) => ADDRESS.test(word ?? '') || PLAIN.test(word ?? ''))
    if (!plain && !(RUNS.test(name) && found.length === 0)) others.push(words.join(' ').replace(USER, '//'))
  }
  if (addresses.length === 0) return { is: 'thing', name: label }
  const beside = others.length === 0 ? '' : ` beside ${others.join(' and ')}`
  return { is: 'remote', service: 'code from', name: `${[...new Set(addresses)].join(' ')}${beside}` }
}
