/** A rule's own examples: what it must catch and what it must leave alone, judged when a policy is checked. */

import type { ToolCall } from '../../core/call.ts'
import { answer } from '../../core/driver.ts'
import type { Answer, Question } from '../../core/question.ts'
import type { World } from '../../core/world.ts'
import type { Context } from '../../guard/context.ts'
import { judge } from '../../guard/judge.ts'
import { hostOf } from '../../hosts/registry.ts'
import type { PersonRule, Policy, PolicyError } from '../../policy/policy.ts'
import { EMPTY_SESSION } from '../../session/session.ts'

type Example = NonNullable<PersonRule['must']>[number]

/** Where examples are judged: the rule alone in the policy, in a directory where everything, or nothing, exists. */
export interface Where {
  readonly cwd: string
  readonly home: string
  readonly user: string
}

/** Examples that do not come out as their rule says, as errors of the policy. */
export function failingExamples(policy: Policy, where: Where): readonly PolicyError[] {
  const errors: PolicyError[] = []
  for (const rule of policy.rules) {
    const alone: Policy = { ...policy, rules: [rule], families: {}, allow: [], disposable: [], profile: 'standard' }
    const tell = (example: Example, says: string) =>
      errors.push({
        file: rule.origin.file ?? 'policy',
        ...(rule.origin.line === undefined ? {} : { line: rule.origin.line }),
        message: `the rule ${JSON.stringify(rule.id)} ${says} ${JSON.stringify(example)}`,
      })
    for (const example of rule.must ?? [])
      if (!catches(rule, alone, example, where)) tell(example, 'must catch but does not')
    for (const example of rule.mustNot ?? [])
      if (catches(rule, alone, example, where)) tell(example, 'must leave alone but catches')
  }
  return errors
}

function catches(rule: PersonRule, policy: Policy, example: Example, where: Where): boolean {
  const call = callOf(example, where.cwd)
  const context: Context = {
    policy,
    session: EMPTY_SESSION,
    mode: { is: 'interactive' },
    unattended: false,
    platform: 'linux',
    home: where.home,
    user: where.user,
    foldsCase: false,
  }
  return [true, false].some((exists) => {
    const { value } = answer(judge(call, context), imagined(where, exists), { ms: 5_000, start: 0, questions: 20_000 })
    return value.verdict.findings.some((finding) => finding.rule === `rules.${rule.id}`)
  })
}

function callOf(example: Example, cwd: string): ToolCall {
  const base = {
    host: 'claude',
    event: 'PreToolUse',
    tool: 'Bash',
    cwd,
    workspaces: [cwd],
    session: 'example',
    mode: { is: 'interactive' },
  } as const
  if (typeof example === 'string') return { ...base, actions: [{ is: 'shell', text: example, dialect: 'posix' }] }
  const payload = {
    session_id: 'example',
    cwd,
    hook_event_name: 'PreToolUse',
    permission_mode: 'default',
    tool_name: example.tool,
    tool_input: example.input,
  }
  const decoded = hostOf('claude')!.decode(payload, 'PreToolUse', { version: undefined, unattended: false, env: {} })
  return decoded.is === 'pre' ? decoded.call : { ...base, tool: example.tool, actions: [] }
}

/** A world that holds the project and, where `exists`, a file under every name below it. */
function imagined(where: Where, exists: boolean): World {
  const file = { kind: 'file', size: 1, mtime: 0, inode: '1', links: 1, mode: 0o644 } as const
  const dir = { ...file, kind: 'dir' } as const
  return {
    now: () => 0,
    answer(question: Question): Answer {
      switch (question.ask) {
        case 'stat':
          if (question.path === where.cwd || where.cwd.startsWith(`${question.path}/`) || question.path === '/')
            return dir
          // A name without an ending is a directory as well as may be.
          return exists && question.path.startsWith(`${where.cwd}/`) && !/\/\.git(?:\/|$)/.test(question.path)
            ? /\.[^/]+$/.test(question.path)
              ? file
              : dir
            : 'absent'
        case 'list':
        case 'text':
        case 'texts':
          return 'absent'
        case 'time':
          return 'left'
        case 'env':
          return question.name === 'HOME' ? { value: where.home } : 'unset'
        case 'which':
          return { path: `/usr/bin/${question.program}` }
        case 'gitConfig':
        case 'gitBrings':
          return []
        case 'links':
          return []
        case 'git':
          return {}
      }
    },
  }
}
