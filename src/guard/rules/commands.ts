/** Exact commands of policies, compared as trees: quoting and blanks do not count. */
import type { ToolCall } from '../../core/call.ts'
import type { Finding } from '../../core/verdict.ts'
import { parseShell } from '../../shell/parse.ts'
import type { Node, Part, Script } from '../../shell/tree.ts'
import type { Context } from '../context.ts'
import type { Plan } from '../plan.ts'

/** One text for one command, whatever its quoting: the literal words joined. Others keep their own text. */
export function canonical(text: string): string {
  const { script, status } = parseShell(text)
  if (status !== 'complete') return text
  return JSON.stringify(script.statements.map(({ node }) => ofNode(node, text)))
}

function ofNode(node: Node, text: string): unknown {
  if (node.is !== 'simple' || node.assigns.length > 0 || node.redirects.length > 0)
    return text.slice(node.span.from, node.span.to)
  return node.words.map((word) => word.parts.map((part) => ofPart(part, text)).join(''))
}

const ofPart = (part: Part, text: string): string =>
  part.is === 'literal' ? part.text : text.slice(part.span.from, part.span.to)

/** Findings of a person's rules about commands and tools. */
export function commandFindings(plan: Plan, call: ToolCall, context: Context): readonly Finding[] {
  const out: Finding[] = []
  for (const rule of context.policy.rules) {
    if (
      rule.tool !== undefined &&
      rule.tool === call.tool &&
      rule.command === undefined &&
      rule.effect === undefined &&
      rule.path === undefined
    ) {
      out.push({ rule: `rules.${rule.id}`, family: 'rules', decision: rule.verdict, reason: rule.reason })
    }
    if (rule.command === undefined || (rule.tool !== undefined && rule.tool !== call.tool)) continue
    const wanted = wordsOf(rule.command)
    const ran = plan.ran.find(
      (one) =>
        wanted !== undefined && one.words.length === wanted.length && one.words.every((word, i) => word === wanted[i]),
    )
    if (ran)
      out.push({ rule: `rules.${rule.id}`, family: 'rules', decision: rule.verdict, reason: rule.reason, via: ran.via })
  }
  return out
}

function wordsOf(text: string): readonly string[] | undefined {
  const script: Script = parseShell(text).script
  const node = script.statements[0]?.node
  if (script.statements.length !== 1 || node?.is !== 'simple') return undefined
  return node.words.map((word) => word.parts.map((part) => ofPart(part, text)).join(''))
}
