/** What the documentation says is so: commands, links, the table of hosts, the settings that it tells people to write. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { stand } from '../scripts/hook-parts.ts'
import { evidence, hostsPage, hostsTable, PAGE, SHOWN_IN, shownTable } from '../scripts/hosts-table.ts'
import { SCENES } from '../src/cli/try/scenes.ts'
import { eventOf } from '../src/hosts/events.ts'
import { HOSTS, hostOf } from '../src/hosts/registry.ts'
import { sampleRows } from './sample.testing.ts'

const texts = new Map(
  ['.', 'docs'].flatMap((dir) => globSync(`${dir}/*.md`)).map((file) => [file, readFileSync(file, 'utf8')]),
)
const readme = texts.get('README.md')!
const wiring = texts.get('docs/wiring.md')!

/** The insides of code blocks, of one language or of all. */
const blocks = (text: string, language = '\\w*'): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1]!)

describe('the README', () => {
  test('has two set-up commands, which npm knows', () => {
    const commands = blocks(readme, 'sh')
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.startsWith('npm ci'))
    assert.deepEqual(
      commands.map((line) => line.replace(/\s*#.*$/, '')),
      ['npm ci && npm start', 'npm ci && npm test'],
    )
  })

  test('shows calls that are played', () => {
    const calls = new Set(SCENES.map(({ host, call }) => `${host} ${call}`))
    const shown = sampleRows(readme)
    assert.ok(shown.length >= 6)
    for (const { host, call } of shown) assert.ok(calls.has(`${host} ${call}`), `${host} ${call}`)
    assert.match(readme, new RegExp(`plays ${SCENES.length} tool calls`))
  })
})

describe('the table of hosts', () => {
  for (const file of SHOWN_IN)
    test(`${file} shows what the registry says`, () => {
      assert.deepEqual(
        shownTable(readFileSync(file, 'utf8')).split('\n'),
        hostsTable().split('\n'),
        'run: npm run hosts-table',
      )
    })

  test('the page of hosts is what the registry, the receipts and the rows of setup say', () => {
    assert.equal(readFileSync(PAGE, 'utf8'), hostsPage(), 'run: npm run hosts-table')
  })

  test('what has no receipt is marked as contract only, in the table and in its section', () => {
    const driven = new Set(evidence().map(({ host }) => host))
    for (const host of HOSTS.filter(({ id }) => !driven.has(id))) {
      assert.ok(hostsTable().includes(`| ${host.title} (contract only) |`), host.id)
      assert.ok(hostsPage().includes(`\n## ${host.title}\n\n*Contract only*`), host.id)
    }
  })

  for (const host of HOSTS)
    test(`the hook has the same ${host.title} as the registry`, () => {
      const text = stand(`src/hosts/${host.id}.ts`)
      // A host without a stand-in lies in the core of the hook as it is.
      if (text === undefined) return
      let loaded = 0
      const make = new Function('part', text.replace(/^export const \w+ =/, 'return')) as (
        part: (name: string) => unknown,
      ) => typeof host
      const standIn = make((name) => {
        assert.equal(name, `host-${host.id}`)
        loaded++
        return { [host.id]: host }
      })
      assert.deepEqual([standIn.id, standIn.aliases, loaded], [host.id, host.aliases, 0])
      assert.deepEqual(Object.keys(standIn).sort(), Object.keys(host).sort())
      for (const key of Object.keys(host) as (keyof typeof host)[]) assert.deepEqual(standIn[key], host[key], key)
    })

  for (const { host, claims, file } of evidence())
    test(`the registry does not contradict ${file}`, () => {
      const capabilities = hostOf(host)!.capabilities
      for (const [key, shown] of claims) {
        const support = capabilities[key as keyof typeof capabilities]?.support
        if (support !== 'yes' && support !== 'no') continue
        assert.deepEqual([key, ...shown], [key, support])
      }
    })
})

describe('links and names', () => {
  test('docs/architecture.md names every folder of src, and no other, in its layers', () => {
    const page = readFileSync('docs/architecture.md', 'utf8')
    const layers = page.slice(page.indexOf('## Layers')).split('```')[1]!.trim().split('\n')
    const named = layers.flatMap((line) => line.slice(0, 24).trim().split(/\s+/))
    const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory())
    assert.deepEqual(named.sort(), folders.map(({ name }) => name).sort())
  })

  for (const [file, text] of texts) {
    test(`${file} links to files that are there`, () => {
      for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g))
        if (!/^[a-z]+:/.test(target!)) assert.ok(existsSync(join(dirname(file), target!)), target)
    })

    test(`${file} names files that are there`, () => {
      for (const [, path] of text.matchAll(/`((?:src|test|docs|cases|schema|scripts|bin|receipts)\/[\w./-]+)`/g))
        assert.ok(existsSync(path!), path)
    })
  }

  test('every verb that is named exists', () => {
    const help = spawnSync(process.execPath, ['bin/sallyport.js', '--help'], { encoding: 'utf8' }).stdout
    const verbs = new Set([...help.matchAll(/^ {2}(?:sallyport )?([a-z]+)\b/gm)].map((match) => match[1]))
    assert.ok(verbs.has('check') && verbs.has('log'), help)
    for (const [file, text] of texts)
      for (const [, verb] of text.matchAll(/(?:`|run -s )sallyport (?:-- )?([a-z]+)/g))
        assert.ok(verbs.has(verb!), `${file}: ${verb}`)
  })
})

describe('the wiring', () => {
  const settings = blocks(wiring, 'json').map((text) => JSON.parse(text) as unknown)
  const handlers = settings.map((one) => handlersIn(one))
  const idOf = ({ command }: Hook) => /\bNODE HOOK (\w+)/.exec(command)?.[1] ?? ''

  test('tells the settings of every host', () => {
    const told = new Set(handlers.map(([first]) => idOf(first!.handler)))
    for (const host of HOSTS) {
      const [, section = ''] = wiring.split(`\n## ${host.title}\n`)
      const own = section.split('\n## ')[0]!
      assert.ok(
        told.has(host.id) ||
          own.includes(`plugin/${host.id}/`) ||
          own.includes(`NODE HOOK ${host.id} ${host.events.pre[0]}`),
        host.id,
      )
    }
  })

  for (const found of handlers) {
    const id = idOf(found[0]!.handler)
    test(`registers events of ${id} for every tool, with their own names`, () => {
      const host = hostOf(id)
      assert.ok(host)
      const events = found.map(({ event }) => event)
      assert.equal(new Set(events).size, events.length)
      const known = events.map((event) => eventOf(host.events, event)?.name)
      assert.ok(known.includes(host.events.pre[0]!) && known.includes(host.events.post[0]!))
      for (const { event, matcher, handler } of found) {
        const kind = eventOf(host.events, event)?.kind
        assert.ok(kind, event)
        if (kind !== 'other') assert.ok(matcher === '*' || UNMATCHED.has(id), 'every tool')
        else assert.equal(matcher, undefined, event)
        const moment: 'before' | 'after' = kind === 'pre' ? 'before' : 'after'
        const launcher: string = LAUNCHED.has(id) ? `/bin/sh LAUNCHER ${moment} ` : ''
        assert.deepEqual(
          [handler.type ?? 'command', handler.command],
          ['command', `${launcher}NODE HOOK ${id} ${event}`],
        )
        // Our own deadline is 5 s; the host must not stop us before.
        const seconds = secondsOf(handler, id)
        // Windsurf has no word for it.
        assert.equal(seconds === undefined, id === 'windsurf')
        if (seconds !== undefined) assert.ok(seconds >= 6 && seconds < 60 && Number.isInteger(seconds))
        assert.equal(handler.onFailure, id === 'claude' && event === 'PreToolUse' ? 'block' : undefined)
      }
    })
  }

  test('the sign of life is a denial', () => {
    const payload = /echo '(\{.*\})' \| NODE HOOK claude PreToolUse/.exec(wiring)?.[1]
    assert.ok(payload)
    const state = mkdtempSync(join(tmpdir(), 'sallyport-readme-'))
    try {
      const env = { PATH: process.env['PATH'], HOME: state, XDG_STATE_HOME: state }
      const done = spawnSync(process.execPath, ['bin/sallyport.js', 'hook', 'claude', 'PreToolUse'], {
        input: payload,
        env,
        encoding: 'utf8',
      })
      assert.equal(JSON.parse(done.stdout).hookSpecificOutput.permissionDecision, 'deny')
    } finally {
      rmSync(state, { recursive: true, force: true })
    }
  })
})

