import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lab } from './sandbox.testing.ts'

const GATE = '/workspace/repo/.agents/gate.py'

/** Ways to change a frozen script; each must leave what it held. */
const ATTACKS: readonly (readonly [string, string])[] = [
  ['write', `echo evil > ${GATE}`],
  ['delete and write anew', `rm -f ${GATE}; echo evil > ${GATE}`],
  ['move the directory', 'mv /workspace/repo/.agents /workspace/x; mkdir /workspace/repo/.agents; echo evil > ' + GATE],
  ['move a directory above', `mv /workspace/repo /workspace/x; mkdir -p /workspace/repo/.agents; echo evil > ${GATE}`],
  ['move the one above that', `mv /workspace /w; mkdir -p /workspace/repo/.agents; echo evil > ${GATE}`],
  [
    'a link in its place',
    'rm -rf /workspace/repo/.agents; ln -s /tmp /workspace/repo/.agents; echo evil > /tmp/gate.py',
  ],
  ['change what a link led to', 'echo evil > /workspace/shared/lib.py'],
]

test('frozen configuration holds what it held, in runs, tools and forks', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash, tool } = one
  const make = async () => {
    const { id } = await environments.create({
      sources: [
        { type: 'inline', target: GATE, content: 'good\n' },
        { type: 'inline', target: '/workspace/shared/lib.py', content: 'good\n' },
      ],
    })
    await bash(id, 'ln -s ../../shared/lib.py /workspace/repo/.agents/lib.py; ln -s .agents /workspace/repo/conf')
    return id
  }
  const shown = async (id: string) =>
    (await bash(id, 'cd /workspace/repo; cat .agents/gate.py .agents/lib.py conf/gate.py 2>&1')).output
  for (const [name, attack] of ATTACKS) {
    const open = await make()
    await bash(open, attack)
    assert.match(await shown(open), /evil/, `${name}: works where nothing is frozen`)
    const id = await make()
    await environments.freeze(id, ['/workspace/repo/.agents', '/workspace/repo/conf', '/nowhere'])
    await bash(id, attack)
    assert.equal(await shown(id), 'good\n'.repeat(3), name)
    const fork = await environments.create({ from: id })
    await bash(fork.id, attack)
    assert.equal(await shown(fork.id), 'good\n'.repeat(3), `${name}, in a fork`)
    for (const path of [GATE, '/workspace/repo/conf/gate.py', '/workspace/repo/.agents/new']) {
      const outcome = await tool(id, 'write_to_file', { path, content: 'evil' })
      assert.deepEqual([outcome.isError, outcome.output.includes('read-only')], [true, true], path)
    }
    assert.equal((await tool(id, 'delete_file', { path: GATE })).isError, true)
    await assert.rejects(async () => (await environments.files(id)).remove('/workspace/repo'), /frozen|read-only/)
    assert.equal(await shown(id), 'good\n'.repeat(3), `${name}, after the tools`)
    for (const each of [open, id, fork.id]) await environments.remove(each)
  }
})
