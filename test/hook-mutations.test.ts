/** Whatever bytes come in, exactly one valid answer of that host goes out. Mutations are seeded: a failure repeats. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { respond } from '../src/cli/hook/respond.ts'
import { eventOf } from '../src/hosts/events.ts'
import { HOSTS } from '../src/hosts/registry.ts'
import { mutationsOf } from './hook-mutate.ts'
import { depsOf, launchOf, readAnswer, rowBytes, rowsOf, saying, whole } from './hook-support.ts'

const ROUNDS = 2_000

for (const host of HOSTS) {
  describe(`mutated payloads of ${host.title}`, () => {
    const seeds = rowsOf(host.id).map((row) => ({ event: row.event, bytes: rowBytes(row) }))

    it('always get one valid answer, and never an internal error', () => {
      const counts = { deny: 0, ask: 0, pass: 0, nothing: 0 }
      const verdicts = [
        saying({ decision: 'deny', reason: 'no' }),
        saying({ decision: 'ask', reason: 'sure?' }),
        saying({ decision: 'pass', reason: '' }),
      ]
      for (const { bytes, event, n } of mutationsOf(seeds, ROUNDS, 20_261)) {
        const deps = depsOf(verdicts[n % verdicts.length]!)
        const outcome = respond(whole(bytes), { host: host.id, event, launch: launchOf() }, deps)
        const label = `mutation ${n}: ${new TextDecoder().decode(bytes.slice(0, 200))}`
        const said = readAnswer(host.id, outcome.stdout)
        counts[said === 'nothing' ? 'nothing' : said.decision]++
        assert.doesNotMatch(outcome.stdout, /allow|\n\s+at /, label)
        assert.ok(!outcome.problem?.includes('internal error'), `${label}: ${outcome.problem}`)
        // What is answered before a run is a decision; silence there is a pass that somebody made.
        if (outcome.kind === 'pre') assert.ok(outcome.answered !== undefined, label)
        if (outcome.kind === 'pre' && outcome.verdict === undefined)
          assert.equal(outcome.answered?.decision, 'deny', label)
        if (eventOf(host.events, event)?.kind === 'post' && outcome.kind === 'post')
          assert.equal(outcome.stdout, host.encodePost(launchOf()), label)
      }
      for (const decision of ['deny', 'pass'] as const) assert.ok(counts[decision] > 20, `${decision} hardly comes up`)
    })

    it('get an answer too when the judge breaks', () => {
      const broken = depsOf(() => {
        throw new RangeError('Maximum call stack size exceeded\n    at secret (/home/x.js:1:1)')
      })
      for (const { bytes, event } of mutationsOf(seeds, 200, 77)) {
        const outcome = respond(whole(bytes), { host: host.id, event, launch: launchOf() }, broken)
        assert.doesNotThrow(() => readAnswer(host.id, outcome.stdout))
        assert.doesNotMatch(outcome.stdout, /secret|x\.js/)
        if (outcome.kind !== 'pre' || outcome.answered?.decision !== 'pass') continue
        const readOnly = outcome.call?.actions.every(({ is }) => is === 'read' || is === 'search' || is === 'harmless')
        assert.ok(readOnly, 'only calls that read may pass unjudged')
      }
    })
  })
}
