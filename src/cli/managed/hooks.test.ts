/** `sallyport hooks lint` and `hooks test` as a person runs them. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { need } from '../../../test/need.ts'
import { arrived, startLab } from '../../managed/egress/lab.testing.ts'
import { runProgram } from '../program.ts'

const root = mkdtempSync(join(tmpdir(), 'hooks-cli-'))
after(() => rmSync(root, { recursive: true, force: true }))

const GATE = `import sys, json
text = sys.stdin.read()
print(json.dumps({"decision": "deny", "reason": "no rm"} if "rm -rf" in text else {"decision": "allow"}))
`
const CONFIG = {
  gate: {
    pre_tool_execution: [
      { matcher: 'code_execution', hooks: [{ type: 'command', command: 'python3 /.agents/hooks-scripts/gate.py' }] },
    ],
  },
}
const TREE = { '.agents/hooks.json': CONFIG, '.agents/hooks-scripts/gate.py': GATE }

/** A directory with these files. */
function lay(files: Readonly<Record<string, unknown>>): string {
  const dir = mkdtempSync(join(root, 'd-'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
  }
  return dir
}

async function run(cwd: string, ...argv: string[]) {
  let [out, err] = ['', '']
  const io = {
    out: (text: string) => {
      out += text
    },
    err: (text: string) => {
      err += text
    },
    ...{ cwd, env: process.env, colour: false },
  }
  return { code: await runProgram('sallyport', ['hooks', ...argv], io), out, err }
}

test('lint: a good configuration is 0, with a note on who can write it', async () => {
  const dir = lay(TREE)
  const { code, out, err } = await run(dir, 'lint')
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /hooks\.json: 1 group, 1 handler\n/)
  assert.match(out, /note +file\.writable: .*--pinned/)
  assert.match(out, /no finding silently allows, 1 note\n$/)
  assert.match((await run(dir, 'lint', '.agents/hooks.json', '--pinned')).out, /no finding silently allows, 0 notes/)
})

test('lint: what silently allows is 1 and comes first', async () => {
  const dir = lay({
    ...TREE,
    '.agents/hooks-scripts/gate.py': `${GATE}sys.exit(2)\n`,
    '.agents/hooks.json': { ...CONFIG, old: { PreToolUse: [] } },
  })
  const { code, out } = await run(dir, 'lint')
  assert.equal(code, 1)
  const kinds = [...out.matchAll(/^ {2}(allows|note) +([\w.-]+)/gm)].map((match) => match.slice(1, 3).join(' '))
  assert.deepEqual(kinds, ['allows event.unknown', 'allows script.exit', 'note file.writable'])
  assert.match(out, /2 findings silently allow, 1 note/)
  const json = JSON.parse((await run(dir, 'lint', '--json')).out)
  assert.deepEqual([json.v, json.allows, json.notes, json.files[0].groups.length], [1, 2, 1, 2])
  assert.deepEqual(json.files[0].groups[0].rules, [
    { event: 'pre_tool_execution', matcher: 'code_execution', handlers: 1 },
  ])
})

test('lint: a script that is not executable, and a script of a repository beside .agents', async () => {
  const command = (text: string) => ({
    gate: { pre_tool_execution: [{ matcher: '*', hooks: [{ type: 'command', command: text }] }] },
  })
  const dir = lay({ '.agents/hooks.json': command('./scripts/gate.sh'), 'scripts/gate.sh': '#!/bin/sh\necho "{}"\n' })
  assert.match((await run(dir, 'lint')).out, /command\.mode .*gate\.sh is not executable/)
  chmodSync(join(dir, 'scripts/gate.sh'), 0o755)
  assert.doesNotMatch((await run(dir, 'lint')).out, /command\.mode/)
  const gone = lay({ '.agents/hooks.json': command('python3 /.agents/gone.py; python3 elsewhere.py') })
  const { out } = await run(gone, 'lint')
  assert.match(out, /command\.absent .*\/\.agents\/gone\.py is not there/)
  assert.doesNotMatch(out, /elsewhere/, 'what is not known is not said')
})

test('lint, test: a link that leads out of the directory is not followed', async (t) => {
  const outside = lay({ 'secret.sh': 'exit 2\n' })
  const dir = lay({
    '.agents/hooks.json': {
      g: { pre_tool_execution: [{ hooks: [{ type: 'command', command: 'bash own.sh; bash .agents/own.sh' }] }] },
    },
  })
  symlinkSync(join(outside, 'secret.sh'), join(dir, 'own.sh'))
  symlinkSync(join(outside, 'secret.sh'), join(dir, '.agents/own.sh'))
  assert.doesNotMatch((await run(dir, 'lint')).out, /script\.exit/)
  if (need(t, 'bwrap')) assert.match((await run(dir, 'test', '--tool', 'list_dir')).out, /exit status 127/)
})

