/** `sallyport policy check`: every value that holds here with the place it comes from, and what is wrong in the files. */
import { answer } from '../core/driver.ts'
import { repoOf } from '../paths/repo.ts'
import { effectivePolicy } from '../policy/effective.ts'
import { loadPolicy } from '../policy/load.ts'
import type { Origin, Policy, PolicyError } from '../policy/policy.ts'
import { diskWorld } from '../world/disk.ts'
import { failingExamples } from './check/examples.ts'
import { homeOf } from './hook/person.ts'
import { EXIT, type Io } from './io.ts'

/** A person waits for this, so it may take its time, but not for ever. */
const BUDGET = { ms: 10_000, questions: 10_000 }

/** `argv` is what follows `policy check`. Returns 0 where all is well, 1 where a file has an error, 2 for bad usage. */
export function policyCheck(argv: readonly string[], io: Omit<Io, 'colour'>): number {
  const strange = argv.find((word) => word !== '--json')
  if (strange !== undefined) {
    io.err(`sallyport policy check: \`${strange}\` is no option; the only one is --json\n`)
    return EXIT.usage
  }
  const read = policyHere(io)
  const examples = failingExamples(read, {
    cwd: io.cwd,
    home: homeOf(io.env),
    user: io.env['USER'] ?? 'user',
  })
  const policy: Policy = { ...read, errors: [...read.errors, ...examples] }
  if (argv.includes('--json')) {
    io.out(`${JSON.stringify(asJson(policy), undefined, 2)}\n`)
  } else {
    io.out(table(policy))
  }
  for (const error of policy.errors) io.err(`sallyport policy check: ${sentence(error)}\n`)
  return policy.errors.length === 0 ? EXIT.ok : EXIT.problem
}

/** The policy that holds in the working directory. */
function policyHere(io: Pick<Io, 'cwd' | 'env'>): Policy {
  const world = diskWorld({ env: io.env, cwd: io.cwd })
  const home = homeOf(io.env)
  function* asking() {
    const repo = yield* repoOf(io.cwd)
    return yield* loadPolicy({ home, repo: typeof repo === 'object' ? repo.root : undefined, cwd: io.cwd })
  }
  return answer(asking(), world, { ...BUDGET, start: world.now() }).value
}

const placeOf = (origin: Origin): string => {
  if (origin.layer === 'builtin') return 'built in'
  return `${origin.file}${origin.line === undefined ? '' : `:${origin.line}`} (${origin.layer})`
}

function table(policy: Policy): string {
  const rows = effectivePolicy(policy).map(({ key, value, origin }) => [key, value, placeOf(origin)] as const)
  const width = (column: 0 | 1) => Math.min(60, Math.max(...rows.map((row) => row[column].length)))
  const [first, second] = [width(0), width(1)]
  return rows.map(([key, value, place]) => `${key.padEnd(first)}  ${value.padEnd(second)}  ${place}\n`).join('')
}

function sentence({ file, line, message }: PolicyError): string {
  const end = /[.!?]$/.test(message) ? '' : '.'
  return `${file}${line === undefined ? '' : `:${line}`}: ${message}${end}`
}

function asJson(policy: Policy): unknown {
  const values = effectivePolicy(policy).map(({ key, value, origin }) => ({ key, value, ...origin }))
  return { v: 1, values, errors: policy.errors }
}
