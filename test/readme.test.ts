/** What the documentation says is so: commands, links, the table of hosts, the settings that it tells people to write. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { evidence, hostsTable, SHOWN_IN, shownTable } from '../scripts/hosts-table.ts'
import { SCENES } from '../src/cli/try/scenes.ts'
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
  const settings = blocks(wiring, 'json').map((text) => JSON.parse(text) as Record<string, Record<string, unknown>>)

  test('tells the settings of every host', () => {
    assert.equal(settings.length, HOSTS.length)
  })

  for (const block of settings) {
    const groups = Object.entries(Object.values(block)[0]!) as [string, { matcher: string; hooks: Hook[] }[]][]
    const id = /^NODE HOOK (\w+)/.exec(groups[0]![1][0]!.hooks[0]!.command)?.[1] ?? ''
    test(`registers events of ${id} for every tool, with their own names`, () => {
      const host = hostOf(id)
      assert.ok(host)
      const events = groups.map(([event]) => event)
      assert.ok(events.includes('PreToolUse') && events.includes('PostToolUse'))
      for (const [event, [group, ...more]] of groups) {
        assert.ok([...host.events.pre, ...host.events.post].includes(event), event)
        assert.deepEqual([group!.matcher, more, group!.hooks.length], ['*', [], 1])
        const { type, command, timeout, onFailure } = group!.hooks[0]!
        assert.deepEqual([type, command], ['command', `NODE HOOK ${id} ${event}`])
        // Our own deadline is 5 s; the host must not stop us before.
        assert.ok(timeout >= 6 && Number.isInteger(timeout))
        assert.equal(onFailure, id === 'claude' && event === 'PreToolUse' ? 'block' : undefined)
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

interface Hook {
  readonly type: string
  readonly command: string
  readonly timeout: number
  readonly onFailure?: string
}
