/** The guard's rules on the tools of an environment. Paths, files and links are those of the environment. */
import { quoted } from '../../containment/birth.ts'
import type { Action, Json, ToolCall } from '../../core/call.ts'
import type { Context } from '../../guard/context.ts'
import { judge } from '../../guard/judge.ts'
import type { Policy } from '../../policy/policy.ts'
import { EMPTY_SESSION } from '../../session/session.ts'
import { ARGUMENT_NAMES } from '../argument-names.ts'
import type { Environments } from '../contract.ts'
import { answerFrom } from './environment-world.ts'
import type { GuardGate } from './gates.ts'
import type { Arguments } from './steps.ts'

const WORKSPACE = '/workspace'
const HOME = '/home/agent'

/** The guard as a gate. `policy`: of the operator. Nobody is there to answer an ask. */
export function guardGate(environments: Environments, policy: Policy, mode: GuardGate['mode']): GuardGate {
  return {
    mode,
    async judge(environment, name, args) {
      const context: Context = {
        ...{ policy, session: EMPTY_SESSION, mode: { is: 'headless' }, unattended: true },
        ...{ platform: 'linux', home: HOME, user: 'agent' },
      }
      const call = callOf(environment, name, args)
      const files = await environments.files(environment)
      const { verdict } = await answerFrom(judge(call, context), files, { HOME, USER: 'agent', PWD: WORKSPACE })
      return { decision: verdict.decision, reason: verdict.decision === 'pass' ? '' : verdict.reason }
    },
  }
}

function callOf(environment: string, tool: string, args: Arguments): ToolCall {
  return {
    ...{ host: 'antigravity-sdk', event: 'pre_tool_execution', tool },
    actions: [actionOf(tool, args)],
    args: JSON.parse(JSON.stringify(args)) as Json,
    ...{ cwd: WORKSPACE, workspaces: [WORKSPACE], session: environment, mode: { is: 'headless' } },
  }
}

/** Programs that run a text of another language, as a shell line. */
const RUNNERS: Readonly<Record<string, string>> = { python: 'python3 -c', node: 'node -e', javascript: 'node -e' }

function actionOf(tool: string, args: Arguments): Action {
  const text = (argument: keyof typeof ARGUMENT_NAMES): string | undefined => {
    const value = ARGUMENT_NAMES[argument].map((name) => args[name]).find((one) => one !== undefined)
    return typeof value === 'string' ? value : undefined
  }
  if (tool === 'code_execution') {
    const code = text('code')
    if (code === undefined) return { is: 'malformed', why: 'code is no text' }
    const runner = RUNNERS[text('language') ?? 'bash']
    return {
      is: 'shell',
      text: runner === undefined ? code : `${runner} ${quoted(code)}`,
      dialect: 'posix',
      cwd: WORKSPACE,
    }
  }
  const path = text('path')
  if (path === undefined) return { is: 'malformed', why: 'path is no text' }
  switch (tool) {
    case 'view_file':
      return { is: 'read', path, what: 'content' }
    case 'list_dir':
      return { is: 'read', path, what: 'names' }
    case 'delete_file':
      return { is: 'delete', path, tree: false }
    case 'write_to_file': {
      const content = text('content')
      return { is: 'write', path, ...(content === undefined ? {} : { content }) }
    }
    default: {
      const removed = text('target')
      const added = text('replacement')
      return {
        is: 'edit',
        path,
        ...(removed === undefined || added === undefined ? {} : { changes: [{ removed, added }] }),
      }
    }
  }
}
