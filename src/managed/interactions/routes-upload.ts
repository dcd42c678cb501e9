/** `/upload/…/environments/{id}/files/{path}`: uploads in one piece or resumable, by both protocols. */
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import type { EnvironmentFiles, FileEntry } from '../contract.ts'
import { ManagedError } from '../contract.ts'
import { flagOf } from './answers.ts'
import { type Listed, listArchive } from './archive.ts'
import { type Target, targetOf } from './paths.ts'
import { shownEntry } from './routes-files.ts'
import type { Runtime } from './runtime.ts'
import { bad } from './shape.ts'
import { type Upload, Uploads } from './uploads.ts'

/** Milliseconds that unpacking may take. */
const UNPACK_MS = 120_000
/** Entries of an archive that the answer names, as many as a page of a list. */
const MOST_NAMED = 1_000

export function uploadRoutes(runtime: Runtime): Hono {
  const uploads = new Uploads(runtime.state)
  const routes = new Hono()
  routes.put('/environments/:id/files/*', async (c) => {
    const target = await targetOf(c, runtime)
    const [extract, overwrite] = [flagOf(c, 'extract'), flagOf(c, 'overwrite')]
    if (target.path === '' && !extract) throw bad('Name the file to write.')
    if (!extract && !overwrite) await mustBeFree(target, target.path)
    const upload = uploads.begin({ environment: target.environment, path: target.path, extract, overwrite })
    const url = `${new URL(c.req.url).origin}${new URL(c.req.url).pathname.replace(/\/environments\/.*$/, '')}/sessions/${upload.id}`
    const command = c.req.header('x-goog-upload-command') ?? ''
    if (/\bstart\b/.test(command) && !/\bfinalize\b/.test(command))
      return c.json({}, 200, { 'x-goog-upload-url': url, 'x-goog-upload-status': 'active' })
    if (c.req.query('uploadType') === 'resumable') return c.json({}, 200, { location: url })
    try {
      await uploads.add(upload, 0, bodyOf(c))
      mustBeWhole(c, upload)
      return c.json(await finish(runtime, upload))
    } finally {
      await uploads.end(upload.id)
    }
  })
  routes.post('/sessions/:session', async (c) => {
    const upload = uploads.get(c.req.param('session'))
    const words = (c.req.header('x-goog-upload-command') ?? '').split(/[\s,]+/)
    const received = { 'x-goog-upload-size-received': String(upload.size) }
    if (words.includes('query')) return c.json({}, 200, { 'x-goog-upload-status': 'active', ...received })
    if (words.includes('cancel')) {
      await uploads.end(upload.id)
      return c.json({}, 200, { 'x-goog-upload-status': 'cancelled' })
    }
    if (words.includes('upload'))
      await uploads.add(upload, Number(c.req.header('x-goog-upload-offset') ?? Number.NaN), bodyOf(c))
    else if (!words.includes('finalize'))
      throw bad("Header 'x-goog-upload-command': it takes upload, finalize, query or cancel.")
    if (!words.includes('finalize'))
      return c.json({}, 200, { 'x-goog-upload-status': 'active', 'x-goog-upload-size-received': String(upload.size) })
    const done = await ending(uploads, upload, runtime)
    return c.json(done, 200, { 'x-goog-upload-status': 'final' })
  })
  routes.put('/sessions/:session', async (c) => {
    const upload = uploads.get(c.req.param('session'))
    const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(c.req.header('content-range') ?? '')
    if (range === null) throw bad("Header 'content-range': it takes 'bytes FROM-TO/TOTAL' or 'bytes */TOTAL'.")
    const [, from, to, total] = range
    if (from !== undefined) {
      await uploads.add(upload, Number(from), bodyOf(c))
      if (upload.size !== Number(to) + 1) throw bad(`The body does not end at byte ${to}.`)
    }
    if (total === '*' || upload.size < Number(total))
      return c.body(null, 308 as 200, upload.size === 0 ? {} : { range: `bytes=0-${upload.size - 1}` })
    return c.json(await ending(uploads, upload, runtime))
  })
  return routes
}

