/** Small checks of parsed JSON, by hand where a schema library would be too heavy: undefined, or what is wrong. */

/** Says what is wrong with a value, to stand behind its name (`must be a string`, `.key is missing`); undefined: nothing. */
export type Check = (value: unknown) => string | undefined

/** Whether a value is an object that is no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string')
export const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')
export const object: Check = (value) => (isObject(value) ? undefined : 'must be an object')

/** One of these words. */
export const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string) ? undefined : `must be one of ${words.join(', ')}`

/** A list whose items all hold. */
export const each =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list'
    for (const [i, item] of value.entries()) {
      const problem = check(item)
      if (problem !== undefined) return joined(`[${i}]`, problem)
    }
    return undefined
  }

/** A name and what is wrong with it, or with what lies below it. */
export const joined = (name: string, problem: string): string => `${name}${/^[.[]/.test(problem) ? '' : ' '}${problem}`

/**
 * An object with these keys and no other; names that end in `?` may be absent. `whose` names the thing (`a frozen
 * world`); keys of `aside` may always stand there.
 */
export function shapeOf(keys: Readonly<Record<string, Check>>, whose: string, aside: readonly string[] = []): Check {
  return (value) => {
    if (!isObject(value)) return 'must be an object'
    for (const key of Object.keys(value)) {
      if (!aside.includes(key) && !Object.hasOwn(keys, key) && !Object.hasOwn(keys, `${key}?`))
        return `.${key} is no key of ${whose}`
    }
    for (const [name, check] of Object.entries(keys)) {
      const key = name.replace(/\?$/, '')
      if (!Object.hasOwn(value, key)) {
        if (key === name) return `.${key} is missing`
        continue
      }
      const problem = check(value[key])
      if (problem !== undefined) return joined(`.${key}`, problem)
    }
    return undefined
  }
}
