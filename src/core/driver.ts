import type { Answer, Asking, Question } from './question.ts'
import type { World } from './world.ts'

/** How much one verdict may cost. Each limit has its reason beside it. */
export interface Budget {
  /** Milliseconds from `start` until every further answer is `unknown`: a host that waits longer runs the call. */
  readonly ms: number
  /** Reading of the world's clock at which the time began. */
  readonly start: number
  /** Questions put to the world; the rest is answered `unknown`. */
  readonly questions: number
}

export interface Fact {
  readonly question: Question
  readonly answer: Answer
}

export interface Answered<T> {
  readonly value: T
  /** Every question put, in order, with its answer. Together they are the frozen world of this verdict. */
  readonly facts: readonly Fact[]
  readonly spent: { readonly questions: number; readonly ms: number; readonly out: boolean }
}

/** The same question asked twice in one verdict gets the same answer: this is its name. */
export function keyOf(question: Question): string {
  // The commonest ones in short: no other kind's name begins so.
  if (question.ask === 'text') return `text ${question.limit} ${question.path}`
  if (question.ask === 'env') return `env ${question.name}`
  if (question.ask !== 'links') return JSON.stringify(question)
  let key = keys.get(question.paths)
  if (key === undefined) {
    key = JSON.stringify(question)
    keys.set(question.paths, key)
  }
  return key
}

/** Names of long lists of paths, which are asked about again and again. */
const keys = new WeakMap<readonly string[], string>()

/**
 * Runs a computation against a world: memo, budgets, deadline and recording live here and nowhere else.
 * A spent budget answers `unknown`; it never throws. Errors of the world pass through.
 */
export function answer<T>(asking: Asking<T>, world: World, budget: Budget): Answered<T> {
  const memo = new Map<string, Answer>()
  /** Most questions by far, by the path alone. */
  const stats = new Map<string, Answer>()
  const facts: Fact[] = []
  let asked = 0
  let out = false
  let step = asking.next()
  while (!step.done) {
    const question = step.value
    if (question.ask === 'time') {
      const left = budget.ms - (world.now() - budget.start)
      const reply = left <= 0 ? 'unknown' : world.answer(question, left)
      if (reply === 'unknown') {
        out = true
        facts.push({ question, answer: reply })
      }
      step = asking.next(reply)
      continue
    }
    const known = question.ask === 'stat' ? stats : memo
    const key = question.ask === 'stat' ? question.path : keyOf(question)
    let reply = known.get(key)
    if (reply === undefined) {
      const left = budget.ms - (world.now() - budget.start)
      if (left <= 0 || asked >= budget.questions) {
        reply = 'unknown'
        out = true
      } else {
        asked++
        reply = world.answer(question, left)
      }
      known.set(key, reply)
      facts.push({ question, answer: reply })
    }
    step = asking.next(reply)
  }
  return { value: step.value, facts, spent: { questions: asked, ms: world.now() - budget.start, out } }
}
