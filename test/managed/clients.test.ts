/**
 * Clients of all kinds reach listed hosts from inside a sandbox and trust its authority, none of them told so by a flag: as they
 * find the sandbox, without the variables that name the proxy, and without any variable.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { need } from '../need.ts'
import { startWorld, type World } from './bypass-world.ts'
import { makeUpstreams } from './clients-upstreams.ts'
import { canIsolate } from './support.ts'

const MODES = ['proxy', 'captured', 'bare'] as const
type Mode = (typeof MODES)[number]

interface Client {
  readonly client: string
  readonly language?: 'python' | 'node'
  readonly needs?: readonly string[]
  /** Module of the system's Python that it needs, or package that is copied in for Node. */
  readonly module?: string
  readonly env?: Readonly<Record<string, string>>
  readonly code: string
  readonly says: string
  /** It sends so much that the upstream must have had all of it. */
  readonly pushes?: boolean
  /** Where it does not work, and why. */
  readonly not?: Readonly<Partial<Record<Mode, string>>>
}

const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const CLIENTS = JSON.parse(readFileSync(here('cases/managed/clients.json'), 'utf8')) as readonly Client[]
const SOAK = process.env['SALLYPORT_SOAK'] === '1'
const PUSHED = (SOAK ? 200 : 8) * 1024 * 1024

let world: World | undefined
let environment = ''
const directory = mkdtempSync(join(tmpdir(), 'sallyport-clients-'))
after(async () => {
  await world?.close()
  rmSync(directory, { recursive: true, force: true })
})

async function ready(t: TestContext, { needs = [], module, language }: Client): Promise<World | undefined> {
  if (!canIsolate(t)) return undefined
  for (const program of ['git', 'tar', 'python3', ...needs]) if (!need(t, program)) return undefined
  if (module !== undefined && language !== 'node' && !hasModule(module)) {
    if (process.env['SALLYPORT_REQUIRE_ALL'] === '1') throw new Error(`Python's ${module} is absent`)
    t.skip(`not run: Python's ${module} is absent`)
    return undefined
  }
  if (world !== undefined) return world
  world = await startWorld(makeUpstreams(directory))
  const domains = ['web.test', 'git.test', 'npm.test', 'pypi.test']
  environment = await world.make({ network: { allowlist: domains.map((domain) => ({ domain })) } })
  const files = await world.environments.files(environment)
  for (const path of globSync('node_modules/ws/**', { cwd: here('.') }))
    if (statSync(here(path)).isFile()) await files.write(`/workspace/${path}`, readFileSync(here(path)), true)
  return world
}

/** Whether the Python that sandboxes show has it. */
function hasModule(name: string): boolean {
  try {
    execFileSync('/usr/bin/python3', ['-c', `import ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const UNSET = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'NO_PROXY', 'no_proxy'].flatMap((name) => [
  '-u',
  name,
])

/** The words that start a program in a mode. */
function started(mode: Mode, argv: readonly string[]): readonly string[] {
  if (mode === 'proxy') return argv
  if (mode === 'captured') return ['env', ...UNSET, ...argv]
  return ['/bin/sh', '-c', 'exec env -i PATH="$PATH" HOME="$HOME" "$@"', 'sh', ...argv]
}

function argvOf({ language, code, env = {} }: Client, mode: Mode): readonly string[] {
  const text = code.replaceAll('{mode}', mode).replaceAll('{bytes}', String(PUSHED))
  const argv =
    language === 'python'
      ? ['/usr/bin/python3', '-c', text]
      : language === 'node'
        ? ['node', '-e', text]
        : ['bash', '-c', text]
  return started(mode, ['env', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...argv])
}

describe('clients in a sandbox', () => {
  for (const client of CLIENTS)
    for (const mode of MODES)
      test(`${client.client}: ${mode}`, async (t) => {
        const playing = await ready(t, client)
        if (playing === undefined) return
        playing.lab.seen.length = 0
        const { out } = await playing.run(environment, argvOf(client, mode), {}, SOAK ? 590_000 : 180_000)
        if (client.not?.[mode] !== undefined) {
          assert.doesNotMatch(out, new RegExp(client.says))
          return assert.match(out, /self.signed|^error/im)
        }
        assert.match(out, new RegExp(client.says))
        if (client.pushes !== true) return
        const sent = playing.lab.seen.filter(({ url }) => url.endsWith('git-receive-pack')).map(({ bytes }) => bytes)
        assert.ok(Math.max(...sent) >= PUSHED, String(sent))
      })
})

const WORDS: Readonly<Record<Mode, string>> = {
  proxy: 'as it is',
  captured: 'no proxy variables',
  bare: 'no variables',
}

test('the documentation shows this table', () => {
  const lines = [
    `| client | ${MODES.map((mode) => WORDS[mode]).join(' | ')} |`,
    `|---|${MODES.map(() => '---|').join('')}`,
    ...CLIENTS.map(({ client, not }) => `| ${client} | ${MODES.map((mode) => not?.[mode] ?? 'works').join(' | ')} |`),
  ]
  const shown = /<!-- clients -->\n([\s\S]*?)\n<!-- \/clients -->/.exec(
    readFileSync(here('docs/egress.md'), 'utf8'),
  )?.[1]
  assert.deepEqual(shown?.trim().split('\n'), lines, lines.join('\n'))
})
