/** What a row of the writers is given, and what it gives. */
import { posix } from 'node:path'
import type { Random } from './random.ts'
import { ABSENT_DIRS, type Aim, someDir, someFile, someNew, someOpenDir, someSource } from './targets.ts'
import { absolute, ROOT } from './tree.ts'
import { quote, type Scope, single, word } from './words.ts'

/**
 * `content`: a file, there or new; `file`: one that is there; `dir`: a directory as a whole; `into`: a directory that takes
 * new names.
 */
export type Kind = 'content' | 'file' | 'dir' | 'into'

export interface Writer {
  readonly id: string
  readonly on: Kind
  readonly weight?: number
  /** One statement in the scope's shell. Statements that must come first go to `before`. */
  readonly make: (w: Pen) => string
}

/** Everything that a row needs to write its statement. */
export interface Pen {
  readonly random: Random
  readonly scope: Scope
  /** The target, as it is named below the repository. */
  readonly path: string
  /** Its last name. */
  readonly base: string
  /** The target as a word, spelled anew each time. */
  t(): string
  /** The target without anything that a shell would expand, for the text of other languages; absolute or relative. */
  literal(): string
  /** Any path as a word. */
  at(path: string): string
  /** A file to read, as a word. */
  source(): string
  /** A file that is always there, and a directory with a file `a.ts`: as they are named from the working directory. */
  readonly readme: string
  readonly lib: string
  /** A new file in temp with some content, as a path. */
  temp(content?: string): string
  /** A command that prints something. */
  producer(): string
  text(): string
  q(text: string): string
  before(...lines: string[]): void
}

export function penFor(path: string, scope: Scope): Pen {
  const { random } = scope
  const pen: Pen = {
    random,
    scope,
    path,
    base: posix.basename(path),
    readme: posix.relative(scope.cwd, `${ROOT}/README.md`),
    lib: posix.relative(scope.cwd, `${ROOT}/lib`) || '.',
    t: () => word(path, scope),
    literal() {
      const at = path.startsWith('/') ? path : `/home/dev/shop/${path}`
      return random.chance(0.5) ? at : posix.relative(scope.cwd, at) || '.'
    },
    at: (one) => word(one, scope),
    source: () => word(someSource(random), scope),
    temp(content) {
      const name = `/tmp/${scope.fresh('t')}`
      scope.before.push(`echo ${quote(content ?? pen.text(), random)} > ${name}`)
      return name
    },
    producer: () => random.pick(PRODUCERS)(pen),
    text: () => random.pick(['x', 'hello world', 'a=1', 'export const z = 0', '# note', '$1 literal', 'it is']),
    q: (text) => quote(text, random),
    before: (...lines) => void scope.before.push(...lines),
  }
  for (const dir of [path, posix.dirname(path)]) {
    if (ABSENT_DIRS.has(dir)) scope.before.push(`mkdir -p ${single(posix.relative(scope.cwd, absolute(dir)))}`)
  }
  return pen
}

const PRODUCERS: readonly ((w: Pen) => string)[] = [
  (w) => `echo ${w.q(w.text())}`,
  (w) => `printf '%s\\n' ${w.q(w.text())}`,
  (_w) => `printf ${single('a\\nb\\n')}`,
  (w) => `cat ${w.source()}`,
  (w) => `sed 's/a/b/' ${w.source()}`,
  (w) => `head -n 1 ${w.source()}`,
  (w) => `grep -n . ${w.source()}`,
  (w) => `tr a-z A-Z < ${w.source()}`,
  () => 'git log --oneline',
  () => 'seq 3',
  () => 'date',
  () => 'ls -1',
  (w) => `awk '{print NR, $0}' ${w.source()}`,
  () => 'git show HEAD~1:lib/b.ts',
]

/** Chooses a target of a kind. */
export function targetOf(kind: Kind, aim: Aim, random: Random): string {
  switch (kind) {
    case 'content':
      return random.chance(0.75) ? someFile(aim, random) : someNew(aim, random)
    case 'file':
      return someFile(aim, random)
    case 'dir':
      return someDir(aim, random)
    case 'into':
      return someOpenDir(aim, random)
  }
}
