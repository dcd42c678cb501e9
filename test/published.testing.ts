/** Tables that say which test holds a published case, and the check that such a row holds. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A row: the test of that name, or of a row of `cases`, holds the case. */
export interface Held {
  readonly id: string
  readonly test: string
  readonly cases?: string
  readonly name: string
}

/** A case that no test holds, with the reason in a sentence. */
export interface Without {
  readonly id: string
  readonly without: string
}

/** A test file together with what it imports from this repository. */
function read(file: string): string {
  const text = readFileSync(file, 'utf8')
  const imports = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, from]) => join(dirname(file), from!))
  return [
    text,
    ...imports.filter((one) => /\.testing\.ts$|^test\//.test(one)).map((one) => readFileSync(one, 'utf8')),
  ].join('\n')
}

/** Every text of a JSON file, keys too, or of a file with JSON a line. */
function textsIn(file: string): Set<string> {
  const texts = new Set<string>()
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.add(value)
    else if (Array.isArray(value)) value.forEach(walk)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        texts.add(key)
        walk(inner)
      }
  }
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.jsonl')) for (const line of text.trimEnd().split('\n')) walk(JSON.parse(line))
  else walk(JSON.parse(text))
  return texts
}

/** Why a row holds nothing; undefined where it holds. */
export function fault({ test: file, cases, name }: Held): string | undefined {
  if (!existsSync(file) || !file.endsWith('.test.ts')) return `there is no test ${file}`
  const text = read(file)
  if (cases === undefined)
    return ["'", '"', '`'].some((quote) => text.includes(quote + name + quote)) ? undefined : `no test says ${name}`
  if (!existsSync(cases)) return `there is no ${cases}`
  const places = [cases, dirname(cases), dirname(dirname(cases))].filter((place) => place !== 'cases' && place !== '.')
  if (!places.some((place) => text.includes(place))) return `${file} does not read ${cases}`
  return textsIn(cases).has(name) || cases.endsWith(`/${name}.json`) ? undefined : `no row of ${cases} says ${name}`
}
