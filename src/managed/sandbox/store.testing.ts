/** A small object store and a small git server, for tests of sources. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Bucket = Readonly<Record<string, Buffer>>

export interface StoreOptions {
  readonly buckets: Readonly<Record<string, Bucket>>
  /** Buckets that want this value of Authorization. */
  readonly guarded?: Readonly<Record<string, string>>
  /** Objects whose content differs from their hash. */
  readonly broken?: ReadonlySet<string>
  readonly pageSize?: number
}

/** The two calls of the JSON interface that a copy needs: listing by prefix with pages, and reading with ranges. */
export const objectStore =
  (options: StoreOptions): RequestListener =>
  (req, res) => {
    const url = new URL(req.url ?? '/', 'https://store')
    const match = /^\/storage\/v1\/b\/([^/]+)\/o(?:\/([^/]+))?$/.exec(url.pathname)
    const bucket = match === null ? undefined : options.buckets[decodeURIComponent(match[1]!)]
    if (match === null || bucket === undefined) return json(res, 404, { error: { code: 404 } })
    const wanted = options.guarded?.[match[1]!]
    if (wanted !== undefined && req.headers.authorization !== wanted) return json(res, 401, { error: { code: 401 } })
    if (match[2] === undefined) return json(res, 200, page(bucket, url.searchParams, options.pageSize ?? 1000))
    const name = decodeURIComponent(match[2])
    const content = bucket[name]
    if (content === undefined || url.searchParams.get('generation') !== '7') return json(res, 404, {})
    const sent = options.broken?.has(name) === true ? Buffer.alloc(content.length, 'x') : content
    const range = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '')
    if (range === null) return void res.writeHead(200, { 'content-length': sent.length }).end(sent)
    const part = sent.subarray(Number(range[1]), Number(range[2]) + 1)
    res.writeHead(206, { 'content-length': part.length }).end(part)
  }

function page(bucket: Bucket, query: URLSearchParams, size: number): object {
  const names = Object.keys(bucket)
    .filter((name) => name.startsWith(query.get('prefix') ?? ''))
    .sort()
  const from = Number(query.get('pageToken') ?? 0)
  const next = from + Math.min(size, Number(query.get('maxResults')))
  return {
    items: names.slice(from, next).map((name) => ({
      name,
      size: String(bucket[name]!.length),
      generation: '7',
      md5Hash: createHash('md5').update(bucket[name]!).digest('base64'),
    })),
    ...(next < names.length ? { nextPageToken: String(next) } : {}),
  }
}

function json(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export interface GitServer {
  readonly answer: RequestListener
  close(): void
}

/** Serves `/repo.git` and, for those who send `authorization`, `/private.git`, and `/large.git` with a file of 3 MB. */
export function gitServer(authorization: string): GitServer {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-git-'))
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
  }
  const git = (cwd: string, ...words: string[]) => execFileSync('git', words, { cwd, env, stdio: 'pipe' })
  for (const name of ['repo', 'private', 'large']) {
    const work = join(directory, `${name}-work`)
    mkdirSync(join(work, '.agents'), { recursive: true })
    writeFileSync(join(work, 'README'), `${name}\n`)
    writeFileSync(join(work, '.agents/hooks.json'), '{}\n')
    symlinkSync('/etc', join(work, 'etc'))
    symlinkSync('../../../../../../../../tmp', join(work, 'up'))
    if (name === 'large') {
      let seed = Buffer.from('seed')
      const parts = Array.from({ length: 48_000 }, () => (seed = createHash('sha512').update(seed).digest()))
      writeFileSync(join(work, 'data'), Buffer.concat(parts))
    }
    git(work, 'init', '-q', '-b', 'main')
    git(work, 'add', '-A')
    git(work, 'commit', '-q', '-m', 'one')
    git(directory, 'clone', '-q', '--bare', work, `${name}.git`)
  }
  return {
    answer(req, res) {
      const url = new URL(req.url ?? '/', 'https://git')
      if (url.pathname.startsWith('/private.git') && req.headers.authorization !== authorization)
        return void res.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
      backend(req, res, url, directory)
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** Git's own CGI program. */
function backend(req: IncomingMessage, res: ServerResponse, url: URL, directory: string): void {
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: '/usr/bin:/bin',
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: req.method ?? 'GET',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: req.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(req.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(req.headers['git-protocol'] ?? ''),
      ...{ HOME: directory, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  req.pipe(child.stdin)
  child.stdin.on('error', () => {})
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => {
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\r\n\r\n')
    const headers = Object.fromEntries(
      all
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    )
    res.writeHead(Number.parseInt(headers['Status'] ?? '200', 10), headers).end(all.subarray(end + 4))
  })
}
