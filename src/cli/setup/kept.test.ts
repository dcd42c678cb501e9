import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gatheredIo } from '../io.testing.ts'
import { runProgram } from '../program.ts'
import { keptLines } from './kept.ts'

const scratch = mkdtempSync(join(tmpdir(), 'kept-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

/** What lies below the state directory (a slash at the end: an empty directory), and the lines, with `~` for the home. */
const rows: readonly (readonly [what: string, entries: readonly string[], lines: readonly string[]])[] = [
  ['nothing', [], []],
  ['the lock of the verb itself', ['.setup.lock.d/meta.json'], []],
  [
    'what is made anew',
    [
      'log.jsonl',
      'log.4.jsonl',
      'sessions/a.jsonl',
      'store/x',
      'redact.key',
      'digests.jsonl',
      'pause.json',
      'probes/x',
    ],
    [
      'what can go (log, sessions, captured output, key of its masks, trust in digest profiles, caches): rm -r S/digests.jsonl S/log.4.jsonl S/log.jsonl S/pause.json S/probes S/redact.key S/sessions S/store',
    ],
  ],
  ['empty directories', ['hosts/', 'backups/'], ['what is empty: rmdir S/backups S/hosts']],
  [
    'what exists nowhere else',
    ['snapshots/s_1/x', 'managed/credentials/key', 'backups/0'],
    [
      'stays: S/backups, host settings as they were before setup, which exist nowhere else',
      'stays: S/managed, environments of managed agents and their credentials, which exist nowhere else',
      'stays: S/snapshots, files that calls lost (sallyport undo list), which exist nowhere else',
    ],
  ],
  ['a record that nobody can read', ['hosts/kiro.json'], ['stays: S/hosts, records of setup that cannot be read']],
  [
    'what others put there',
    ['log.jsonl.old', 'my notes', 'log.jsonl'],
    [
      'what can go (log): rm -r S/log.jsonl',
      "stays: S/log.jsonl.old and 'S/my notes', not known to sallyport: look at each before you remove it",
    ],
  ],
]

function put(root: string, entries: readonly string[]): void {
  for (const entry of entries) {
    const path = join(root, entry)
    mkdirSync(entry.endsWith('/') ? path : dirname(path), { recursive: true })
    if (!entry.endsWith('/')) writeFileSync(path, '')
  }
}

function told(entries: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'h'))
  const state = join(home, '.local/state/sallyport')
  put(state, entries)
  const io = gatheredIo(home, { HOME: home, ...env })
  return { home, state, lines: () => keptLines(io, state).replaceAll(state, 'S').split('\n').slice(0, -1) }
}

describe('after the last host is taken out', () => {
  for (const [what, entries, lines] of rows)
    test(`is told: ${what}`, () => assert.deepEqual(told(entries).lines(), lines))

  test('captures that were led elsewhere are told, and nothing else of that place', () => {
    const elsewhere = mkdtempSync(join(scratch, 'c'))
    put(elsewhere, ['store/x', 'ledger.jsonl', 'mine'])
    const { lines } = told([], { CTX_STATE_HOME: elsewhere })
    assert.deepEqual(lines(), [`what can go (captured output): rm -r ${elsewhere}/ledger.jsonl ${elsewhere}/store`])
  })

  test('what is left beside the copies of the program is told, and the policy', () => {
    const { home, lines } = told([])
    put(home, ['.local/share/sallyport/mine/x', '.config/sallyport/policy.jsonc'])
    assert.deepEqual(lines(), [
      `stays: ${home}/.local/share/sallyport/mine, not known to sallyport: look at each before you remove it`,
      `stays: ${home}/.config/sallyport/policy.jsonc, your policy`,
    ])
  })
})

describe('a file of hooks that cannot be read, and of which no setup is known', () => {
  for (const [what, text, code, said] of [
    ['holds nothing of ours', '{"a": [', 0, 'nothing of setup is registered with any host\n'],
    ['may hold something of ours', '{"a": ["sallyport hook', 1, 'it cannot be read, so nothing was taken out of it'],
  ] as const)
    test(what, async () => {
      const home = mkdtempSync(join(scratch, 'torn'))
      put(home, ['proj/.git/', 'proj/.agents/'])
      const file = join(home, 'proj/.agents/hooks.json')
      writeFileSync(file, text)
      const io = gatheredIo(join(home, 'proj'), { HOME: home })
      assert.equal(await runProgram('sallyport', ['uninstall', '--yes'], io), code)
      assert.ok((io.text + io.errors).includes(said), io.text + io.errors)
      assert.equal(readFileSync(file, 'utf8'), text)
    })
})
