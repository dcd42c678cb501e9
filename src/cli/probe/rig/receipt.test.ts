import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normaliser } from './receipt.ts'

test('no path of the machine stays in a receipt, also behind an escaped line end', () => {
  const plain = normaliser({ cwd: '/h/w/repo', home: '/h', root: '/r', records: '/r/records' }, '/p')
  const node = process.execPath
  assert.deepEqual(plain([`a\\n${node} /p/bin/ctx.js`, `a\n${node}`, { cwd: '/h/w/repo/x', home: '"/h/.claude"' }]), [
    'a\\n$NODE $PROJECT/bin/ctx.js',
    'a\n$NODE',
    { cwd: '$CWD/x', home: '"$HOME/.claude"' },
  ])
  assert.equal(plain('other/p and x/h'), 'other/p and x/h')
})
