// biome-ignore-all lint/correctness/useYield: a shell that knows everything asks nothing
/** A shell for tests of expansion. */
import type { Asking } from '../core/question.ts'
import { concat, exact, oneOf, textOf, unknown, type Value } from '../core/value.ts'
import { expandFields, type ShellEnv } from './expand.ts'
import { scanGlob } from './pattern.ts'
import type { Script } from './tree.ts'

export interface Given {
  /** null: not known; a list: any of them. */
  readonly vars?: Readonly<Record<string, string | null | readonly string[] | { readonly glob: string }>>
  readonly args?: readonly string[]
}

/** A shell that knows the row's variables and runs nothing but `echo` and `printf` of known words. */
export class TestShell implements ShellEnv {
  readonly variables = new Map<string, Value>()
  readonly args: readonly Value[] | undefined
  /** How often a substitution was run, and whether `${x:?}` stopped the shell. */
  ran = 0
  stopped = false

  constructor(row: Given) {
    for (const [name, value] of Object.entries(row.vars ?? {}))
      this.variables.set(
        name,
        value === null
          ? unknown('variable')
          : typeof value === 'string'
            ? exact(value)
            : 'glob' in value
              ? { is: 'glob', parts: scanGlob(value.glob) }
              : oneOf(value),
      )
    this.args = row.args?.map(exact)
  }

  *variable(name: string): Asking<Value | 'unset'> {
    return this.variables.get(name) ?? 'unset'
  }

  positional(): readonly Value[] | undefined {
    return this.args
  }

  assign(name: string, value: Value): void {
    this.variables.set(name, value)
  }

  *command(script: Script, source: string): Asking<Value> {
    this.ran++
    const node = script.statements[0]?.node
    if (script.statements.length !== 1 || node?.is !== 'simple') return unknown('substitution')
    const [name, ...args] = (yield* expandFields(node.words, this, source)).map((arg) => arg.value)
    if (textOf(name) === 'printf')
      return args.length === 1 ? exact(textOf(args[0])!.replaceAll('\\n', '\n')) : unknown('substitution')
    if (textOf(name) !== 'echo') return unknown('substitution')
    const joined = args.reduce((all: Value, arg, i) => concat(i === 0 ? all : concat(all, exact(' ')), arg), exact(''))
    return concat(joined, exact('\n'))
  }

  stops(): void {
    this.stopped = true
  }

  *process(): Asking<Value> {
    return exact('/dev/fd/63')
  }

  *homeOf(user: string): Asking<Value> {
    const homes: Readonly<Record<string, string>> = { '': '/home/u', root: '/root', '+': '/work', '-': '/old' }
    const home = homes[user]
    return home === undefined ? unknown('variable') : exact(home)
  }
}

/** The result of a computation that asks the world nothing. */
export function run<T>(asking: Asking<T>): T {
  const step = asking.next()
  if (!step.done) throw new Error('the test shell asks nothing')
  return step.value
}
