import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_POLICY, type PersonRule } from '../../policy/policy.ts'
import { failingExamples } from './examples.ts'

const WHERE = { cwd: '/home/dev/proj', home: '/home/dev', user: 'dev' }

const rule = (given: Partial<PersonRule>): PersonRule => ({
  id: 'r',
  verdict: 'deny',
  reason: 'because',
  origin: { layer: 'user', file: 'policy.jsonc', line: 3 },
  ...given,
})

const failing = (given: Partial<PersonRule>) =>
  failingExamples({ ...EMPTY_POLICY, rules: [rule(given)] }, WHERE).map((error) => error.message)

const CASES: readonly (readonly [string, Partial<PersonRule>, number])[] = [
  [
    'a delete rule catches every way to delete',
    {
      effect: 'delete',
      path: 'build/**',
      must: [
        'rm -rf build',
        'find build -delete',
        'git clean -fdx build',
        'python3 -c "import shutil; shutil.rmtree(\'build\')"',
      ],
      mustNot: ['ls build', 'rm -rf dist'],
    },
    0,
  ],
  [
    'a write rule catches touching, editing and file tools',
    {
      effect: 'write',
      path: 'docs/**',
      must: [
        'touch docs/a.md',
        'sed -i s/a/b/ docs/a.md',
        { tool: 'Write', input: { file_path: '/home/dev/proj/docs/a.md', content: 'x' } },
      ],
      mustNot: ['cat docs/a.md', { tool: 'Read', input: { file_path: '/home/dev/proj/docs/a.md' } }],
    },
    0,
  ],
  [
    'a command rule compares words, not text',
    {
      command: 'git add -A',
      must: ['git add -A', 'git  add "-A"', 'sudo git add -A'],
      mustNot: ['git add src', 'echo git add -A'],
    },
    0,
  ],
  ['an example that the rule does not catch is told', { effect: 'delete', path: 'x/**', must: ['ls x'] }, 1],
  ['an example that it must not catch is told', { effect: 'delete', path: 'x/**', mustNot: ['rm -rf x'] }, 1],
]

for (const [name, given, count] of CASES) {
  test(name, () => {
    const messages = failing(given)
    assert.equal(messages.length, count, messages.join('\n'))
  })
}

test('a failing example names the rule, the file and the line', () => {
  const [error] = failingExamples(
    { ...EMPTY_POLICY, rules: [rule({ effect: 'delete', path: 'x/**', must: ['ls x'] })] },
    WHERE,
  )
  assert.equal(error?.file, 'policy.jsonc')
  assert.equal(error?.line, 3)
  assert.match(error?.message ?? '', /"r" must catch but does not "ls x"/)
})
