import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { hostCapOf } from '../../containment/ledger/caps.ts'
import { book, ledgerFile, rowOf } from '../../containment/ledger/ledger.ts'
import { runProgram } from '../program.ts'

function within(
  use: (
    run: (...argv: string[]) => Promise<{ code: number; out: string; err: string }>,
    env: { CTX_STATE_HOME: string },
    dir: string,
  ) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sallyport-gain-'))
    const env = { CTX_STATE_HOME: join(dir, 'state'), HOME: dir, COLUMNS: '120' }
    try {
      await use(
        async (...argv) => {
          let [out, err] = ['', '']
          const io = {
            out: (text: string) => {
              out += text
            },
            err: (text: string) => {
              err += text
            },
            cwd: dir,
            env,
            colour: false,
          }
          const code = await runProgram('ctx', ['gain', ...argv], io)
          return { code, out, err }
        },
        env,
        dir,
      )
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

const add = (env: { CTX_STATE_HOME: string }, host: string, ts: string) =>
  assert.equal(
    book(
      rowOf({
        of: 'run:0123456789ab',
        ts,
        host,
        session: 's',
        family: 'pytest',
        raw: { bytes: 20_000, tokens: 6000 },
        cap: hostCapOf(host, 20_000),
        delivered: { bytes: 1800, tokens: 580 },
        method: 'run',
        exit: 1,
      }),
      ledgerFile(env, '/nowhere'),
    ),
    undefined,
  )

test(
  'without events: 1 and a hint',
  within(async (run) => {
    const { code, out, err } = await run()
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^ctx gain: there are no events yet; run a command as: ctx run -- <command>\n$/)
  }),
)

test(
  'text and JSON say the same; events can be chosen by day and host',
  within(async (run, env) => {
    add(env, 'claude', '2026-01-02T00:00:00.000Z')
    add(env, 'codex', '2026-03-02T00:00:00.000Z')
    const text = await run()
    assert.equal(text.code, 0)
    assert.match(text.out, /^contained: 29\.5 KiB raw -> 3\.5 KiB emitted \(8\.4x\)$/m)
    assert.match(text.out, /^est tokens kept out of context: 7912$/m)
    const json = JSON.parse((await run('--json')).out)
    assert.deepEqual([json.v, json.tokens.net, json.contained.raw, json.spend.model], [1, 7912, 30_240, 'fallback'])
    assert.equal(JSON.parse((await run('--json', '--host', 'claude')).out).tokens.net, 5420)
    assert.equal(JSON.parse((await run('--json', '--since', '2026-02-01')).out).tokens.net, 2492)
    assert.equal((await run('--host', 'gemini')).code, 1)
  }),
)

test(
  'bad input: 2 and one sentence that names it',
  within(async (run, env, dir) => {
    add(env, 'claude', '2026-01-02T00:00:00.000Z')
    writeFileSync(join(dir, 'p.jsonc'), '{"prices": [{"match": 3}]}')
    writeFileSync(join(dir, 'q.jsonc'), '{"prices": [')
    for (const [argv, words] of [
      [['--since', 'yesterday'], /--since "yesterday" is no day/],
      [['--prices', 'none.jsonc'], /none\.jsonc cannot be read/],
      [['--prices', 'p.jsonc'], /prices\[0\]\.match/],
      [['--prices', 'q.jsonc'], /q\.jsonc, line 1/],
    ] as const) {
      const { code, err } = await run(...argv)
      assert.equal(code, 2)
      assert.match(err, words)
      assert.equal(err.split('\n').length, 2)
    }
    writeFileSync(
      join(dir, 'ok.jsonc'),
      '// mine\n{"prices": [{"match": "my-model", "input": 7, "source": "contract", "date": "2026-01-01"},]}',
    )
    assert.match((await run('--prices', 'ok.jsonc', '--model', 'my-model-2')).out, /my-model-2 @ \$7\.00/)
    assert.match((await run('--model', 'nobody')).err, /no price is known for "nobody"/)
  }),
)
