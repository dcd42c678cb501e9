/** Sequences: what an agent might send, one call or two, with one aim. */

import { lines, newScope, statement } from './compose.ts'
import { newRandom, type Random } from './random.ts'
import { twoSteps } from './steps.ts'
import { type Aim, someFile, someSource } from './targets.ts'
import { type Scope, word } from './words.ts'

export interface Sequence {
  readonly seed: number
  readonly aim: Aim
  readonly calls: readonly string[]
  /** The statements of each call, one beside the other. */
  readonly parts: readonly (readonly string[])[]
  /** Ids of what it was made of. */
  readonly used: readonly string[]
}

/** What reads, and changes nothing: also of protected files. */
const READS: readonly ((file: string, scope: Scope) => string)[] = [
  (file) => `cat ${file}`,
  (file) => `wc -l ${file}`,
  (file) => `grep -c x ${file} || true`,
  (file) => `head -n 2 ${file} | sort`,
  (file) => `cp ${file} /tmp/copy`,
  (file) => `diff ${file} README.md > /tmp/diff || true`,
  (file) => `sed -n 1p ${file}`,
  (file) => `stat ${file} > /dev/null`,
  (file) => `[ -f ${file} ] && echo there`,
  (file) => `sha256sum ${file} | tee /tmp/sum`,
  (file) => `while read -r line; do echo "$line"; done < ${file}`,
  () => 'git status --short',
  () => 'git diff --stat',
  () => 'git log --oneline | head -n 2',
  () => 'ls -la',
  () => 'find . -name "*.ts" -not -path "./.git/*"',
  () => 'grep -rn rate src || true',
  () => 'git add lib && git diff --cached > /tmp/staged',
  () => 'mkdir -p /tmp/w && touch /tmp/w/x && rm -r /tmp/w',
]

function reading(random: Random, scope: Scope): string {
  const file = random.chance(0.5) ? someFile('protected', random) : someSource(random)
  const own: Scope = { ...scope, before: [] }
  const at = word(file, own)
  return lines(...own.before, random.pick(READS)(at, own))
}

/** Parts of sequences that aim at protected things, and of those with two calls. */
const PROTECTED_PART = 0.42
const TWO_CALLS = 0.15
/** And of those whose two calls belong together. */
const TWO_STEPS = 0.08

/** The sequence of a seed. */
export function sequenceOf(seed: number): Sequence {
  const random = newRandom(seed * 2_654_435_761)
  const aim: Aim = random.chance(PROTECTED_PART) ? 'protected' : 'harmless'
  if (random.chance(TWO_STEPS)) {
    const { calls, id } = twoSteps(aim, newScope(random), newScope(random))
    return { seed, aim, calls, parts: calls.map((call) => [call]), used: [id] }
  }
  const count = random.chance(TWO_CALLS) ? 2 : 1
  const used: string[] = []
  const calls: string[] = []
  const all: string[][] = []
  // The other statements are harmless; where the one that is aimed stands is open.
  const aimed = random.int(count)
  for (let call = 0; call < count; call++) {
    const scope = newScope(random)
    const parts: string[] = []
    const number = 1 + random.int(3)
    const at = random.int(number)
    for (let i = 0; i < number; i++) {
      if (i !== at && random.chance(0.6)) parts.push(reading(random, scope))
      else {
        const made = statement(i === at && call === aimed ? aim : 'harmless', scope)
        parts.push(made.text)
        used.push(...made.used)
      }
    }
    calls.push(join(parts, random))
    all.push(parts)
  }
  return { seed, aim, calls, parts: all, used }
}

function join(parts: readonly string[], random: Random): string {
  const between = random.pick(['; ', '\n', '\n', ' ; '])
  return parts.every((part) => !part.includes('\n')) ? parts.join(between) : parts.join('\n')
}
