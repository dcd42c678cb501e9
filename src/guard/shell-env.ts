/** What an expansion may ask of the abstract shell: variables, directories, the output of commands. */
import { type Asking, ask } from '../core/question.ts'
import { isSecretName } from '../core/secret-names.ts'
import { exact, oneOf, unknown, type Value } from '../core/value.ts'
import type { ShellEnv } from '../shell/expand.ts'
import { positionalAt } from '../shell/positional.ts'
import type { Script } from '../shell/tree.ts'
import { type Engine, type Frame, NO_STDIN } from './engine.ts'
import { listedValue } from './globs.ts'
import { fork, type Machine, setVariable } from './machine.ts'
import { textOfContent } from './streams.ts'

/** Numbers that the shell gives a new value at every look. */
const NUMBERS: ReadonlySet<string> = new Set([
  '?',
  '!',
  '$',
  'RANDOM',
  'SRANDOM',
  'SECONDS',
  'EPOCHSECONDS',
  'LINENO',
  'BASHPID',
  'PPID',
  'UID',
  'EUID',
])

const CHANGING: ReadonlySet<string> = new Set(['_', 'EPOCHREALTIME', 'REPLY'])

/** What a variable holds whose name says that it is a secret: only that it is one. */
export const SECRET: Value = unknown('variable', ['secret'])

export function* variableOf(engine: Engine, m: Machine, name: string): Asking<Value | 'unset'> {
  const own = m.vars.get(name)
  if (own !== undefined) return own
  if (name === 'PWD') return m.cwd.length === 0 ? unknown('variable') : oneOf(m.cwd)
  if (name === 'OLDPWD' && m.oldCwd !== undefined) return m.oldCwd.length === 0 ? unknown('variable') : oneOf(m.oldCwd)
  if (name === 'IFS') return exact(' \t\n')
  if (name === '0') return exact('sh')
  if (name === '-') return exact('hB')
  if (NUMBERS.has(name)) return unknown('number')
  if (CHANGING.has(name)) return unknown('variable')
  if (/^[0-9]+$/.test(name)) {
    if (m.positional === undefined) return unknown('positional')
    return positionalAt(m.positional, Number(name) - 1)
  }
  const reply = yield* ask('env', { name })
  // Where the world does not say, home is where the person's own process has it.
  if (reply === 'unknown')
    return name === 'HOME' ? exact(engine.context.home) : isSecretName(name) ? SECRET : unknown('variable')
  if (reply === 'unset') return 'unset'
  return isSecretName(name) ? SECRET : exact(reply.value)
}

/**
 * Takes from a new process what does not go along to it: variables that nothing exported. One that the environment holds
 * is exported, whatever it was set to since; where the environment is not told, nobody knows.
 */
export function* inherit(child: Machine): Asking<void> {
  for (const name of [...child.vars.keys()]) {
    // `$0` is no variable: who starts the program says it.
    if (name === '0') continue
    const exported = child.exported.get(name)
    if (exported === true) continue
    const reply = yield* ask('env', { name })
    if (typeof reply === 'object') continue
    child.vars.set(name, reply === 'unset' && exported === undefined ? 'unset' : unknown('variable'))
  }
}

/** The environment of a frame, for `src/shell/expand.ts`. */
export function shellEnv(engine: Engine, m: Machine, frame: Frame): ShellEnv {
  return {
    variable: (name) => variableOf(engine, m, name),
    positional: () => m.positional,
    stops: () => {
      m.gone = true
    },
    assign: (name, value) => {
      setVariable(m, name, value)
    },
    *command(script: Script, source: string): Asking<Value> {
      const child = fork(m)
      child.traps = new Map()
      const outcome = yield* engine.script(script, child, { ...frame, source, stdin: NO_STDIN })
      yield* engine.endShell(child, frame)
      const value = yield* textOfContent(engine, outcome.out, child)
      m.overlay = child.overlay
      // A listing is any of the paths that it names.
      const [listed, ...more] = outcome.out.paths ?? []
      if (value.is === 'unknown' && !value.taints && listed && more.length === 0) return listedValue(listed)
      return value
    },
    *process(script: Script, direction: '<' | '>', source: string): Asking<Value> {
      const child = fork(m)
      child.traps = new Map()
      const stdin = direction === '>' ? { text: unknown('input'), taints: [] } : NO_STDIN
      const outcome = yield* engine.script(script, child, { ...frame, source, stdin, forked: true })
      yield* engine.endShell(child, frame)
      m.overlay = child.overlay
      const name = `/dev/fd/${63 + engine.streams.size}`
      engine.streams.set(name, outcome.out)
      return exact(name)
    },
    *homeOf(user: string): Asking<Value> {
      if (user === '+') return yield* known(variableOf(engine, m, 'PWD'))
      if (user === '-') return yield* known(variableOf(engine, m, 'OLDPWD'))
      if (user === '') {
        const home = yield* variableOf(engine, m, 'HOME')
        return home === 'unset' ? exact(engine.context.home) : home
      }
      if (user === engine.context.user) return exact(engine.context.home)
      if (user === 'root') return exact('/root')
      return { is: 'partly', prefix: siblings(engine.context.home), suffix: '', why: 'variable' }
    },
  }
}

function* known(asking: Asking<Value | 'unset'>): Asking<Value> {
  const value = yield* asking
  return value === 'unset' ? unknown('variable') : value
}

const siblings = (home: string): string => home.slice(0, home.lastIndexOf('/') + 1)
