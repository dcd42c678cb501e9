import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { judgeCase, subjectOfWorld } from '../cli/check/case.ts'
import { frozenWorld, parseFrozenWorld } from '../world/frozen.ts'

const file = parseFrozenWorld(readFileSync(new URL('../../cases/worlds/repo.json', import.meta.url), 'utf8'), 'repo')

/** The verdict on a command after others were denied. */
const after = (denied: readonly string[], command: string) => {
  const subject = subjectOfWorld(file, { command })
  const session = { ...subject.session, deniedCalls: denied.map((one) => ({ command: one })) }
  return judgeCase({ ...subject, session }, frozenWorld(file)).verdict
}

const CASES: readonly (readonly [denied: string, command: string, decision: string])[] = [
  ['rm -rf ~', 'rm -rf dist', 'pass'],
  ['rm -rf ~', 'rm -rf "$HOME"', 'deny'],
  ['rm -rf ~', 'rm -rf /home', 'deny'],
  ['rm -rf .', 'rm README.md', 'pass'],
  ['rm -rf .', 'find . -delete', 'deny'],
  ['rm -rf dist', 'rm -rf dist/assets', 'deny'],
  ['rm -rf dist', 'python3 -c "import shutil; shutil.rmtree(\'dist\')"', 'deny'],
  ['rm -rf dist', 'rm -rf build', 'pass'],
]

for (const [denied, command, decision] of CASES) {
  test(`after ${denied} was denied: ${command}`, () => {
    assert.equal(after([denied], command).decision, decision)
  })
}

test('a policy file that cannot be used makes changes ask, and leaves reading alone', () => {
  const broken = {
    ...file,
    files: {
      ...file.files,
      '/home/dev/proj/.sallyport/policy.jsonc': { type: 'file' as const, content: '{"frozen": ["a" "b"]}' },
    },
  }
  const verdict = (command: string) => judgeCase(subjectOfWorld(broken, { command }), frozenWorld(broken)).verdict
  assert.equal(verdict('echo x > src/new.ts').decision, 'ask')
  assert.match(verdict('echo x > src/new.ts').reason, /policy\.jsonc:1 cannot be used/)
  assert.equal(verdict('cat README.md').decision, 'pass')
  assert.equal(verdict('rm -rf ~').decision, 'deny')
})
