/** Captures what `cat` prints of one file, as `ctx run` does, and tells its time and memory. For `bench/capture.ts`. */
import { readFileSync } from 'node:fs'
import { capture } from '../src/containment/run/capture.ts'
import { startLifeline } from '../src/containment/run/lifeline.ts'
import { openStore } from '../src/containment/store/store.ts'

/** The most memory that this process had at any time, in MB; without an answer of the system what it has now. */
function peak(): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / 1000
  } catch {
    return process.memoryUsage().rss / 1e6
  }
}

const [state = '', file = ''] = process.argv.slice(2)
const store = openStore({ env: { CTX_STATE_HOME: state }, home: state })
const began = performance.now()
const spool = store.create({ argv: ['cat', file], cwd: '/' })
const outcome = await capture(
  {
    argv: ['cat', file],
    cwd: '/',
    elsewhere: true,
    pty: false,
    env: process.env,
    more: [],
    fileLimit: undefined,
    stdin: 'ignore',
    lifeline: startLifeline(2, process.env),
  },
  {
    take(source, chunk) {
      spool.append(source, chunk)
      return true
    },
    unwanted: () => false,
    afterwards: () => 'nowhere',
  },
)
const sealed = spool.seal({ exit: 0 })
const ms = performance.now() - began
if ('refused' in outcome || sealed.handle === undefined)
  throw new Error(JSON.stringify({ outcome, notice: sealed.notice }))
process.stdout.write(JSON.stringify({ ms, peak: peak(), ...sealed.streams.merged }))
