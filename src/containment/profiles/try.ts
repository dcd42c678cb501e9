/** Runs the tests that a profile brings along. */
import { bytesOf } from '../bytes.ts'
import { digestOf, RUN_WINDOWS } from '../digest/digest.ts'
import { commandsOfLine } from '../run/commands.ts'
import { familyOf } from './compile.ts'
import type { Profile, ProfileTest } from './profile.ts'

/** Tokens of a digest where a profile names none. */
const BUDGET = 600

export interface Tried {
  readonly name: string
  /** What does not hold, each a clause; empty where all does. */
  readonly misses: readonly string[]
  /** What the digest says. */
  readonly text: string
}

/** Tries every test of a profile. Pure: nothing is run, the outputs are those of the profile. */
export const tryProfile = (profile: Profile): readonly Tried[] => profile.tests.map((test) => tryOne(profile, test))

function tryOne(profile: Profile, test: ProfileTest): Tried {
  const family = familyOf(profile)
  const bytes = new TextEncoder().encode(test.output.map((line) => `${line}\n`).join(''))
  const digest = digestOf(
    {
      bytes: bytesOf(bytes),
      commands: test.command === '' ? [] : commandsOfLine(test.command),
      label: test.command,
      ...(test.exit === undefined ? {} : { exit: test.exit }),
      budget: profile.budget.tokens ?? BUDGET,
      windows: RUN_WINDOWS,
      mask: (text) => ({ text, masked: 0 }),
    },
    { families: [family] },
  )
  const misses: string[] = []
  const heard = digest.family === family.id
  if (heard !== test.detects)
    misses.push(heard ? 'the profile takes it for its own' : 'the profile does not take it for its own')
  const lines = digest.text.split('\n')
  for (const wanted of test.shows)
    if (!lines.some((line) => line.includes(wanted))) misses.push(`${JSON.stringify(wanted)} is not shown`)
  for (const unwanted of test.hides)
    if (lines.some((line) => line.includes(unwanted))) misses.push(`${JSON.stringify(unwanted)} is shown`)
  if (test.most !== undefined && digest.tokens > test.most)
    misses.push(`it takes ≈${digest.tokens} tokens, more than ${test.most}`)
  return { name: test.name, misses, text: digest.text }
}
