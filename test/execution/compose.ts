/** How statements are put together: lists, groups, functions, shells within shells, scripts that are written and run. */
import { posix } from 'node:path'
import type { Random } from './random.ts'
import type { Aim } from './targets.ts'
import { ROOT } from './tree.ts'
import { quote, type Scope, single } from './words.ts'
import { penFor, targetOf, type Writer } from './writer.ts'
import { WRITERS } from './writers.ts'

/** One statement after the other; here-documents end their line, so lines part them. */
export const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

const oneLine = (text: string): boolean => !text.includes('\n')

/** A statement as one command, for `&&` and pipes. */
const grouped = (text: string): string => `{ ${text}\n}`

interface Form {
  readonly id: string
  readonly weight?: number
  /** `inner` makes the statement for a scope: its own shell where `cwd` says another place or the shell is a new one. */
  readonly make: (scope: Scope, inner: (scope: Scope) => string) => string
}

/** A scope of a shell that knows nothing of what stood before. */
const within = (scope: Scope, cwd = scope.cwd): Scope => ({ ...scope, cwd, before: [] })

/** The statement with what must stand before it, in a scope of its own. */
function whole(scope: Scope, inner: (scope: Scope) => string): string {
  const own = within(scope)
  const text = inner(own)
  return lines(...own.before, text)
}

/** Directories to go to, by name from the repository. */
const PLACES_TO_GO = ['src', 'src/core', 'lib', 'test/golden', 'config', 'migrations', 'docs', 'mylib', 'core']

function going(scope: Scope): { readonly text: string; readonly cwd: string } {
  const to = scope.random.pick(PLACES_TO_GO)
  const physical = to === 'mylib' ? 'lib' : to === 'core' ? 'src/core' : to
  // Through a link the shell keeps the name in mind, while programs see the place.
  const text = posix.relative(scope.cwd, `${ROOT}/${to === 'mylib' || to === 'core' ? physical : to}`) || '.'
  return { text, cwd: `${ROOT}/${physical}` }
}

const script = (scope: Scope, inner: (scope: Scope) => string, run: (file: string) => string): string => {
  const file = `${scope.random.pick(['/tmp', 'build'])}/${scope.fresh('s')}.sh`
  const at = file.startsWith('/') ? file : posix.relative(scope.cwd, `${ROOT}/${file}`)
  const tag = scope.fresh('SCRIPT')
  const text = whole(scope, inner)
  const put = scope.random.chance(0.6)
    ? `cat > ${at} <<'${tag}'\n${text}\n${tag}`
    : `printf '%s\\n' ${single(text)} > ${at}`
  return `${put}\n${run(at.includes('/') ? at : `./${at}`)}`
}

