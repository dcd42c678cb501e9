import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS, MIB } from './limits.ts'
import { lab } from './sandbox.testing.ts'

/** Programs that take more than their share, under small limits: what they meet, and what still works. */
const HOGS: readonly (readonly [string, string, RegExp, string])[] = [
  [
    'forks',
    'f() { f | f & }; f 2>/dev/null; sleep 1; for i in $(seq 200); do sleep 5 & done',
    /Resource temporarily unavailable|exit status 254/,
    'for i in 1 2 3; do (echo $i) & done; wait; echo fine',
  ],
  [
    'memory',
    'python3 -c "x = bytearray(700 * 1024 * 1024); print(len(x))"',
    /MemoryError|Killed|exit status 137/,
    'python3 -c "x = bytearray(100 * 1024 * 1024); print(\'fine\')"',
  ],
  [
    'a file',
    'head -c 60000000 /dev/zero > big; stat -c %s big',
    /File size limit|File too large|50331648/,
    'head -c 40000000 /dev/zero > big && echo fine',
  ],
  [
    'open files',
    'python3 -c "import os; [os.open(\'/dev/null\', 0) for _ in range(2000)]"',
    /Too many open files/,
    "python3 -c \"import os; [os.open('/dev/null', 0) for _ in range(100)]; print('fine')\"",
  ],
  [
    'shared memory',
    'head -c 60000000 /dev/zero > /dev/shm/x; stat -c %s /dev/shm/x',
    /No space left|File size limit|File too large/,
    'head -c 1000000 /dev/zero > /dev/shm/x && echo fine',
  ],
  ['processor time', 'while :; do :; done', /exit status 137|exit status 152|killed/i, 'echo fine'],
]

test('no program takes more than its share', async (t) => {
  const limits = {
    ...DEFAULT_LIMITS,
    processes: 100,
    memoryBytes: 512 * MIB,
    fileBytes: 48 * MIB,
    openFiles: 500,
    sharedBytes: 16 * MIB,
    cpuSeconds: 3,
  }
  const one = await lab(t, { limits })
  if (one === undefined) return
  for (const [name, hog, meets, control] of HOGS) {
    const { id } = await one.environments.create({})
    assert.match((await one.bash(id, control)).output, /fine/, `control: ${name}`)
    assert.match((await one.bash(id, hog)).output, meets, name)
    await one.environments.stop(id)
    assert.match((await one.bash(id, control)).output, /fine/, `afterwards: ${name}`)
    await one.environments.remove(id)
  }
})
