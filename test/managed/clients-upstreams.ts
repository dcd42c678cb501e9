/** Servers as clients of the world meet them: pages, events, WebSocket, git, a registry of npm and an index of Python. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'

const HOSTS = ['web.test:443', 'web.test:80', 'git.test:443', 'npm.test:443', 'pypi.test:443']

export interface Upstreams {
  readonly hosts: readonly string[]
  readonly answer: RequestListener
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Makes a repository and packages below `directory`, which programs of the host build. */
export function makeUpstreams(directory: string): Upstreams {
  const sockets = new WebSocketServer({ noServer: true })
  const events = new Set<ServerResponse>()
  const git = gitServer(directory)
  const packages = packageServer(directory)
  return {
    hosts: HOSTS,
    answer(request, response) {
      const { url = '', headers } = request
      if (headers.host === 'git.test') return git(request, response)
      request.resume()
      if (headers.host === 'npm.test' || headers.host === 'pypi.test') return packages(url, headers.host, response)
      if (url === '/events') {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: first\n\n')
        events.add(response)
      } else if (url === '/go') {
        // What has seen the first event asks for the last.
        for (const one of events) one.end('data: last\n\n')
        events.clear()
        response.end('gone\n')
      } else response.end(`hello from ${headers.host}\n`)
    },
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket as never, head, (ws) =>
        ws.on('message', (data) => ws.send(`echo ${String(data)}`)),
      ),
  }
}

/** The smart protocol, by git's own CGI program. */
function gitServer(directory: string): RequestListener {
  const root = join(directory, 'git')
  const work = join(directory, 'work')
  for (const made of [root, work]) mkdirSync(made, { recursive: true })
  writeFileSync(join(work, 'readme'), 'kept in git\n')
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: work, env, stdio: 'pipe' })
  git('init', '-q', '-b', 'main')
  git('add', 'readme')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '-qm', 'first')
  git('clone', '-q', '--bare', work, join(root, 'repo.git'))
  git('-C', join(root, 'repo.git'), 'config', 'http.receivepack', 'true')
  return (request, response) => {
    const [path, query = ''] = (request.url ?? '').split('?')
    const { headers } = request
    const child = spawn('git', ['http-backend'], {
      env: {
        ...{ ...env, GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'a', REMOTE_ADDR: '127.0.0.1' },
        ...{ PATH_INFO: path, QUERY_STRING: query, REQUEST_METHOD: request.method ?? 'GET' },
        CONTENT_TYPE: headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        HTTP_GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
        ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: headers['content-length'] }),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdin.on('error', () => {})
    request.pipe(child.stdin)
    let head = Buffer.alloc(0)
    const onHead = (part: Buffer) => {
      head = Buffer.concat([head, part])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      child.stdout.off('data', onHead)
      let status = 200
      for (const line of head.toString('latin1', 0, end).split('\r\n')) {
        const [, name, value] = /^([^:]+): *(.*)$/.exec(line) ?? []
        if (name === 'Status') status = Number.parseInt(value!, 10)
        else if (name !== undefined) response.setHeader(name, value!)
      }
      response.writeHead(status)
      response.write(head.subarray(end + 4))
      child.stdout.pipe(response)
    }
    child.stdout.on('data', onHead)
    child.on('close', () => response.end())
  }
}

/** One package of each kind. */
function packageServer(directory: string): (url: string, host: string, response: ServerResponse) => void {
  const from = join(directory, 'packages')
  mkdirSync(join(from, 'package'), { recursive: true })
  const manifest = { name: 'small-package', version: '1.0.0', main: 'index.js' }
  writeFileSync(join(from, 'package/package.json'), JSON.stringify(manifest))
  writeFileSync(join(from, 'package/index.js'), 'module.exports = "from the registry"\n')
  execFileSync('tar', ['-czf', 'small.tgz', 'package'], { cwd: from })
  const tarball = readFileSync(join(from, 'small.tgz'))
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const info = join(from, 'small_package-1.0.0.dist-info')
  mkdirSync(info)
  writeFileSync(join(from, 'small_package.py'), 'SAYS = "from the index"\n')
  writeFileSync(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: small_package\nVersion: 1.0.0\n')
  writeFileSync(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
  const record = [
    'small_package.py',
    ...['METADATA', 'WHEEL', 'RECORD'].map((name) => `small_package-1.0.0.dist-info/${name}`),
  ]
  writeFileSync(join(info, 'RECORD'), record.map((name) => `${name},,\n`).join(''))
  const wheel = 'small_package-1.0.0-py3-none-any.whl'
  execFileSync('python3', ['-m', 'zipfile', '-c', wheel, 'small_package.py', 'small_package-1.0.0.dist-info'], {
    cwd: from,
  })
  const zip = readFileSync(join(from, wheel))
  return (url, host, response) => {
    if (host === 'npm.test' && url === '/small-package') {
      const dist = { tarball: 'https://npm.test/small-package/-/small-package-1.0.0.tgz', integrity }
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          ...{ name: 'small-package', 'dist-tags': { latest: '1.0.0' } },
          versions: { '1.0.0': { ...manifest, dist } },
        }),
      )
    } else if (host === 'npm.test' && url.endsWith('.tgz')) response.end(tarball)
    else if (host === 'pypi.test' && /^\/simple\/small[-_]package\/$/.test(url)) {
      response.setHeader('content-type', 'text/html')
      response.end(`<!DOCTYPE html><html><body><a href="/files/${wheel}">${wheel}</a></body></html>`)
    } else if (host === 'pypi.test' && url.startsWith('/files/')) response.end(zip)
    else response.writeHead(404).end()
  }
}
