/** What scenarios of several hosts share: places, what comes out, hooks that fail, a second agent, a server behind our proxy. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BROKEN, type Driver, oneByOne, type Scenario } from './scenario.ts'
import type { Scratch } from './scratch.ts'
import type { Call, Script } from './script.ts'

export const letter = (at: Scratch): string => join(at.home, 'precious', 'letter.txt')
export const note = (at: Scratch): string => join(at.cwd, 'note.txt')
export const draft = (at: Scratch): string => join(at.cwd, 'draft.txt')
export const marker = (at: Scratch): string => join(at.cwd, 'marker')

export const REMOVE = 'rm -rf ~/precious'

/** The call was denied and did not run; it was left to the host and ran; it ran though no guard said a word. */
export const DENIED = { ran: false, said: 'deny', saw: 'reason' } as const
export const PASSED = { ran: true, said: 'pass', saw: 'result' } as const
export const RAN = { ran: true, said: 'nothing', saw: 'result' } as const

/** Hooks that fail: the key of the capability, the hook, and the words for it. */
export const FAILING = [
  ['crash', BROKEN.crash, 'the hook exits 1'],
  ['timeout', BROKEN.hang, 'the hook hangs'],
  ['garbage', BROKEN.garbage, 'the hook writes no JSON'],
] as const

/** What the second agent is told, by which its conversation is known. */
export const TASK = 'CLEAN-UP-TASK'

/** The first agent makes the call `agent`, which starts a second one with `TASK`, which makes the call. */
export const bySecond = (agent: Call, call: Call): Script => ({
  turns: [{ calls: [agent] }],
  others: [{ when: TASK, turns: [{ calls: [call] }] }],
})

/** `call` writes the note by the tool `flood` of the lab's server. */
export const throughProxy = (mode: Scenario['mode'], call: (path: string) => Call): Scenario => ({
  id: 'contain-proxy',
  claim: 'mcp yes: a result of a server behind our proxy was a digest, without any hook of ours',
  judged: call('').id,
  touches: note,
  script: (at) => oneByOne(call(note(at))),
  mode,
  mcp: 'proxy',
  instead: 'true',
  expect: { ...RAN, shown: '[ctx exit unknown | 1500 lines', hidden: 'line 700 of 1500' },
})

/** The first of these files that an install directory has. */
export const installed =
  (...names: readonly string[]): Driver['program'] =>
  (directory) =>
    names.map((name) => join(directory, name)).find((path) => existsSync(path))
