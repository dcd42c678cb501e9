/** Ways that take two calls: the first prepares, the second does it. Each call is judged with the tree that it meets. */

import { statement } from './compose.ts'
import type { Aim } from './targets.ts'
import { someDir, someFile } from './targets.ts'
import { absolute } from './tree.ts'
import { quote, type Scope, single, word } from './words.ts'

type Steps = readonly [first: (scope: Scope) => string, second: (scope: Scope) => string]

interface Way {
  readonly id: string
  readonly make: (aim: Aim, scope: Scope) => Steps
}

/** A statement with a writer in it, as the text of a script. */
const script = (aim: Aim, scope: Scope): string => `${statement(aim, { ...scope, before: [] }).text}\n`

const WAYS: readonly Way[] = [
  {
    id: 'link, then write',
    make(aim, { random }) {
      const file = someFile(aim, random)
      return [
        () => `ln -s ${single(absolute(file))} lib/soft`,
        () =>
          random.pick([
            'echo x > lib/soft',
            'echo x | tee -a lib/soft',
            'cp README.md lib/soft',
            'truncate -s 1 lib/soft',
          ]),
      ]
    },
  },
  {
    id: 'second name, then write',
    make(aim, { random }) {
      const file = someFile(aim, random)
      return [
        (scope) => `${random.pick(['ln', 'cp -l', 'link'])} ${word(file, scope, true)} lib/hard`,
        () =>
          random.pick([
            'echo x >> lib/hard',
            'dd if=README.md of=lib/hard conv=notrunc 2> /dev/null',
            'chmod 600 lib/hard',
          ]),
      ]
    },
  },
  {
    id: 'link to a directory, then below',
    make(aim, { random }) {
      const dir = someDir(aim, random)
      return [
        () => `ln -s ${single(absolute(dir))} lib/dir`,
        () =>
          random.pick([
            'rm -rf lib/dir/*',
            'find lib/dir/ -type f -delete',
            'touch lib/dir/new.sql lib/dir/new.snap',
            'chmod -R go-r lib/dir/',
          ]),
      ]
    },
  },
  {
    id: 'script, then run',
    make(aim, scope) {
      const { random } = scope
      const text = script(aim, scope)
      return [
        () => `cat > tools/step.sh <<'STEP'\n${text}STEP`,
        () =>
          random.pick([
            'bash tools/step.sh',
            '. tools/step.sh',
            'bash < tools/step.sh',
            'chmod +x tools/step.sh; bash -c tools/step.sh',
            'cat tools/step.sh | bash',
            'eval "$(cat tools/step.sh)"',
          ]),
      ]
    },
  },
  {
    id: 'Makefile, then make',
    make(aim, { random }) {
      const file = someFile(aim, random)
      return [
        () => `printf 'all:\\n\\techo x > "%s"\\n' ${quote(absolute(file), random)} > lib/Makefile`,
        () => random.pick(['make -C lib', 'cd lib && make all', 'make -f lib/Makefile']),
      ]
    },
  },
  {
    id: 'Python file, then run',
    make(aim, { random }) {
      const file = absolute(someFile(aim, random))
      return [
        () => `cat > tools/step.py <<'STEP'\nwith open(${JSON.stringify(file)}, "a") as f:\n    f.write("x")\nSTEP`,
        () => random.pick(['python3 tools/step.py', 'cd tools && python3 step.py', 'python3 - < tools/step.py']),
      ]
    },
  },
  {
    id: 'names, then xargs',
    make(aim, { random }) {
      const file = someFile(aim, random)
      return [
        () => `printf '%s\\n' ${quote(file, random)} > build/names.txt`,
        () =>
          random.pick([
            "xargs -d '\\n' rm -f < build/names.txt",
            'while read -r f; do echo x >> "$f"; done < build/names.txt',
            "tr '\\n' '\\0' < build/names.txt | xargs -0 chmod 600",
          ]),
      ]
    },
  },
  {
    id: 'moved link, then write',
    make(aim, { random }) {
      const rail = aim === 'protected'
      return [
        () => (rail ? 'mv core lib/core2' : 'mv mylib lib/mylib2'),
        () =>
          random.pick([
            rail
              ? 'cd src; ln -sn core ../lib/core3; echo x > ../lib/core3/rates.ts; echo x > core/rates.ts'
              : 'echo x > lib/a.ts',
            rail ? 'rm -f src/core/rates.ts' : 'mv lib/mylib2 mylib',
          ]),
      ]
    },
  },
]

/** Two calls that belong together, and the way's id. */
export function twoSteps(
  aim: Aim,
  first: Scope,
  second: Scope,
): { readonly calls: readonly [string, string]; readonly id: string } {
  const way = first.random.pick(WAYS)
  const [prepare, act] = way.make(aim, first)
  const texts = [prepare(first), act(second)] as const
  return { calls: [[...first.before, texts[0]].join('\n'), [...second.before, texts[1]].join('\n')], id: way.id }
}
