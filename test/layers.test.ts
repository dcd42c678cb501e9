/** Imports point down only, and nothing on the verdict path touches the platform (`docs/architecture.md`). */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { test } from 'node:test'

/** Layers from the top down. Folders of one layer do not import each other. `world` lies beside: drivers know it. */
const LAYERS: readonly (readonly string[])[] = [
  ['cli'],
  ['mcp'],
  ['setup'],
  ['hosts', 'managed'],
  ['guard', 'containment'],
  ['adlc', 'commands', 'code'],
  ['policy', 'session', 'record'],
  ['shell', 'paths'],
  ['core'],
]

/** Neighbours that may be used from the side, each with its reason. */
const ASIDE: Readonly<Record<string, string>> = {
  'code → commands': 'a reader of another language says what code does in the words of commands',
  'record → policy': 'a record names the policy that its verdict rests on',
  'commands → code': 'an interpreter hands its program text to the reader of the language',
}

/** Files below these folders that do I/O for entry points; no verdict passes through them. */
const IO_FILES = new Set([
  'src/session/live.ts',
  'src/session/mark.ts',
  'src/session/store.ts',
  'src/session/pause.ts',
  'src/record/log-file.ts',
])

const VERDICT_PATH = [
  'core',
  'shell',
  'paths',
  'policy',
  'session',
  'record',
  'commands',
  'code',
  'adlc',
  'guard',
  'hosts',
]

/** Packages that may be bundled into the hook. */
const BUNDLED = new Set(['unbash', 'picomatch'])

const PLATFORM =
  /(?<![\w$.'"`-])(?:(?:process|Buffer|Date|performance|globalThis|console|crypto)\s*\.|new Date\b|Math\.random|(?:require|fetch|setTimeout|setInterval|setImmediate|Date)\()/

interface Import {
  readonly file: string
  readonly from: string
  readonly types: boolean
}

const sources = globSync('src/**/*.ts')
  .map((file) => file.split(sep).join('/'))
  .filter((file) => !/\.test(?:ing)?\.ts$/.test(file))

function importsOf(file: string, text: string): Import[] {
  const out: Import[] = []
  const code = text.replace(/\/\*[\s\S]*?\*\//g, ' ')
  for (const match of code.matchAll(/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'/gm))
    out.push({ file, from: match[2]!, types: match[1] !== undefined })
  for (const match of code.matchAll(/(?:^import|import\()\s*'([^']+)'/gm))
    out.push({ file, from: match[1]!, types: false })
  return out
}

const folderOf = (file: string): string => file.split('/')[1]!.replace(/\.ts$/, '')
const levelOf = (folder: string): number => LAYERS.findIndex((layer) => layer.includes(folder))

/** Source without comments and texts, so that a word in prose is no use of a global. */
const bare = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''")
    .replace(/(^|[^:])\/\/.*$/gm, '$1')

function faults(file: string, text: string): string[] {
  const out: string[] = []
  const own = folderOf(file)
  const onPath = VERDICT_PATH.includes(own) && !IO_FILES.has(file)
  for (const { from, types } of importsOf(file, text)) {
    if (!from.startsWith('.')) {
      const node = from.startsWith('node:')
      if (onPath && (node || !BUNDLED.has(from))) out.push(`${file} imports ${from}`)
      continue
    }
    const target = normalize(join(dirname(file), from))
      .split(sep)
      .join('/')
    const folder = folderOf(target)
    if (onPath && IO_FILES.has(target) && !types) out.push(`${file} imports ${target}, which does I/O`)
    if (folder === own) continue
    if (folder === 'world') {
      if (own !== 'cli') out.push(`${file} imports ${target}: only drivers know a world`)
      continue
    }
    if (own === 'world') {
      if (folder !== 'core') out.push(`${file} imports ${target}: a world knows core only`)
      continue
    }
    const [up, down] = [levelOf(own), levelOf(folder)]
    if (up < 0 || down < 0) out.push(`${file} or ${target} lies in no layer`)
    else if (down < up) out.push(`${file} imports up: ${target}`)
    else if (down === up && !(`${own} → ${folder}` in ASIDE)) out.push(`${file} imports aside: ${target}`)
  }
  if (onPath) {
    const match = PLATFORM.exec(bare(text))
    if (match) out.push(`${file} reads the global ${match[0]}`)
  }
  return out
}

test('imports point down only, and the verdict path is free of the platform', () => {
  assert.ok(sources.length > 20)
  assert.deepEqual(
    sources.flatMap((file) => faults(file, readFileSync(file, 'utf8'))),
    [],
  )
})

test('the check itself sees faults', () => {
  assert.equal(faults('src/core/x.ts', "import { a } from '../guard/judge.ts'").length, 1)
  assert.equal(faults('src/guard/x.ts', "import { readFileSync } from 'node:fs'").length, 1)
  assert.equal(faults('src/paths/x.ts', 'const t = Date.now()').length, 1)
  assert.equal(faults('src/shell/x.ts', "import { zones } from '../paths/zones.ts'").length, 1)
  assert.equal(faults('src/guard/x.ts', "import { diskWorld } from '../world/disk.ts'").length, 1)
  assert.deepEqual(faults('src/core/x.ts', '// the Date is no matter: Date.now()\nconst a = 1'), [])
})

test('only src/shell splits command text: nobody else imports the parser package', () => {
  for (const file of sources) {
    if (/from 'unbash/.test(readFileSync(file, 'utf8'))) assert.match(file, /^src\/shell\//)
  }
})

test('only the MCP proxy and the managed runtime reach a network', () => {
  const NETWORK =
    /^(?:node:(?:https?|http2|tls|dgram|dns)(?:\/|$)|undici|ws$|@modelcontextprotocol\/.*(?:http|sse|websocket))/i
  const SPEAKING = /(?<![\w$.])(?:fetch|WebSocket|EventSource)\s*\(/
  // The pipes of a child are sockets to Node: what is opened there is a descriptor, never an address.
  const PIPES = /^src\/containment\/run\/(?:intake|job|sink)\.ts$/
  const reaches = (file: string, text: string): boolean =>
    importsOf(file, text).some(
      ({ from, types }) => !types && (NETWORK.test(from) || (from === 'node:net' && !PIPES.test(file))),
    ) || SPEAKING.test(bare(text))
  // The probe's scripted model listens for a host that runs beside it, on this machine alone.
  const LOOPBACK = 'src/cli/probe/rig/loopback.ts'
  assert.match(readFileSync(LOOPBACK, 'utf8'), /server\.listen\(0, '127\.0\.0\.1',/)
  assert.doesNotMatch(readFileSync(LOOPBACK, 'utf8'), /\brequest\(|\bconnect\(/)
  assert.deepEqual(
    sources
      .filter((file) => !/^src\/(?:mcp|managed)\//.test(file) && file !== LOOPBACK)
      .filter((file) => reaches(file, readFileSync(file, 'utf8'))),
    [],
  )
  assert.ok(reaches('src/record/x.ts', "import { request } from 'node:https'"))
  assert.ok(reaches('src/containment/x.ts', "import { connect } from 'node:net'"))
  assert.ok(reaches('src/cli/x.ts', 'await fetch(home)'))
  assert.ok(reaches('src/mcp/server-end.ts', readFileSync('src/mcp/server-end.ts', 'utf8')))
})

test('files stay within a few screens', () => {
  const long = sources.filter(
    (file) => !file.includes('/tables/') && readFileSync(file, 'utf8').split('\n').length > 420,
  )
  assert.deepEqual(long, [])
})
