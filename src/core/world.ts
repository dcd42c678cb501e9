import type { Answer, Question } from './question.ts'

/** What a driver needs of a world: answers, and a monotonic clock in milliseconds. Worlds live in `src/world`. */
export interface World {
  /** Answers one question. Throws only where a frozen world lacks an asked fact. `left` is the time it may take. */
  answer(question: Question, left: number): Answer
  now(): number
}
