/** A world that knows the recorded answers of one verdict and nothing else. */
import { type Fact, keyOf } from '../core/driver.ts'
import type { Answer } from '../core/question.ts'
import type { World } from '../core/world.ts'

/**
 * Answers from `facts`. Throws an Error that names the question where one was not recorded: a verdict that asks more
 * than it did is another verdict. Its clock stands still.
 */
export function replayWorld(facts: readonly Fact[]): World {
  const answers = new Map<string, Answer>()
  for (const { question, answer } of facts) answers.set(keyOf(question), answer)
  return {
    now: () => 0,
    answer(question) {
      const found = answers.get(keyOf(question))
      // Only that there was no time left is written down.
      if (question.ask === 'time') return found ?? 'left'
      if (found === undefined) throw new Error(`the recorded world does not answer ${JSON.stringify(question)}`)
      return found
    },
  }
}
