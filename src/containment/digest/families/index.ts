/** Families in the order in which they are asked. One line each: the more particular before the more general. */
import type { Family } from '../family.ts'
import { cargo } from './cargo.ts'
import { cc } from './cc.ts'
import { csv } from './csv.ts'
import { eslint } from './eslint.ts'
import { gitDiff } from './git-diff.ts'
import { gitLog } from './git-log.ts'
import { gitStatus } from './git-status.ts'
import { go } from './go.ts'
import { grep } from './grep.ts'
import { html } from './html.ts'
import { jest } from './jest.ts'
import { json } from './json.ts'
import { jsonl } from './jsonl.ts'
import { junit } from './junit.ts'
import { listing } from './listing.ts'
import { mocha } from './mocha.ts'
import { nodeTest } from './node-test.ts'
import { progress } from './progress.ts'
import { pytest } from './pytest.ts'
import { sarif } from './sarif.ts'
import { stack } from './stack.ts'
import { table } from './table.ts'
import { tap } from './tap.ts'
import { tsc } from './tsc.ts'
import { unittest } from './unittest.ts'
import { vitest } from './vitest.ts'
export const FAMILIES: readonly Family[] = [
  pytest,
  unittest,
  jest,
  vitest,
  mocha,
  nodeTest,
  tap,
  go,
  cargo,
  tsc,
  eslint,
  cc,
  gitStatus,
  gitLog,
  gitDiff,
  grep,
  listing,
  junit,
  sarif,
  jsonl,
  json,
  html,
  csv,
  table,
  stack,
  progress,
]