/** An upload in one piece that says which bytes it is must be all of them. Throws `ManagedError` 400. */
function mustBeWhole(c: Context, { size }: Upload): void {
  const said = c.req.header('content-range')
  if (said === undefined) return
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(said) ?? []
  if (Number(from) !== 0 || Number(to) + 1 !== size || (total !== '*' && Number(total) !== size))
    throw bad(
      `Header 'content-range': '${said}' does not tell of the ${size} bytes of the body; a file in pieces begins with uploadType=resumable.`,
    )
}

async function ending(uploads: Uploads, upload: Upload, runtime: Runtime): Promise<Unpacked> {
  try {
    return await finish(runtime, upload)
  } finally {
    await uploads.end(upload.id)
  }
}

async function* bodyOf(c: Context): AsyncIterable<Uint8Array> {
  const stream = c.req.raw.body
  if (stream !== null) yield* stream as unknown as AsyncIterable<Uint8Array>
}

async function mustBeFree({ files }: Pick<Target, 'files'>, path: string): Promise<void> {
  if ((await files.stat(`/${path}`)) !== undefined)
    throw new ManagedError(409, 'aborted', 'Requested entity already exists')
}

/** Puts a whole upload where it belongs; the answer lists what is there now. */
async function finish(runtime: Runtime, upload: Upload): Promise<Unpacked> {
  const { environment, path, overwrite } = upload
  const files = await runtime.environments.files(environment)
  // An upload of no bytes has no file yet.
  await (await open(upload.file, 'a', 0o600)).close()
  if (upload.extract) return unpack(runtime, upload)
  await files.write(`/${path}`, createReadStream(upload.file), overwrite)
  const entry = await files.stat(`/${path}`)
  return { files: entry === undefined ? [] : [shownEntry(entry)] }
}

interface Unpacked {
  readonly files: readonly unknown[]
  /** How many entries the archive had, where not all are named. */
  readonly file_count?: string
}

/** Unpacks inside the sandbox, after everything in the archive was checked. */
async function unpack(runtime: Runtime, { environment, path, overwrite, file }: Upload): Promise<Unpacked> {
  const { environments } = runtime
  const files = await environments.files(environment)
  const listed = await listArchive(file)
  if (!overwrite) await mustAllBeFree(files, listed, path)
  const into = `/${path}`
  const parcel = posix.join(into, `.upload-${randomBytes(8).toString('hex')}`)
  await files.write(parcel, createReadStream(file), false)
  try {
    const flags = ['--extract', '--no-same-owner', '--no-same-permissions', '--file', parcel, '--directory', into]
    const end = await environments.run(environment, {
      ...{ argv: ['tar', ...flags], cwd: '/', timeout: UNPACK_MS, outputLimit: 64 * 1024 },
    })
    if (end.exit !== 0)
      throw bad(`The archive could not be unpacked: ${end.why ?? new TextDecoder().decode(end.stderr).trim()}`)
  } finally {
    await files.remove(parcel)
  }
  const out: FileEntry[] = []
  for await (const { path: inner } of inTurns(listed.slice(0, MOST_NAMED))) {
    const entry = await files.stat(`/${posix.join(path, inner)}`)
    if (entry !== undefined) out.push(entry)
  }
  return {
    files: out.map(shownEntry),
    ...(listed.length > MOST_NAMED ? { file_count: String(listed.length) } : {}),
  }
}

/** No file of the archive may be there. What lies below a directory that is missing is missing too, and not looked for. */
async function mustAllBeFree(files: EnvironmentFiles, listed: readonly Listed[], path: string): Promise<void> {
  const there = new Map<string, boolean>()
  for await (const { path: inner, isDirectory } of inTurns(listed)) {
    if (isDirectory) continue
    const at = posix.join(path, inner)
    const directory = posix.dirname(at)
    let known = there.get(directory)
    if (known === undefined) {
      known = (await files.stat(`/${directory}`)) !== undefined
      there.set(directory, known)
    }
    if (known) await mustBeFree({ files }, at)
  }
}

/** Looks at files hold everybody up: others get their turn between some. */
async function* inTurns<T>(all: readonly T[]): AsyncGenerator<T> {
  for (const [index, one] of all.entries()) {
    if (index % 100 === 99) await setImmediate()
    yield one
  }
}