function secondsOf({ timeout, timeoutSec, timeout_ms: ms }: Hook, id: string): number | undefined {
  if (timeout !== undefined) return timeout / (id === 'gemini' ? 1_000 : 1)
  return timeoutSec ?? (ms === undefined ? undefined : ms / 1_000)
}

interface Hook {
  readonly type?: string
  readonly command: string
  readonly timeout?: number
  readonly timeoutSec?: number
  readonly timeout_ms?: number
  readonly onFailure?: string
}

/** Hosts whose hooks are for every tool where no matcher stands. */
const UNMATCHED: ReadonlySet<string> = new Set('copilot cursor vscode goose grok windsurf devin kiro'.split(' '))
/** Hosts that take a denial by exit code. */
const LAUNCHED = new Set(HOSTS.filter(({ exits }) => exits !== undefined).map(({ id }) => id as string))

interface Registered {
  readonly event: string
  readonly matcher: string | undefined
  readonly handler: Hook
}

/** The handlers in settings, with the event and the matcher that they stand under. */
function handlersIn(value: unknown, event = '', matcher?: string): readonly Registered[] {
  if (Array.isArray(value)) return value.flatMap((one) => handlersIn(one, event, matcher))
  if (typeof value !== 'object' || value === null) return []
  const fields = value as Readonly<Record<string, unknown>>
  const { trigger, action, timeout } = fields
  if (typeof trigger === 'string')
    return [{ event: trigger, matcher, handler: { ...(action as Hook), timeout: Number(timeout) } }]
  if (typeof fields['command'] === 'string') return [{ event, matcher, handler: fields as unknown as Hook }]
  const own = typeof fields['matcher'] === 'string' ? fields['matcher'] : matcher
  return Object.entries(fields).flatMap(([key, inner]) => handlersIn(inner, key === 'hooks' ? event : key, own))
}
