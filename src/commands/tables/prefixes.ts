/** Programs that run another program. */
import { runnerVerbs } from '../packages/builds.ts'
import { CTX, ctxVerbs } from '../prefixes/ctx-verbs.ts'
import { ELSEWHERE } from '../prefixes/elsewhere.ts'
import { OWN } from '../prefixes/own.ts'
import { prefixReader } from '../prefixes/reader.ts'
import { SYSTEM } from '../prefixes/rows.ts'
import { RUNNERS } from '../prefixes/runners.ts'
import type { Group } from '../registry.ts'
import { screen, tmux } from '../terminals.ts'

export const prefixes: Group = {
  id: 'prefixes',
  rows: [],
  readers: {
    ...Object.fromEntries([...SYSTEM, ...RUNNERS].map((row) => [row.names, prefixReader(row, runnerVerbs(row.names))])),
    'ctx sallyport': prefixReader(CTX, ctxVerbs),
    ...OWN,
    tmux,
    screen,
    ...ELSEWHERE,
  },
}
