/** Archives of an environment's files: made for downloads, checked before they are unpacked. */
import { createReadStream } from 'node:fs'
import { posix } from 'node:path'
import { Header, Parser, Pax, type ReadEntry } from 'tar'
import type { EnvironmentFiles, FileEntry } from '../contract.ts'
import { bad } from './shape.ts'

const BLOCK = 512

/** A plain tar of the entries; `base` is cut off their paths. */
export async function* tarOf(
  files: EnvironmentFiles,
  entries: AsyncIterable<FileEntry>,
  base: string,
): AsyncIterable<Uint8Array> {
  for await (const entry of entries) {
    const path = base === '' ? entry.path : posix.relative(base, entry.path)
    const opened = entry.type === 'FILE' ? await files.stream(`/${entry.path}`) : undefined
    if (entry.type === 'FILE' && opened === undefined) continue
    const size = opened?.size ?? 0
    yield headOf(entry, path, size)
    if (opened === undefined) continue
    let sent = 0
    for await (const piece of opened.body) {
      // A file that grows meanwhile: the header has said how long it is.
      const part = piece.subarray(0, size - sent)
      sent += part.length
      if (part.length > 0) yield part
    }
    // One that shrank is filled up, for the same reason.
    yield Buffer.alloc(size - sent + ((BLOCK - (size % BLOCK)) % BLOCK))
  }
  yield Buffer.alloc(2 * BLOCK)
}

function headOf({ type, modified }: FileEntry, path: string, size: number): Uint8Array {
  const isDirectory = type === 'DIRECTORY'
  const data = {
    ...{ path: isDirectory ? `${path}/` : path, size, mtime: new Date(modified) },
    ...({ mode: isDirectory ? 0o755 : 0o644, type: isDirectory ? 'Directory' : 'File' } as const),
  }
  const block = Buffer.alloc(BLOCK)
  const header = new Header(data)
  if (!header.encode(block, 0)) return block
  return Buffer.concat([new Pax({ path: data.path, size, mtime: data.mtime }).encode(), block])
}

export interface Listed {
  readonly path: string
  readonly isDirectory: boolean
}

/** Entries and unpacked bytes of one archive. */
const MOST_ENTRIES = 200_000
const MOST_UNPACKED = 4 * 1024 * 1024 * 1024

/**
 * What a `.tar` or `.tar.gz` on disk holds. Throws `ManagedError` 400 where it is no archive, where an entry or a link leads
 * out of it, or where it holds more than files, directories and links.
 */
export async function listArchive(file: string): Promise<readonly Listed[]> {
  const out: Listed[] = []
  let bytes = 0
  let fault: Error | undefined
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry: ReadEntry) => {
      bytes += entry.size
      fault ??= faultOf(entry, out.length, bytes)
      out.push({ path: entry.path.replace(/\/+$/, ''), isDirectory: entry.type === 'Directory' })
      entry.resume()
    },
  })
  await new Promise<void>((resolve, reject) => {
    const source = createReadStream(file)
    const broken = (error: unknown) => {
      source.destroy()
      reject(
        fault ??
          bad(`The body is no archive that can be read: ${error instanceof Error ? error.message : String(error)}`),
      )
    }
    parser.on('error', broken)
    parser.on('end', resolve)
    source.on('error', broken)
    source.on('data', (piece) => {
      parser.write(piece as Buffer)
      if (fault !== undefined) broken(fault)
    })
    source.on('end', () => parser.end())
  })
  if (fault !== undefined) throw fault
  if (out.length === 0) throw bad('The archive is empty.')
  return out
}

const KINDS = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory', 'SymbolicLink', 'Link'])

function faultOf({ path, type, linkpath }: ReadEntry, before: number, bytes: number): Error | undefined {
  if (before >= MOST_ENTRIES) return bad(`The archive has more than ${MOST_ENTRIES} entries.`)
  if (bytes > MOST_UNPACKED) return bad(`The archive unpacks to more than ${MOST_UNPACKED} bytes.`)
  if (!KINDS.has(type)) return bad(`The archive holds '${path}', which is a ${type}.`)
  if (leadsOut(path) || path.split('/').includes('..'))
    return bad(`The archive holds '${path}', which leads out of it.`)
  if (type !== 'SymbolicLink' && type !== 'Link') return undefined
  const target = linkpath ?? ''
  const from = type === 'SymbolicLink' ? posix.join(posix.dirname(path), target) : target
  return target === '' || posix.isAbsolute(target) || leadsOut(from)
    ? bad(`The archive holds the link '${path}' to '${target}', which leads out of it.`)
    : undefined
}

const leadsOut = (path: string): boolean =>
  posix.isAbsolute(path) || path.includes('\0') || posix.normalize(path).split('/')[0] === '..'