const FORMS: readonly Form[] = [
  {
    id: 'true &&',
    make: (s, i) => `${s.random.pick(['true', 'cd .', '[ -d /tmp ]', ':', 'test 1 = 1'])} && ${grouped(whole(s, i))}`,
  },
  {
    id: 'false ||',
    make: (s, i) => `${s.random.pick(['false', 'test -d /nosuch', '! true'])} || ${grouped(whole(s, i))}`,
  },
  { id: '|| true', make: (s, i) => `${grouped(whole(s, i))} || true` },
  {
    id: '| cat',
    make: (s, i) => `${grouped(whole(s, i))} | ${s.random.pick(['cat', 'head -n 3', 'tee /tmp/seen', 'grep x'])}`,
  },
  { id: 'echo |', make: (s, i) => `echo in | ${grouped(whole(s, i))}` },
  { id: '{ }', make: (s, i) => grouped(whole(s, i)) },
  { id: '( )', weight: 2, make: (s, i) => `( ${whole(s, i)}\n)` },
  {
    id: 'if',
    weight: 2,
    make: (s, i) =>
      `if ${s.random.pick(['true', '[ -f README.md ] || true', '[[ a == a ]]'])}; then\n${whole(s, i)}\nfi`,
  },
  { id: 'else', make: (s, i) => `if false; then :; else\n${whole(s, i)}\nfi` },
  {
    id: 'for',
    weight: 2,
    make: (s, i) =>
      `for ${s.fresh('i')} in ${s.random.pick(['1', '1 2', '{1..2}', 'a b c'])}; do\n${whole(s, i)}\ndone`,
  },
  { id: 'c-style for', make: (s, i) => `for ((n=0; n<1; n++)); do\n${whole(s, i)}\ndone` },
  { id: 'while', make: (s, i) => `while true; do\n${whole(s, i)}\nbreak\ndone` },
  { id: 'until', make: (s, i) => `until false; do\n${whole(s, i)}\nbreak; done` },
  { id: 'case', make: (s, i) => `case abc in a*)\n${whole(s, i)}\n;; esac` },
  { id: '!', make: (s, i) => `! ${grouped(whole(s, i))}` },
  { id: 'time', make: (s, i) => `time ${grouped(whole(s, i))}` },
  { id: '& wait', make: (s, i) => `${grouped(whole(s, i))} &\nwait` },
  { id: '$( )', make: (s, i) => `${s.fresh('o')}=$( ${whole(s, i)}\n)` },
  { id: 'echo $( )', make: (s, i) => `echo "$( ${whole(s, i)}\n)"` },
  {
    id: 'function',
    weight: 2,
    make: (s, i) => {
      const f = s.fresh('f')
      return `${s.random.pick([`${f}()`, `function ${f}`])} {\n${whole(s, i)}\n}\n${f}`
    },
  },
  {
    id: 'function ( )',
    make: (s, i) => {
      const f = s.fresh('f')
      return `${f}() (\n${whole(s, i)}\n)\n${f} one two`
    },
  },
  { id: 'trap', make: (s, i) => `( trap ${quote(whole(s, i), s.random)} EXIT; : )` },
  { id: 'eval', weight: 2, make: (s, i) => `eval ${quote(whole(s, i), s.random)}` },
  {
    id: 'eval variable',
    make: (s, i) => {
      const v = s.fresh('c')
      return `${v}=${quote(whole(s, i), s.random)}\neval "$${v}"`
    },
  },
  {
    id: 'sh -c',
    weight: 3,
    make: (s, i) =>
      `${s.random.pick(['bash', '/bin/bash', 'env bash', 'command bash', 'exec -a x bash', 'nice bash'].filter((x) => !x.startsWith('exec')))} ${s.random.pick(['-c', '-ec', '-c --'].slice(0, 2))} ${quote(whole(s, i), s.random)}`,
  },
  {
    id: 'sh -c variable',
    make: (s, i) => {
      const v = s.fresh('c')
      return `${v}=${quote(whole(s, i), s.random)}\nbash -c "$${v}"`
    },
  },
  { id: 'env sh', make: (s, i) => `env X=1 bash -c ${quote(whole(s, i), s.random)}` },
  {
    id: 'here-document',
    weight: 2,
    make(s, i) {
      const tag = s.fresh('SHELL')
      return `bash ${s.random.pick(['', '-s ', '-e '])}<<'${tag}'\n${whole(s, i)}\n${tag}`
    },
  },
  { id: 'here-string', make: (s, i) => `bash <<< ${quote(whole(s, i), s.random)}` },
  { id: 'echo | sh', make: (s, i) => `printf '%s\\n' ${quote(whole(s, i), s.random)} | bash` },
  {
    id: 'xargs sh',
    make: (s, i) => {
      const text = whole(s, i)
      return oneLine(text) ? `echo one | xargs -n 1 bash -c ${quote(text, s.random)}` : grouped(text)
    },
  },
  { id: 'find -exec sh', make: (s, i) => `find . -maxdepth 0 -exec bash -c ${quote(whole(s, i), s.random)} \\;` },
  { id: 'timeout', make: (s, i) => `timeout 5 bash -c ${quote(whole(s, i), s.random)}` },
  {
    id: 'script',
    weight: 3,
    make: (s, i) =>
      script(s, i, (file) => s.random.pick([`bash ${file}`, `. ${file}`, `source ${file}`, `bash < ${file}`])),
  },
  {
    id: 'script run',
    make: (s, i) =>
      script(
        s,
        (inner) => `#!/bin/bash\n${whole(inner, i)}`,
        (file) => `chmod +x ${file}\n${file}`,
      ),
  },
  { id: 'cat | sh', make: (s, i) => script(s, i, (file) => `cat ${file} | bash`) },
  { id: 'eval $(cat)', make: (s, i) => script(s, i, (file) => `eval "$(cat ${file})"`) },
  {
    id: 'cd',
    weight: 5,
    make(s, i) {
      const { text, cwd } = going(s)
      return `( cd ${quote(text, s.random)}${s.random.pick([' &&', ';'])} ${whole({ ...s, cwd }, i)}\n)`
    },
  },
  {
    id: 'pushd',
    weight: 2,
    make(s, i) {
      const { text, cwd } = going(s)
      return `pushd ${quote(text, s.random)} > /dev/null\n${whole({ ...s, cwd }, i)}\npopd > /dev/null`
    },
  },
  {
    id: 'cd -',
    weight: 2,
    make(s, i) {
      const { text, cwd } = going(s)
      return `cd ${quote(text, s.random)}\n${whole({ ...s, cwd }, i)}\ncd - > /dev/null`
    },
  },
  {
    id: 'cd ..',
    make(s, i) {
      const { text, cwd } = going(s)
      return `( cd ${quote(text, s.random)} && cd .. && ${whole({ ...s, cwd: posix.dirname(cwd) }, i)}\n)`
    },
  },
  {
    id: 'env -C',
    make(s, i) {
      const { text, cwd } = going(s)
      return `env -C ${quote(text, s.random)} bash -c ${quote(whole({ ...s, cwd }, i), s.random)}`
    },
  },
]

/** How deep forms nest: beyond this nothing new comes. */
const MOST_DEPTH = 3

export interface Made {
  readonly text: string
  /** Ids of the writers and forms in it. */
  readonly used: readonly string[]
}

/** One statement with a writer in it, aimed at something. */
export function statement(aim: Aim, scope: Scope, writers: readonly Writer[] = WRITERS): Made {
  const used: string[] = []
  const make = (depth: number, at: Scope): string => {
    if (depth < MOST_DEPTH && at.random.chance(depth === 0 ? 0.5 : 0.3)) {
      const form = at.random.weighted(FORMS)
      used.push(form.id)
      return form.make(at, (inner) => make(depth + 1, inner))
    }
    const writer = at.random.weighted(writers)
    used.push(writer.id)
    const own = writer.id.startsWith('git') ? { ...at, physical: true } : at
    return writer.make(penFor(targetOf(writer.on, aim, at.random), own))
  }
  return { text: whole(scope, (own) => make(0, own)), used }
}

export const newScope = (random: Random): Scope => {
  let count = 0
  return { random, cwd: ROOT, before: [], fresh: (stem) => `${stem}${++count}` }
}
