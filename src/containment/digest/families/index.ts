/** Families in the order in which they are asked. One line each: the more particular before the more general. */
import type { Family } from '../family.ts'
import { cargo } from './cargo.ts'
import { cc } from './cc.ts'
import { csv } from './csv.ts'
import { ctest } from './ctest.ts'
import { eslint } from './eslint.ts'
import { gitDiff } from './git-diff.ts'
import { gitLog } from './git-log.ts'
import { gitStatus } from './git-status.ts'
import { go } from './go.ts'
import { grep } from './grep.ts'
import { html } from './html.ts'
import { java } from './java.ts'
import { jest } from './jest.ts'
import { json } from './json.ts'
import { jsonl } from './jsonl.ts'
import { junit } from './junit.ts'
import { listing } from './listing.ts'
import { minitest } from './minitest.ts'
import { mocha } from './mocha.ts'
import { nodeTest } from './node-test.ts'
import { npm } from './npm.ts'
import { phpunit } from './phpunit.ts'
import { pip } from './pip.ts'
import { progress } from './progress.ts'
import { pytest } from './pytest.ts'
import { pythonLint } from './python-lint.ts'
import { rspec } from './rspec.ts'
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
  rspec,
  minitest,
  phpunit,
  go,
  cargo,
  tsc,
  eslint,
  pythonLint,
  java,
  ctest,
  cc,
  npm,
  pip,
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
  table,
  csv,
  stack,
  progress,
]
