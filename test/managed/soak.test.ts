/** A tenth of the soak, seeded; `npm run soak -- managed` plays all of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { soak } from './soak.ts'
import { canIsolate } from './support.ts'

test('200 interactions over 4 environments, with cancels, restarts and kills: nothing is lost, stuck or leaked', async (t) => {
  if (!canIsolate(t)) return
  const { faults, counts } = await soak({ interactions: 200, environments: 4, seed: 1 })
  assert.deepEqual(faults, [])
  assert.ok(counts['completed']! > 20, JSON.stringify(counts))
  assert.deepEqual([counts['kills'], counts['restarts']], [4, 3])
})
