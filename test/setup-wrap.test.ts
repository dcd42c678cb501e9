/** `ctx wrap` and `ctx unwrap`, with programs that stand in for hosts. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, test } from 'node:test'
import { HOSTS } from '../src/hosts/registry.ts'
import { type Home, shipped } from './setup.testing.ts'

const { home } = shipped()
const ctx = (at: Home, ...words: string[]) => at.run(words, { name: 'ctx' })

/** A host that tells its version, and else shows its words and what a file holds while it runs. */
function standIn(at: Home, name: string, version: string, shows: string, code = 0): void {
  at.write(
    `bin/${name}`,
    `#!/bin/sh
if [ "$1" = --version ]; then echo '${version}'; exit 0; fi
for word in "$@"; do echo "word: $word"; done
cat ${shows}
exit ${code}
`,
    0o755,
  )
}

const leftBehind = () => readdirSync(tmpdir()).filter((name) => name.startsWith('sallyport-wrap-'))

describe('ctx wrap for one session', () => {
  test('Claude Code gets a settings file of its own beside the others, and its exit code comes out', () => {
    const at = home(true)
    standIn(at, 'claude', '2.1.332', '"$2"', 7)
    at.write('.claude/settings.json', '{"model":"opus"}')
    const before = at.tree()
    const { code, out, err } = ctx(at, 'wrap', 'claude', '--', '-p', 'two words', '--json')
    assert.deepEqual([code, err], [7, ''])
    assert.match(out, /^word: --settings\nword: \S+\nword: -p\nword: two words\nword: --json\n/)
    const { hooks } = JSON.parse(out.slice(out.indexOf('{')))
    assert.match(hooks.PreToolUse[0].hooks[0].command, /hook\.cjs claude PreToolUse$/)
    assert.equal(hooks.PreToolUse[0].hooks[0].onFailure, 'block')
    assert.deepEqual([at.tree(), leftBehind()], [before, []])
  })

  test('words with settings of their own are not overruled', () => {
    const at = home(true)
    standIn(at, 'claude', '2.1.332', '/dev/null')
    const { code, err } = ctx(at, 'wrap', 'claude', '--', '--settings', 'mine.json')
    assert.equal(code, 1)
    assert.match(err, /^ctx wrap: the words hold their own --settings[^\n]+ctx wrap claude\n$/)
  })

  test('Codex gets values of its settings', () => {
    const at = home(true)
    standIn(at, 'codex', 'codex-cli 0.171.0', '/dev/null')
    const { code, out } = ctx(at, 'wrap', 'codex', '--', 'exec', 'hi')
    assert.equal(code, 0)
    assert.match(
      out,
      /^word: --dangerously-bypass-hook-trust\nword: -c\nword: hooks\.PreToolUse=\[\{"matcher"="\*","hooks"=\[\{[^\n]+codex PreToolUse/,
    )
    assert.match(out, /\nword: exec\nword: hi\n$/)
  })

  for (const [file, text] of [
    ['.codex/hooks.json', '{}'],
    ['.codex/config.toml', '[[hooks.PreToolUse]]\nmatcher = "x"\n'],
    ['work/.codex/hooks.json', '{}'],
  ] as const)
    test(`no hooks of others run untrusted: ${file}`, () => {
      const at = home(true)
      standIn(at, 'codex', 'codex-cli 0.171.0', '/dev/null')
      at.write(file, text)
      const { code, err, out } = ctx(at, 'wrap', 'codex', '--', 'exec')
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, /may hold hooks that you never trusted/)
    })

  test('Codex with settings that hold no hooks is started', () => {
    const at = home(true)
    standIn(at, 'codex', 'codex-cli 0.171.0', '/dev/null')
    at.write('.codex/config.toml', 'model = "x"\n[hooks.state."a:b:0:0"]\ntrusted_hash = "y"\n')
    assert.equal(ctx(at, 'wrap', 'codex', '--', 'exec').code, 0)
  })

  test('a host without such options has its settings edited for as long', () => {
    const at = home(true)
    standIn(at, 'agy', '1.2.7', '~/.gemini/config/hooks.json', 3)
    at.write('.gemini/config/hooks.json', '{ "lint": {} }\r\n')
    const before = at.tree()
    const { code, out } = ctx(at, 'wrap', 'antigravity', '--')
    assert.equal(code, 3)
    assert.match(out, /hook\.cjs antigravity PreToolUse/)
    assert.deepEqual(at.tree(), before)
    assert.equal(existsSync(at.file('.local/state/sallyport/hosts/antigravity.json')), false)
  })

  test('a host that is wired already is only started', () => {
    const at = home(true)
    standIn(at, 'agy', '1.2.7', '/dev/null')
    assert.equal(ctx(at, 'wrap', 'antigravity').code, 0)
    const before = at.tree()
    const { code, out } = ctx(at, 'wrap', 'antigravity', '--', 'x')
    assert.deepEqual([code, out, at.tree()], [0, 'word: x\n', before])
  })

  test('a signal that ends the host is its exit code', () => {
    const at = home(true)
    at.write('bin/agy', '#!/bin/sh\n[ "$1" = --version ] && exit\nkill -9 $$\n', 0o755)
    assert.equal(ctx(at, 'wrap', 'antigravity', '--').code, 137)
  })

  const usage: readonly [words: readonly string[], code: number, says: RegExp][] = [
    [['wrap', 'claude', '--', '-p'], 127, /^ctx wrap: no program claude is on the PATH\n$/],
    [['wrap', 'nosuch'], 2, /^ctx wrap: there is no host "nosuch"/],
    [['wrap'], 2, /^ctx wrap: name a host, or detect\n$/],
    [['wrap', 'claude', 'more'], 2, /^ctx wrap: the words for the host go behind --\n$/],
  ]
  for (const [words, code, says] of usage)
    test(`ctx ${words.join(' ')} ends with ${code}`, () => {
      const at = home(true)
      const ran = ctx(at, ...words)
      assert.equal(ran.code, code)
      assert.match(ran.err, says)
      assert.deepEqual(leftBehind(), [])
    })
})

describe('ctx wrap for good', () => {
  test('--print-config writes nothing and prints what setup writes', () => {
    const at = home(true)
    const before = at.tree()
    const { code, out } = ctx(at, 'wrap', 'claude', '--print-config')
    assert.deepEqual([code, at.tree()], [0, before])
    const [path, ...text] = out.split('\n')
    assert.equal(path, `# ${at.file('.claude/settings.json')}`)
    assert.equal(ctx(at, 'wrap', 'claude').code, 0)
    assert.deepEqual(JSON.parse(at.read('.claude/settings.json')), JSON.parse(text.join('\n')))
  })

  test('--print-config prints what is TOML, what is a file of our own, and what only a project has', () => {
    const at = home(true)
    for (const [id, says] of [
      ['kimi', /\n\[\[hooks\]\]\nevent = "PreToolUse"|^# [^\n]+\n\[\[hooks\]\]\nevent = "PreToolUse"/],
      ['kiro', /"trigger": "PreToolUse"/],
      ['vscode', /^# [^\n]+\/work\/\.github\/hooks\/sallyport-vscode\.json\n/],
    ] as const) {
      const { code, out } = ctx(at, 'wrap', id, '--print-config')
      assert.equal(code, 0, id)
      assert.match(out, says, id)
    }
    assert.deepEqual(readdirSync(at.path).sort(), ['.local', 'bin', 'work'])
  })

  test('detect tells of every host of the registry', () => {
    const at = home(true)
    at.program('claude', '2.1.332')
    const { code, out } = ctx(at, 'wrap', 'detect', '--json')
    assert.equal(code, 0)
    const hosts = JSON.parse(out).hosts as {
      host: string
      version: string | null
      capabilities: object
      prices: { source: string; date: string }[]
    }[]
    assert.deepEqual(
      hosts.map(({ host }) => host),
      HOSTS.map(({ id }) => id),
    )
    assert.deepEqual(
      hosts.map(({ version }) => version).filter((version) => version !== null),
      ['2.1.332'],
    )
    for (const { capabilities, prices } of hosts) {
      assert.ok(Object.keys(capabilities).length >= 12)
      for (const { source, date } of prices) assert.ok(source.startsWith('https://') && /^\d{4}-\d\d-\d\d$/.test(date))
    }
    assert.match(ctx(at, 'wrap', 'detect').out, /^claude: Claude Code, 2\.1\.332 at [^\n]+; not wired\n/)
  })
})
