/** Where sources may be put, and how large they may be. */
import { posix } from 'node:path'
import { ManagedError, type Source } from '../contract.ts'
import { SYSTEM_NAMES } from './layout.ts'
import { MIB } from './limits.ts'

const MOST_INLINE = MIB
const MOST_INLINE_TOGETHER = 2 * MIB

/** The refusal of the source at `index`, as the API answers it. */
export const sourceError = (index: number, why: string): ManagedError =>
  new ManagedError(400, 'invalid_request', `sources[${index}]: ${why}`)

/** The absolute path that a target names; relative ones start at the root. Throws ManagedError 400. */
export function targetOf(target: string, index: number): string {
  const shown = JSON.stringify(target)
  if (target.includes('\0')) throw sourceError(index, 'target cannot hold a NUL')
  if (target.split('/').includes('..'))
    throw sourceError(index, `target ${shown} leaves its directory by "..", which is refused`)
  const path = posix.resolve('/', target)
  if (path === '/') throw sourceError(index, `target ${shown} is the root; a directory or file below it must be named`)
  if (SYSTEM_NAMES.has(path.split('/')[1]!))
    throw sourceError(index, `target ${shown} belongs to the system and is read-only`)
  return path
}

/** The bytes of an inline source. Throws ManagedError 400. */
export function inlineBytes(source: Extract<Source, { type: 'inline' }>, index: number): Buffer {
  if (source.encoding !== undefined && source.encoding !== 'base64')
    throw sourceError(index, `encoding ${JSON.stringify(source.encoding)} is not known; base64 is`)
  if (source.encoding === undefined) return Buffer.from(source.content)
  const compact = source.content.replace(/[\r\n]/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 === 1)
    throw sourceError(index, 'content is not base64')
  return Buffer.from(compact, 'base64')
}

/** Checks everything that can be known before anything is made. Throws ManagedError 400 naming the source. */
export function checkSources(sources: readonly Source[]): void {
  let together = 0
  sources.forEach((source, index) => {
    if (typeof source.target !== 'string' || source.target === '') throw sourceError(index, 'target is missing')
    targetOf(source.target, index)
    if (source.type === 'inline') {
      if (typeof source.content !== 'string') throw sourceError(index, 'content is missing')
      const size = inlineBytes(source, index).length
      together += size
      if (size > MOST_INLINE)
        throw sourceError(index, `content has ${size} bytes; an inline source may have ${MOST_INLINE}`)
      if (together > MOST_INLINE_TOGETHER)
        throw sourceError(index, `the inline sources together exceed ${MOST_INLINE_TOGETHER} bytes`)
    } else if (source.type === 'repository') checkRepository(source.source, index)
    else if (source.type === 'gcs') bucketOf(source.source, index)
    else
      throw sourceError(
        index,
        `type ${JSON.stringify((source as { type: unknown }).type)} is not known; inline, repository and gcs are`,
      )
  })
}

/** Only https, and no credentials in the address: they would end in the clone's configuration. */
function checkRepository(address: string, index: number): void {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || url.protocol !== 'https:') throw sourceError(index, 'source must be an https address')
  if (url.username !== '' || url.password !== '')
    throw sourceError(
      index,
      'source holds a user name or password; an allowlist entry with a credential or transform is the way',
    )
  if (url.search !== '' || url.hash !== '') throw sourceError(index, 'source must be a plain https address')
}

export interface BucketPath {
  readonly bucket: string
  /** Name of an object, or a prefix; may be empty. */
  readonly path: string
}

/** `gs://bucket/path`. Throws ManagedError 400. */
export function bucketOf(address: string, index: number): BucketPath {
  const match =
    typeof address === 'string' ? /^gs:\/\/([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])(?:\/(.*))?$/.exec(address) : null
  if (match === null) throw sourceError(index, 'source must look like gs://bucket/path')
  return { bucket: match[1]!, path: match[2] ?? '' }
}
