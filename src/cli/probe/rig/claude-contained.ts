/** Claude Code: floods that our hook contains before and after a run, and one that our proxy does. */
import { join } from 'node:path'
import {
  CTX,
  FAILING_FLOOD,
  FLOOD_SCRIPT,
  failingHandle,
  KEPT_FLOOD,
  keptHandle,
  UNKNOWN_FLOOD,
  unknownHandle,
} from './contained.ts'
import { oneByOne, type Scenario } from './scenario.ts'
import { marker, RAN, throughProxy } from './shared.ts'

/** A shell call. */
export const bash = (id: string, command: string) => ({ id, tool: 'Bash', input: { command, description: 'Work' } })

/** Floods that our hook contains, and what the host asks of them. */
export function claudeContainment(): readonly Scenario[] {
  const flood = {
    judged: 'toolu_flood',
    touches: marker,
    script: () =>
      oneByOne(
        bash('toolu_flood', FAILING_FLOOD),
        bash('toolu_get', `${CTX} get ${failingHandle()} --lines 2718:2718`),
      ),
    gates: true as const,
  }
  const unknown = {
    judged: 'toolu_flood',
    touches: marker,
    files: { 'flood.sh': FLOOD_SCRIPT },
    mode: 'allowed' as const,
    gates: true as const,
  }
  const address = (handle: string) => `| ${handle} |`
  const digested: Scenario['expect'] = {
    ran: true,
    said: 'nothing',
    saw: 'result',
    failed: true,
    shown: address(failingHandle()),
    hidden: 'line 2000 of 4000',
    also: { toolu_flood: 'Exit code 3', toolu_get: 'the odd one out' },
  }
  return [
    {
      ...flood,
      id: 'contain-run',
      claim:
        'pre.rewrite yes: a failing flood ran under our capture: its digest, its exit code, and a line of it by its address',
      mode: 'allowed',
      expect: digested,
    },
    {
      ...flood,
      id: 'contain-run-bypass',
      claim: 'pre.rewrite yes: the same where permissions are skipped',
      mode: 'bypass',
      expect: digested,
    },
    {
      ...flood,
      id: 'contain-asked',
      claim:
        'rewrite.keepsPrompt yes: a flood that the host would have asked about was still asked about, and did not run',
      mode: 'default',
      expect: { ran: false, said: 'nothing', saw: 'refusal' },
    },
    {
      ...flood,
      id: 'contain-denied',
      claim: 'rewrite.keepsPrompt yes: a flood that a rule of the user denies was left as it was, and the rule held',
      mode: 'bypass',
      permissions: { deny: ['Bash(node:*)'] },
      expect: { ran: false, said: 'pass', saw: 'refusal' },
    },
    {
      ...flood,
      id: 'contain-allowed',
      claim: 'rewrite.keepsPrompt yes: a flood that a rule of the user allows was left as it was, and ran unasked',
      mode: 'default',
      permissions: { allow: ['Bash(node:*)'] },
      expect: { ran: true, said: 'pass', saw: 'result', failed: true, shown: 'line 1 of 4000' },
    },
    {
      ...unknown,
      id: 'contain-result',
      claim:
        'post.replace yes: the result of a program that no table knows became a digest, and a line of it came by its address',
      script: () => {
        const handle = unknownHandle((text) => text.trimEnd(), 0)
        return oneByOne(bash('toolu_flood', UNKNOWN_FLOOD), bash('toolu_get', `${CTX} get ${handle} --lines 700:700`))
      },
      expect: {
        ...RAN,
        shown: address(unknownHandle((text) => text.trimEnd(), 0)),
        hidden: 'line 700 of 1500',
        also: { toolu_flood: '[ctx exit 0 |', toolu_get: 'line 700 of 1500' },
      },
    },
    {
      ...unknown,
      id: 'contain-kept',
      claim:
        'post.replace yes: of a result that the host had cut, all that the host keeps in a file is captured and addressed',
      script: () =>
        oneByOne(bash('toolu_flood', KEPT_FLOOD), bash('toolu_get', `${CTX} get ${keptHandle()} --lines 2999:2999`)),
      expect: {
        ...RAN,
        shown: address(keptHandle()),
        hidden: 'persisted-output',
        also: { toolu_flood: '[ctx exit 0 | 3000 lines', toolu_get: 'line 1499 of 1500' },
      },
    },
    throughProxy('allowed', (path) => ({ id: 'toolu_mcp', tool: 'mcp__lab__flood', input: { path, text: 'noted' } })),
    {
      id: 'contain-read',
      claim: 'pre.rewrite yes: a large file was read in part, and the model was told how to read on',
      judged: 'toolu_read',
      touches: marker,
      files: { 'large.txt': Array.from({ length: 1500 }, (_, at) => `line ${at + 1} of 1500\n`).join('') },
      script: (at) => oneByOne({ id: 'toolu_read', tool: 'Read', input: { file_path: join(at.cwd, 'large.txt') } }),
      mode: 'allowed',
      gates: true,
      expect: {
        ran: false,
        said: 'nothing',
        saw: 'result',
        shown: 'line 240 of 1500',
        hidden: 'line 241 of 1500',
        told: 'get repo:large.txt --lines 241:480',
      },
    },
  ]
}