const inline = (target: string, content: string) => ({ type: 'inline', target, content })
const TELEMETRY = {
  audit: {
    post_tool_execution: [{ matcher: 'view_file', hooks: [{ type: 'http', url: 'https://telemetry.example.com/v1' }] }],
  },
}

test('lint: an environment brings its scripts and its network', async () => {
  const sources = [
    inline('.agents/hooks.json', JSON.stringify(CONFIG)),
    inline('.agents/hooks-scripts/gate.py', GATE.replace('deny', 'block')),
    inline('workspace/.agents/hooks.json', JSON.stringify(TELEMETRY)),
  ]
  const of = async (network: unknown, more: object = {}) => {
    const dir = lay({ 'request.json': { agent: 'a', environment: { type: 'remote', sources, network, ...more } } })
    return run(dir, 'lint', '--environment', 'request.json', '--pinned')
  }
  const closed = await of({ allowlist: [{ domain: 'other.example.com' }] })
  assert.equal(closed.code, 1)
  assert.match(closed.out, /script\.decision/)
  assert.match(closed.out, /\/workspace\/\.agents\/hooks\.json: 1 group/)
  assert.match(closed.out, /http\.refused .*telemetry\.example\.com\/v1" .* no event arrives/)
  assert.match((await of('disabled')).out, /http\.refused .*no network access/)
  for (const network of [undefined, { allowlist: [{ domain: 'telemetry.example.com' }] }])
    assert.doesNotMatch((await of(network)).out, /http\./)
})

const BAD: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['no file', ['lint', 'nowhere.json'], /^sallyport hooks lint: there is no file \S+nowhere\.json\n$/],
  ['no file by default', ['lint'], /hooks\.json; name one\n$/],
  ['a directory', ['lint', 'dir'], /is no file\n$/],
  ['both', ['lint', 'x', '--environment', 'y'], /not both\n$/],
  ['an environment that is no JSON', ['lint', '--environment', 'bad.json'], /bad\.json is no JSON\n$/],
  ['an environment without hooks', ['lint', '--environment', 'empty.json'], /no inline source in \S+ is a /],
  ['a source without target', ['lint', '--environment', 'source.json'], /source 0 in \S+ has no target\n$/],
  [
    'a source in the system',
    ['lint', '--environment', 'system.json'],
    /targets \/bin\/x, which belongs to the system\n$/,
  ],
  ['an unknown flag', ['lint', '--fix'], /fix/],
  ['no tool', ['test', 'ok.json'], /^sallyport hooks test: --tool is missing: one of code_execution, /],
  ['no such tool', ['test', 'ok.json', '--tool', 'Bash'], /--tool "Bash" is no tool of a sandbox/],
  ['arguments that are no JSON', ['test', 'ok.json', '--tool', 'list_dir', '--args', '{'], /--args is no JSON\n$/],
  ['arguments that are a list', ['test', 'ok.json', '--tool', 'list_dir', '--args', '[]'], /must be an object/],
  ['an error before the run', ['test', 'ok.json', '--tool', 'list_dir', '--error', 'x'], /--event post\n$/],
]

test('bad input is one sentence and 2', async () => {
  const dir = lay({
    'dir/x': '',
    'bad.json': '{',
    'empty.json': {},
    'ok.json': {},
    'source.json': { sources: [{}] },
    'system.json': { sources: [{ type: 'inline', target: 'bin/x', content: '' }] },
  })
  for (const [what, argv, words] of BAD) {
    const { code, out, err } = await run(dir, ...argv)
    assert.deepEqual([code, out], [2, ''], what)
    assert.match(err, words, what)
    assert.equal(err.trimEnd().split('\n').length, 1, what)
  }
})

