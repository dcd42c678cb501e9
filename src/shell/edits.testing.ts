/** Random edits of the seed inputs, the same on every run: for the differential and the property tests. */
import { readFileSync } from 'node:fs'

export const seeds = JSON.parse(
  readFileSync(new URL('../../cases/shell/seeds.json', import.meta.url), 'utf8'),
) as readonly string[]

/** A small deterministic generator (mulberry32): numbers from 0 up to `below`. */
export function generator(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

/** Pieces that make or break syntax. */
const PIECES = [
  ...'\'"`$(){}[];&|<>\\#=!*?~ \n\ta1@:,-+%/^',
  ...['$(', '${', '$((', '))', '<(', '<<E\n', ';;', '&&', '||', '|&', '2>&1', '>>', 'do', 'done', 'then', 'fi', 'if '],
  ...['in', 'esac', 'case ', 'for ', '\\\n', "$'", '$"', '[[ ', ' ]]', '((', 'x=', 'x=(', '{a,b}', 'function ', '! '],
  ...['time ', 'coproc ', '<<<', '&>', '\nE\n'],
]

/** `count` texts, each one to three edits away from a seed. */
export function edits(count: number, seed: number): readonly string[] {
  const next = generator(seed)
  const out: string[] = []
  for (let i = 0; i < count; i++) {
    let text = seeds[next(seeds.length)]!
    for (let times = 1 + next(3); times > 0; times--) text = edit(text, next)
    out.push(text)
  }
  return out
}

function edit(text: string, next: (below: number) => number): string {
  const at = next(text.length + 1)
  const end = Math.min(text.length, at + 1 + next(6))
  switch (next(6)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
    case 2:
      return text.slice(0, at) + PIECES[next(PIECES.length)]! + text.slice(at)
    case 3:
      return text.slice(0, at) + PIECES[next(PIECES.length)]! + text.slice(end)
    case 4:
      return text.slice(0, end) + text.slice(at)
    default: {
      const other = seeds[next(seeds.length)]!
      const from = next(other.length)
      return text.slice(0, at) + other.slice(from, from + 1 + next(20)) + text.slice(at)
    }
  }
}
