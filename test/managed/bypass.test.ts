/**
 * Ways past the network rules, tried by programs inside a sandbox. What the upstreams and the services of the machine have
 * in their logs decides: nothing arrives; and the same program does arrive where the rules, or the lack of a sandbox, let it.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Network } from '../../src/managed/contract.ts'
import { need } from '../need.ts'
import { type Judge, startJudge } from './bypass-judge.ts'
import { canIsolate, until } from './support.ts'

type Entry = string | { readonly domain: string }

interface Try {
  /** Name of the rules of its environment. */
  readonly rules?: string
  /** Rules that hold after the first half of the program. */
  readonly then?: string
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  /** An environment with a variable that holds a credential. */
  readonly variables?: boolean
  /** On the machine itself, whose files are read-only, with these further options of bwrap. */
  readonly host?: boolean
  readonly options?: readonly string[]
  /** Only root may do so there. */
  readonly root?: boolean
  /** Where something arrives, each once, in any order. */
  readonly arrives?: readonly string[]
  /** What the listed host sees of these headers. */
  readonly headers?: Readonly<Record<string, readonly string[]>>
  readonly looksUp?: readonly string[]
  readonly says?: string
  readonly never?: string
}

interface Row {
  readonly class: string
  readonly name: string
  readonly language: 'python' | 'node'
  readonly code: readonly string[]
  readonly needs?: string
  /** The first request may arrive whole or in part, what hides behind it may not. */
  readonly partial?: boolean
  readonly attack: Try
  readonly control: Try
}

const at = (name: string) => fileURLToPath(new URL(`../../cases/managed/${name}`, import.meta.url))
const { rules, rows } = JSON.parse(readFileSync(at('bypass.json'), 'utf8')) as {
  readonly rules: Readonly<Record<string, readonly Entry[] | 'disabled' | null>>
  readonly rows: readonly Row[]
}
const HELPERS = readFileSync(at('attack.py'), 'utf8')

let judge: Judge | undefined
after(() => judge?.close())

const shared = new Map<string, string>()

function networkOf(name: string): Network {
  const found = rules[name]
  assert.notEqual(found, undefined, `there are no rules named ${name}`)
  if (found === null) return undefined
  if (typeof found === 'string') return 'disabled'
  return { allowlist: found!.map((one) => (typeof one === 'string' ? { domain: one } : one)) }
}

async function environment({ world }: Judge, one: Try): Promise<string> {
  const own = one.then !== undefined || one.variables === true || one.files !== undefined
  const name = one.rules!
  const kept = own ? undefined : shared.get(name)
  if (kept !== undefined) return kept
  const id = await world.make({
    network: networkOf(name),
    ...(one.variables === true ? { env: { TOKEN: { credential: 'var' } } } : {}),
  })
  const files = await world.environments.files(id)
  await files.write('/workspace/attack.py', Buffer.from(HELPERS), true)
  for (const [path, text] of Object.entries(one.files ?? {})) await files.write(path, Buffer.from(text), true)
  if (!own) shared.set(name, id)
  return id
}

const argvOf = ({ language, code }: Row): readonly string[] =>
  language === 'node'
    ? ['node', '-e', code.join('\n')]
    : ['/usr/bin/python3', '-c', `from attack import *\n${code.join('\n')}`]

/** Words in braces are places of this machine. */
const filled = (text: string, { places }: Judge): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => places[name] ?? whole)

async function play(playing: Judge, row: Row, one: Try): Promise<string> {
  const env = Object.fromEntries(Object.entries(one.env ?? {}).map(([name, text]) => [name, filled(text, playing)]))
  playing.reset()
  if (one.host === true) return onHost(row, one, env)
  const { world } = playing
  const id = await environment(playing, one)
  playing.reset()
  const running = world.run(id, argvOf(row), env, 240_000)
  if (one.then !== undefined) {
    const files = await world.environments.files(id)
    await until(() => files.stat('/workspace/ready'), 60_000)
    await world.environments.setNetwork(id, networkOf(one.then))
    await files.write('/workspace/go', Buffer.from(''), true)
  }
  const { out, end } = await running
  assert.deepEqual([end.started, end.timedOut], [true, false], out)
  if (one.then !== undefined || one.variables === true) await world.environments.remove(id)
  return out
}

/** The program without a network of its own: its target is loopback, and it can write nothing. */
function onHost(row: Row, one: Try, env: Readonly<Record<string, string>>): Promise<string> {
  const apart = row.class === 'environment' ? [] : ['--unshare-pid', '--proc', '/proc']
  const options = ['--ro-bind', '/', '/', '--dev', '/dev', '--die-with-parent', ...apart, ...(one.options ?? [])]
  return new Promise((resolve) =>
    execFile(
      'bwrap',
      [...options, '--', ...argvOf(row)],
      {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', PYTHONPATH: at('.'), PYTHONDONTWRITEBYTECODE: '1', ...env },
        timeout: 120_000,
      },
      (_, stdout, stderr) => resolve(stdout + stderr),
    ),
  )
}

function check(playing: Judge, row: Row, one: Try, out: string, attack: boolean): void {
  const arrived = [...new Set(playing.arrived())].sort()
  if (one.then !== undefined) {
    const later = [...playing.paths, ...playing.lab.seen.map(({ url }) => url)].includes('/after')
    assert.equal(later, !attack, out)
  } else if (attack && row.partial === true) {
    assert.deepEqual(
      arrived.filter((place) => place !== 'listed.test:80'),
      [],
      out,
    )
  } else assert.deepEqual(arrived, [...(one.arrives ?? [])].sort(), out)
  for (const { url } of attack ? playing.lab.seen : []) assert.notEqual(url, '/hidden', out)
  // Not even a connection without a request.
  if (attack && one.arrives === undefined && one.then === undefined && row.partial !== true)
    assert.equal(playing.lab.connections, 0, out)
  for (const [name, values] of Object.entries(one.headers ?? {}))
    for (const { headers } of playing.lab.seen)
      assert.deepEqual(
        headers.flatMap(([key, value]) => (key === name ? [value] : [])),
        values,
        name,
      )
  if (one.looksUp !== undefined) assert.deepEqual([...new Set(playing.lookedUp)], one.looksUp, out)
  if (one.says !== undefined) assert.match(out, new RegExp(one.says, 'm'))
  if (one.never !== undefined) assert.doesNotMatch(out, new RegExp(one.never, 'm'))
}

async function ready(t: TestContext): Promise<Judge | undefined> {
  if (!canIsolate(t) || !need(t, 'python3')) return undefined
  judge ??= await startJudge()
  return judge
}

describe('ways past the network rules', () => {
  before(() => assert.equal(new Set(rows.map((row) => `${row.class} ${row.name}`)).size, rows.length))
  for (const row of rows)
    test(`${row.class}: ${row.name}`, async (t) => {
      if (row.needs !== undefined && !need(t, row.needs)) return
      const playing = await ready(t)
      if (playing === undefined) return
      check(playing, row, row.attack, await play(playing, row, row.attack), true)
      if (row.control.root === true && process.getuid?.() !== 0)
        return t.diagnostic('the control was not run: it takes root')
      check(playing, row, row.control, await play(playing, row, row.control), false)
    })
})
