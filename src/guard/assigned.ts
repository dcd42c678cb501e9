/** What the body of a loop assigns. */
import { either, unknown } from '../core/value.ts'
import type { Node, Script } from '../shell/tree.ts'
import type { Machine } from './machine.ts'

/** Variables that a loop body sets may hold anything a later round gave them. */
export function forgetAssigned(script: Script, m: Machine, except?: string): void {
  for (const name of assignedIn(script)) {
    if (name === except) continue
    const before = m.vars.get(name)
    m.vars.set(
      name,
      before === undefined || before === 'unset' ? unknown('variable') : either(before, unknown('variable')),
    )
  }
}

function* assignedIn(script: Script): Generator<string> {
  for (const { node } of script.statements) yield* assignedInNode(node)
}

function* assignedInNode(node: Node): Generator<string> {
  switch (node.is) {
    case 'simple':
      if (node.words.length === 0) for (const assign of node.assigns) yield assign.name
      return
    case 'pipeline':
      for (const command of node.commands) yield* assignedInNode(command)
      return
    case 'and-or':
      yield* assignedInNode(node.first)
      for (const { node: next } of node.rest) yield* assignedInNode(next)
      return
    case 'group':
      yield* assignedIn(node.body)
      return
    case 'if':
      for (const clause of node.clauses) yield* assignedIn(clause.then)
      if (node.otherwise) yield* assignedIn(node.otherwise)
      return
    case 'while':
    case 'until':
    case 'for':
    case 'select':
    case 'arithmetic-for':
      yield* assignedIn(node.body)
      return
    case 'case':
      for (const item of node.items) yield* assignedIn(item.body)
      return
    default:
  }
}
