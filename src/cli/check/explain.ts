/** `sallyport explain`: the tree, the effects with their places underlined, zones, the rule, the safer way. */

import { counted } from '../../core/count.ts'
import type { Effect, Target } from '../../core/effect.ts'
import { showValue } from '../../core/value.ts'
import { buildRecord } from '../../record/record.ts'
import { parseShell } from '../../shell/parse.ts'
import type { Node, Reading, Script } from '../../shell/tree.ts'
import { EXIT, type Io } from '../io.ts'
import { judgeCase } from './case.ts'
import { BadInput, type CheckFlags, lineOf, prepare } from './subject.ts'
import { ticketLine } from './ticket.ts'

/** Runs the verb. Exit 0 whatever the verdict; 2 for bad input. */
export function explain(flags: CheckFlags & { readonly json?: boolean }, words: readonly string[], io: Io): number {
  try {
    const command = lineOf(words)
    const { subject, world } = prepare(command, flags, io, 'explain')
    const result = judgeCase(subject, world)
    const { verdict, policy, facts, spent } = result
    io.err(ticketLine(flags, io, 'explain'))
    if (flags.json) {
      io.out(`${JSON.stringify(buildRecord({ verdict, policy, facts, call: command, ms: spent.ms, seed: command }))}\n`)
      return EXIT.ok
    }
    const reading = parseShell(command)
    io.out(`${command}\n\ntree (${verdict.status})\n`)
    for (const line of treeLines(reading.script, reading, 1)) io.out(`${line}\n`)
    for (const problem of reading.problems) io.out(`  cannot read: ${problem.what}\n`)
    io.out(`\neffects (${verdict.effects.length})\n`)
    for (const effect of verdict.effects) for (const line of effectLines(effect, command)) io.out(`${line}\n`)
    io.out(`\nverdict  ${verdict.decision}\n`)
    for (const finding of verdict.findings)
      io.out(`  ${finding.decision.padEnd(5)} ${finding.rule}: ${finding.reason}\n`)
    if (verdict.safer !== undefined) io.out(`safer    ${verdict.safer}\n`)
    io.out(`profile  ${policy.profile}, ${counted(facts.length, 'fact')}\n`)
    for (const error of policy.errors) io.out(`policy   ${error.file}: ${error.message}\n`)
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof BadInput)) throw error
    io.err(`sallyport explain: ${error.message}\n`)
    return EXIT.usage
  }
}

/** Levels of the tree that are shown; what lies deeper is in the effects. */
const MOST_LEVELS = 6

function treeLines(script: Script, reading: Reading, depth: number): string[] {
  return script.statements.flatMap(({ node, background }) => [
    ...nodeLines(node, reading, depth),
    ...(background ? [`${'  '.repeat(depth)}in the background`] : []),
  ])
}

function nodeLines(node: Node, reading: Reading, depth: number): string[] {
  const pad = '  '.repeat(depth)
  const text = reading.text.slice(node.span.from, node.span.to).replaceAll('\n', '⏎')
  const line = `${pad}${node.is}  ${text.length > 100 ? `${text.slice(0, 99)}…` : text}`
  if (depth > MOST_LEVELS) return [line]
  const below = (scripts: readonly (Script | undefined)[]) =>
    scripts.flatMap((script) => (script ? treeLines(script, reading, depth + 1) : []))
  switch (node.is) {
    case 'pipeline':
      return [line, ...node.commands.flatMap((command) => nodeLines(command, reading, depth + 1))]
    case 'and-or':
      return [
        line,
        ...[node.first, ...node.rest.map((rest) => rest.node)].flatMap((one) => nodeLines(one, reading, depth + 1)),
      ]
    case 'group':
    case 'subshell':
    case 'for':
    case 'select':
    case 'arithmetic-for':
      return [line, ...below([node.body])]
    case 'while':
    case 'until':
      return [line, ...below([node.test, node.body])]
    case 'if':
      return [line, ...below([...node.clauses.flatMap((clause) => [clause.test, clause.then]), node.otherwise])]
    case 'case':
      return [line, ...below(node.items.map((item) => item.body))]
    case 'function':
    case 'coproc':
      return [line, ...nodeLines(node.body, reading, depth + 1)]
    default:
      return [line]
  }
}

function showTarget(target: Target): string {
  switch (target.is) {
    case 'path':
      return `${target.path}${target.pattern ? `${target.path.endsWith('/') ? '' : '/'}${showValue({ is: 'glob', parts: target.pattern })}` : ''}${target.open ? '…' : ''}${target.tree ? ' and all below' : ''}`
    case 'unknown':
      return `unknown: ${target.what}`
    case 'git':
      return `${target.op.is} in ${target.repo ?? 'an unknown repository'}`
    case 'remote':
      return `${target.service} ${target.name}`
    default:
      return target.name
  }
}

function effectLines(effect: Effect, command: string): string[] {
  const when = effect.when === 'always' ? '' : `, ${effect.when}`
  const zones = effect.zones?.length ? `  [${effect.zones.join(' ')}]` : ''
  const head = `  ${effect.act.padEnd(7)} ${showTarget(effect.target)}${zones}  by ${effect.by}${when}`
  const [outer, ...inner] = effect.via
  const lines = [head]
  if (outer?.source === 'call' && outer.span.to > outer.span.from && !command.includes('\n') && command.length <= 160) {
    lines.push(
      `          ${command}`,
      `          ${' '.repeat(outer.span.from)}${'^'.repeat(outer.span.to - outer.span.from)}`,
    )
  } else if (outer) lines.push(`          ${outer.text.replaceAll('\n', '⏎')}`)
  for (const via of inner)
    lines.push(
      `          → ${via.source}${via.line === undefined ? '' : `:${via.line}`}  ${via.text.replaceAll('\n', '⏎')}`,
    )
  return lines
}