test('test: the decision, the trace, and what is expected', async (t) => {
  if (!need(t, 'bwrap') || !need(t, 'python3')) return
  const dir = lay(TREE)
  const args = '{"code":"rm -rf /tmp/x","language":"bash"}'
  const of = (...more: string[]) => run(dir, 'test', '.agents/hooks.json', '--tool', 'code_execution', ...more)
  const denied = await of('--args', args)
  assert.deepEqual([denied.code, denied.err], [0, ''])
  assert.match(denied.out, /^1\. deny +\d+ ms {2}gate › pre_tool_execution › "code_execution" {2}python3 \S+gate\.py\n/)
  assert.match(denied.out, /\ndecision: deny: no rm\n$/)
  assert.match((await of('--args', '{"code":"ls"}')).out, /\ndecision: allow\n$/)
  const other = await of('--args', args, '--expect', 'allow')
  assert.deepEqual([other.code, other.err], [1, 'sallyport hooks test: the decision is deny, not allow\n'])
  const json = JSON.parse((await of('--args', args, '--json')).out)
  assert.deepEqual([json.v, json.decision, json.reason, json.trace.length], [1, 'deny', 'no rm', 1])
  assert.match((await run(dir, 'test', '--tool', 'list_dir')).out, /no handler is for this call/)
})

test('test: a handler that fails is 1, and denies where failures deny', async (t) => {
  if (!need(t, 'bwrap')) return
  const rule = (command: string) => [{ matcher: '*', hooks: [{ type: 'command', command }] }]
  const dir = lay({
    '.agents/hooks.json': {
      gate: { pre_tool_execution: rule('exit 3'), post_tool_execution: rule('cat >&2; exit 4') },
    },
  })
  const of = (...more: string[]) => run(dir, 'test', '--tool', 'list_dir', ...more)
  const failed = await of()
  assert.equal(failed.code, 1)
  assert.match(failed.out, /^1\. failed .*\n\nfailed\.exit: .*exit status 3\n\ndecision: allow\n$/)
  assert.match(
    (await of('--fail-closed', 'gate')).out,
    /decision: deny: .*"gate" failed \(it ended with exit status 3\)/,
  )
  assert.match((await of('--event', 'post', '--error', 'boom')).out, /exit status 4 \(.*"error":"boom"/)
})

test('test: http handlers are called by nobody, and the handlers see no network, no home and no variable of ours', async (t) => {
  if (!need(t, 'bwrap')) return
  const command = 'ls / /workspace /root /home; env; cat /proc/net/dev; cat > /dev/null; echo x > /usr/x'
  const hooks = [
    { type: 'http', url: 'https://hooks.example.test/' },
    { type: 'command', command },
  ]
  const dir = lay({ '.agents/hooks.json': { gate: { pre_tool_execution: [{ matcher: '*', hooks }] } } })
  process.env['SALLYPORT_TEST_SECRET'] = 'hidden-from-handlers'
  try {
    const { code, out } = await run(dir, 'test', '--tool', 'list_dir', '--json')
    assert.equal(code, 1)
    const { trace } = JSON.parse(out)
    assert.match(trace[0].warning, /a trial without --network calls nobody/)
    assert.match(trace[1].warning, /Read-only file system/)
    assert.doesNotMatch(out, /hidden-from-handlers/)
  } finally {
    delete process.env['SALLYPORT_TEST_SECRET']
  }
})

test('test: with --network http handlers are called under the rules of the environment', async (t) => {
  if (!need(t, 'bwrap')) return
  const host = 'telemetry.example.com'
  const lab = await startLab({
    hosts: [`${host}:443`],
    answer: (_req, res) => void res.end('{"decision":"deny","reason":"from afar"}'),
  })
  try {
    const hooks = { g: { pre_tool_execution: [{ hooks: [{ type: 'http', url: `https://${host}/v1` }] }] } }
    const sources = [inline('.agents/hooks.json', JSON.stringify(hooks))]
    const of = (allowlist: object[], ...more: string[]) => {
      const dir = lay({ 'env.json': { sources, network: { allowlist } }, 'up.json': lab.upstreams })
      return run(dir, 'test', '--environment', 'env.json', '--tool', 'list_dir', '--upstreams', 'up.json', ...more)
    }
    const named = [{ domain: host, transform: { 'X-Token': 'injected' } }]
    const called = await of(named, '--network', '--expect', 'deny')
    assert.equal(called.code, 0, called.err)
    assert.match(called.out, /decision: deny: from afar/)
    assert.deepEqual(arrived(lab.seen[0]!, 'x-token'), ['injected'])
    const other = await of([{ domain: 'other.example.com' }], '--network')
    assert.match(other.out, /failed\.refused: .*not on the network allowlist/)
    assert.match((await of(named)).out, /without --network calls nobody/)
    assert.equal(lab.seen.length, 1)
  } finally {
    await lab.close()
  }
})

test('test: nothing is left behind', async (t) => {
  if (!need(t, 'bwrap')) return
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('sallyport-hooks-'))
  await run(lay(TREE), 'test', '--tool', 'code_execution')
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith('sallyport-hooks-') && !before.includes(name))
  assert.deepEqual(left, [])
})
