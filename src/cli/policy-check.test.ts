import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { policyCheck } from './policy-check.ts'

const root = mkdtempSync(join(tmpdir(), 'policy-check-'))
after(() => rmSync(root, { recursive: true }))

function place(user: string | undefined, project: string | undefined) {
  const dir = mkdtempSync(join(root, 'p-'))
  const repo = join(dir, 'proj')
  mkdirSync(join(repo, '.git'), { recursive: true })
  mkdirSync(join(repo, 'src'))
  const put = (at: string, text: string | undefined) => {
    if (text === undefined) return
    mkdirSync(join(at, '..'), { recursive: true })
    writeFileSync(at, text)
  }
  const files = { user: join(dir, '.config/sallyport/policy.jsonc'), project: join(repo, '.sallyport/policy.jsonc') }
  put(files.user, user)
  put(files.project, project)
  const run = (...argv: string[]) => {
    let out = ''
    let err = ''
    const io = {
      out: (text: string) => {
        out += text
      },
      err: (text: string) => {
        err += text
      },
    }
    const code = policyCheck(argv, { ...io, cwd: join(repo, 'src'), env: { HOME: dir } })
    return { code, out, err }
  }
  return { files, run }
}

test('every value with file and line, the project found from below', () => {
  const { files, run } = place('{\n  "profile": "strict"\n}', '{\n  "frozen": [\n    "spec/**"]}')
  const { code, out, err } = run()
  assert.equal(err, '')
  assert.equal(code, 0)
  const rows = out
    .trimEnd()
    .split('\n')
    .map((row) => row.split(/ {2,}/))
  assert.deepEqual(rows, [
    ['profile', 'strict', `${files.user}:2 (user)`],
    ['frozen', 'spec/**', `${files.project}:3 (project)`],
  ])
})

test('without files the built-in policy is shown', () => {
  assert.deepEqual(place(undefined, undefined).run(), { code: 0, out: 'profile  standard  built in\n', err: '' })
})

test('errors are one sentence each, and the exit status is 1', () => {
  const { files, run } = place('{"frozn": []}', '{\n"allow": ["x"]}')
  const { code, err } = run()
  assert.equal(code, 1)
  const lines = err.trimEnd().split('\n')
  assert.equal(lines.length, 2)
  assert.equal(
    lines[0],
    `sallyport policy check: ${files.user}:1: \`frozn\` is not a policy key; did you mean \`frozen\`?`,
  )
  assert.ok(
    lines[1]!.startsWith(`sallyport policy check: ${files.project}:2: \`allow\` has no effect in a project file`),
  )
  assert.ok(lines[1]!.endsWith('.'))
})

test('as JSON, with the errors', () => {
  const { files, run } = place('{"families": {"loss": "deny"}, "x": 1}', undefined)
  const { code, out } = run('--json')
  assert.equal(code, 1)
  const told = JSON.parse(out)
  assert.deepEqual(told.values[1], { key: 'families.loss', value: 'deny', layer: 'user', file: files.user, line: 1 })
  assert.equal(told.errors.length, 1)
  assert.equal(told.v, 1)
})

test('bad usage exits 2', () => {
  const { code, err } = place(undefined, undefined).run('--yaml')
  assert.equal(code, 2)
  assert.match(err, /^sallyport policy check: `--yaml`/)
})
