import assert from 'node:assert/strict'
import { posix, win32 } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRooted, isSettled, parentOf, under } from './native-path.ts'

const piece = fc.constantFrom('a', 'b.c', '.', '..', '.git', '', 'x y')
const path = fc.array(piece, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`)

test('a path counts as settled exactly where the platform would leave it as it is', () => {
  fc.assert(fc.property(path, (one) => assert.equal(isSettled(one), posix.resolve('/', one) === one, one)))
  for (const one of ['', 'a', './a', 'C:/a']) assert.equal(isSettled(one), false)
})

test('a settled path has the parent and the children that the platform gives it', () => {
  fc.assert(
    fc.property(path, piece, (one, name) => {
      fc.pre(isSettled(one) && name !== '' && !name.startsWith('..') && name !== '.')
      assert.equal(parentOf(one), posix.dirname(one))
      assert.equal(under(one, name), posix.join(one, name))
    }),
  )
})

test('drives and servers', () => {
  for (const one of ['C:\\a\\b', 'C:/a', 'C:\\', '\\\\server\\share\\x', '/a', 'a', 'a\\b', 'C:a'])
    assert.equal(isRooted(one), one !== 'a' && one !== 'a\\b' && one !== 'C:a', one)
  for (const one of ['C:\\a\\b', 'C:/a/b', 'C:\\a', 'C:/']) assert.equal(parentOf(one), win32.dirname(one), one)
})
