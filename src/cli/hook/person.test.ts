import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { describe, test } from 'node:test'
import { homeOf } from './person.ts'

const SYSTEM = userInfo().homedir

/** The environment, and whose home that is. */
const ROWS: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [{ HOME: '/home/dev' }, '/home/dev'],
  [{ HOME: '/home/dev', USERPROFILE: '/other' }, '/home/dev'],
  [{ USERPROFILE: 'C:\\Users\\dev' }, 'C:\\Users\\dev'],
  [{}, SYSTEM],
  [{ HOME: '' }, SYSTEM],
  [{ HOME: '.' }, SYSTEM],
  [{ HOME: 'home/dev' }, SYSTEM],
  [{ HOME: '~' }, SYSTEM],
]

describe('the home directory', () => {
  for (const [env, home] of ROWS)
    test(JSON.stringify(env), () => {
      assert.equal(homeOf(env), home)
    })
})
