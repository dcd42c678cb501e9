import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { need } from '../../../test/need.ts'
import { type Process, processesIn, startedBy, wordsFrom } from './ancestors.ts'

const LIST = `
    1     0 /sbin/launchd
  300     1 /bin/zsh -l
  400   300 claude -p hi --disallowedTools Read,Bash(npm test) Edit
  500   400 /bin/sh -c node /x/hook.cjs claude PreToolUse
`

describe('the processes above a hook', () => {
  it('are read from a list, rules in one piece', () => {
    const all = processesIn(LIST)
    assert.equal(all.size, 4)
    assert.deepEqual(all.get(400), {
      parent: 300,
      words: ['claude', '-p', 'hi', '--disallowedTools', 'Read,Bash(npm test)', 'Edit'],
    })
  })

  const chain =
    (words: Readonly<Record<number, readonly [number, ...string[]]>>) =>
    (id: number): Process | undefined => {
      const found = words[id]
      if (found === undefined) return undefined
      const [parent, ...rest] = found
      return { parent, words: rest }
    }
  const cases: readonly (readonly [string, ReturnType<typeof chain>, readonly string[] | undefined])[] = [
    [
      'end at the host',
      chain({ 5: [4, 'sh', '-c', 'x'], 4: [3, 'node', '/a/claude', '-p'], 3: [0, 'zsh'] }),
      ['sh', '-c', 'x', 'node', '/a/claude', '-p'],
    ],
    [
      'reach to the first where no host is known',
      chain({ 5: [4, 'sh'], 4: [1, 'x'], 1: [0, 'init'] }),
      ['sh', 'x', 'init'],
    ],
    ['are not known where one is not shown', chain({ 5: [4, 'sh'] }), undefined],
    ['are not known where they go in circles', chain({ 5: [4, 'sh'], 4: [5, 'x'] }), undefined],
  ]
  for (const [name, look, words] of cases) it(name, () => assert.deepEqual(wordsFrom(5, look), words))

  it('are shown here, and the system’s own list agrees', (t) => {
    const words = startedBy()
    assert.ok(words !== undefined && words.length > 0)
    if (!need(t, 'ps')) return
    const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' })
    const listed = wordsFrom(process.ppid, (id) => processesIn(stdout).get(id))
    assert.equal(listed?.[0], words[0])
  })
})
