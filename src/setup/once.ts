/** Hooks for one session alone, by options of the host: nothing in its settings changes. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Json } from '../core/call.ts'
import type { Refusal } from './edit/insert.ts'
import { readToml } from './edit/toml.ts'
import { entriesOf, type Program } from './wire/entries.ts'
import { type Edits, type Place, pathOf, type Surroundings, type WireRow } from './wire/row.ts'

export interface OnceWords {
  /** Put before the words of the person. */
  readonly words: readonly string[]
  /** A file that the words name, and what it holds. */
  readonly file?: { readonly path: string; readonly text: string }
}

/** Undefined where the host has no such options. `scratch`: a directory for a file; `args`: the words of the person. */
export function onceWords(
  row: WireRow,
  program: Program,
  version: string | undefined,
  at: Surroundings,
  scratch: string,
  args: readonly string[],
): OnceWords | Refusal | undefined {
  const { once } = row
  const target = row.files.find((file): file is Edits => file.is === 'entries')
  if (once === undefined || target === undefined) return undefined
  const hooks: Record<string, Json[]> = {}
  for (const { at: path, value } of entriesOf(row, target, program, version)) {
    const event = path.at(-1)!
    hooks[event] = [...(hooks[event] ?? []), value]
  }
  if (once.is === 'settings') {
    if (args.some((word) => word === once.option || word.startsWith(`${once.option}=`)))
      return { refused: `the words hold their own ${once.option}, and the host takes one` }
    const path = `${scratch}/settings.json`
    const text = `${JSON.stringify({ hooks }, undefined, 2)}\n`
    return { words: [once.option, path], file: { path, text } }
  }
  const other = once.others.map((place) => hooksIn(place, at)).find((path) => path !== undefined)
  if (other !== undefined)
    return { refused: `${other} may hold hooks that you never trusted, and they would run as well` }
  const sets = Object.entries(hooks).flatMap(([event, value]) => [once.option, `hooks.${event}=${tomlOf(value)}`])
  return { words: [once.trusting, ...sets] }
}

/** The path of a place that may hold hooks. */
function hooksIn(place: Place, at: Surroundings): string | undefined {
  const path = pathOf(place, at)
  if (!existsSync(path)) return undefined
  if (!path.endsWith('.toml') || !statSync(path).isFile()) return path
  const hooks = readToml(readFileSync(path, 'utf8'))?.['hooks']
  const events = Object.keys((hooks as object | undefined) ?? {}).filter((key) => key !== 'state')
  return events.length > 0 ? path : undefined
}

/** A value as TOML on one line: its texts are those of JSON. */
function tomlOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value as { readonly [key: string]: Json })
  return `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}=${tomlOf(inner)}`).join(',')}}`
}
