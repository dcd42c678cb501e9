/** `/environments/{id}/files/…`: lists, tells of and downloads files; and the tar of everything. */
import { type Context, Hono } from 'hono'
import { getMimeType } from 'hono/utils/mime'
import type { FileEntry } from '../contract.ts'
import { flagOf, isoOf, pageOf } from './answers.ts'
import { tarOf } from './archive.ts'
import { entryOf, type Target, targetOf } from './paths.ts'
import { environmentThere } from './prepare.ts'
import type { Runtime } from './runtime.ts'
import { bad } from './shape.ts'

export function fileRoutes(runtime: Runtime): Hono {
  const routes = new Hono()
  const get = async (c: Context) => {
    const target = await targetOf(c, runtime)
    return c.req.query('alt') === 'media' ? await download(c, target) : await list(c, target)
  }
  routes.get('/environments/:id/files', get)
  routes.get('/environments/:id/files/*', get)
  routes.put('/environments/:id/files/*', () => {
    throw bad('Files are uploaded below /upload, as in PUT /upload/v1/environments/{id}/files/{path}.')
  })
  routes.get('/files/:name{environment-.+:download}', async (c) => {
    if (c.req.query('alt') !== 'media') throw bad("Parameter 'alt': it takes 'media' here.")
    const id = c.req.param('name').slice('environment-'.length, -':download'.length)
    await environmentThere(runtime, id)
    const files = await runtime.environments.files(id)
    return tarAnswer(tarOf(files, files.list('/', true), ''), `${id}.tar`)
  })
  return routes
}

async function list(c: Context, target: Target): Promise<Response> {
  const recursive = flagOf(c, 'recursive')
  if (target.path !== '') {
    const entry = await entryOf(target)
    if (entry.type === 'FILE') return c.json({ files: [shownEntry(entry)] })
  }
  const all: FileEntry[] = []
  for await (const entry of target.files.list(`/${target.path}`, recursive)) all.push(entry)
  all.sort((a, b) => (a.path < b.path ? -1 : 1))
  const { items, next } = pageOf(c, all)
  return c.json({ files: items.map(shownEntry), ...next })
}

async function download(c: Context, target: Target): Promise<Response> {
  const { path, files } = target
  const entry = path === '' ? undefined : await entryOf(target)
  if (entry?.type !== 'FILE') {
    const entries = files.list(`/${path}`, flagOf(c, 'recursive'))
    return tarAnswer(tarOf(files, entries, path), `${path.split('/').at(-1) || 'files'}.tar`)
  }
  const opened = await files.stream(`/${path}`)
  if (opened === undefined) return c.json({ error: { code: 'not_found', message: `Path '${path}' is gone.` } }, 404)
  return new Response(ReadableStream.from(opened.body), {
    headers: {
      'content-type': getMimeType(entry.name) ?? 'application/octet-stream',
      'content-length': String(opened.size),
      // A file of an environment is never a page of this server.
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    },
  })
}

const tarAnswer = (body: AsyncIterable<Uint8Array>, name: string): Response =>
  new Response(ReadableStream.from(body), {
    headers: {
      'content-type': 'application/x-tar',
      'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`,
    },
  })

/** An entry as the contract shows it. */
export const shownEntry = ({ name, path, type, size, created, modified }: FileEntry) => ({
  ...{ name, path, type, size_bytes: String(size) },
  ...(type === 'FILE' ? { mime_type: getMimeType(name) ?? 'application/octet-stream' } : {}),
  ...{ created: isoOf(created), modified: isoOf(modified) },
})
