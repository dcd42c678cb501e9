/**
 * How a rule says what a command does to a service or to the machine. Tables of commands name the target by words of the
 * command (`terraform` `destroy`), by a thing (`npm` and a package), or by a place and what is done there
 * (`the database: drop table`); a sentence names the program once.
 */
import type { Effect } from '../../core/effect.ts'

interface Said {
  /** The program. Of a text that it was given the program that read it. */
  readonly by: string
  /** The command by its words, where the target is named by them: `kubectl delete ns prod`. */
  readonly command?: string
  /** Else the target: `sallyport`, `data of the database (drop table)`. Empty where it says no more than the program. */
  readonly thing: string
}

const PLACE = /^(.+?): (.+)$/s

export function saidOf(effect: Effect): Said {
  const { target } = effect
  const by = effect.by.replace(/ text$/, '')
  if (target.is === 'thing') return { by, thing: without(by, target.name) }
  if (target.is !== 'remote') return { by, thing: '' }
  const name = without(by, without(target.service, target.name))
  const [, where, what] = PLACE.exec(name) ?? []
  if (where !== undefined)
    return { by, thing: `data of ${where.endsWith(' program') ? 'a database' : where} (${what})` }
  const [first] = name.split(' ')
  const text = effect.via.at(-1)?.text ?? ''
  // The words of the command that was read: then they are a verb and what it takes.
  return name !== '' && text.split(/\s+/).includes(first!) && target.service !== 'host'
    ? { by, command: `${by} ${name}`, thing: name }
    : { by, thing: name === effect.note ? '' : name }
}

/** `text` without that word at its beginning. */
const without = (word: string, text: string): string =>
  text === word ? '' : text.startsWith(`${word} `) ? text.slice(word.length + 1) : text

/** `what` in brackets, unless the sentence says it already. */
export const beside = (sentence: string, what: string): string =>
  what === '' || sentence.includes(what) ? sentence : `${sentence} (${what})`
