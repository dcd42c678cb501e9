import { readFileSync } from 'node:fs'

declare const __SALLYPORT_VERSION__: string | undefined

/** Our version: built in, or read from the checkout. */
export function version(): string {
  if (typeof __SALLYPORT_VERSION__ === 'string') return __SALLYPORT_VERSION__
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version as string
}
