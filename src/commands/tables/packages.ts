/** Package managers and build tools. */
import { BUILDS } from '../packages/builds.ts'
import { bun, bunx } from '../packages/bun.ts'
import { FORMATTERS, formatter } from '../packages/formatters.ts'
import { just } from '../packages/just.ts'
import { keeperReader } from '../packages/keeper.ts'
import { LANGUAGES } from '../packages/languages.ts'
import { MACHINES } from '../packages/machines.ts'
import { make } from '../packages/make.ts'
import { npm, npx } from '../packages/npm.ts'
import { pnpm } from '../packages/pnpm.ts'
import { protoc } from '../packages/protoc.ts'
import { BUILD_TOOLS, PYTHON_TOOLS } from '../packages/python-tools.ts'
import { PROJECT_TOOLS } from '../packages/release.ts'
import { concurrently, runS } from '../packages/run-s.ts'
import { task } from '../packages/task.ts'
import { TOOLS } from '../packages/tools.ts'
import { yarn } from '../packages/yarn.ts'
import { prefixReader } from '../prefixes/reader.ts'
import type { Group } from '../registry.ts'

const COVERAGE = {
  names: 'c8 nyc',
  options:
    '-r|--reporter: -o|--reports-dir|--report-dir: -x|--exclude: -n|--include: --temp-directory|--temp-dir: --src: -e|--extension: -c|--config: --all --check-coverage --lines: --branches: --functions: --statements:',
  maybe: 'report check-coverage instrument merge',
  why: 'coverage of a program',
}

export const packages: Group = {
  id: 'packages',
  rows: [...TOOLS, ...PYTHON_TOOLS, ...BUILD_TOOLS],
  readers: {
    npm,
    npx,
    pnpm,
    'yarn yarnpkg': yarn,
    bun,
    bunx,
    'run-s run-p npm-run-all run-s2 run-p2 npm-run-all2': runS,
    'concurrently conc': concurrently,
    [COVERAGE.names]: prefixReader(COVERAGE),
    'make gmake': make,
    just,
    protoc,
    'task go-task': task,
    ...Object.fromEntries(FORMATTERS.map((row) => [row.names, formatter(row)])),
    ...PROJECT_TOOLS,
    ...Object.fromEntries(
      [...LANGUAGES.filter(({ names }) => !(names in BUILDS)), ...MACHINES].map((keeper) => [
        keeper.names,
        keeperReader(keeper),
      ]),
    ),
    ...BUILDS,
  },
}
