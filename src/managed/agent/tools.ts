/** The tools that models are told of: the six of the sandbox, the look-up of captures, and those that a request brings. */
import { SANDBOX_TOOLS, type SandboxTool } from '../contract.ts'
import type { Tool } from './model.ts'

const path = { type: 'string', description: 'absolute path inside the environment, e.g. /workspace/a.txt' }

const object = (properties: Readonly<Record<string, unknown>>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
})

const SANDBOX: Readonly<Record<SandboxTool, Omit<Tool, 'name'>>> = {
  code_execution: {
    description: 'Runs code inside the environment, in /workspace, and answers with what it printed.',
    parameters: object(
      {
        code: { type: 'string', description: 'a command line or a program' },
        language: { type: 'string', enum: ['bash', 'python', 'node'], description: 'default: bash' },
      },
      ['code'],
    ),
  },
  view_file: {
    description: 'Reads a text file.',
    parameters: object({ path, start_line: { type: 'integer' }, end_line: { type: 'integer' } }, ['path']),
  },
  write_to_file: {
    description: 'Writes a text file and makes the directories above it.',
    parameters: object({ path, content: { type: 'string' }, overwrite: { type: 'boolean' } }, ['path', 'content']),
  },
  replace_file_content: {
    description: 'Replaces one exact text in a file.',
    parameters: object({ path, target_content: { type: 'string' }, replacement_content: { type: 'string' } }, [
      'path',
      'target_content',
      'replacement_content',
    ]),
  },
  list_dir: { description: 'Lists a directory.', parameters: object({ path }, ['path']) },
  delete_file: { description: 'Deletes a file.', parameters: object({ path }, ['path']) },
}

/** Whether a tool runs inside the sandbox; only these fire hooks. */
export const isSandboxTool = (name: string): name is SandboxTool => (SANDBOX_TOOLS as readonly string[]).includes(name)

/** The sandbox's tools; without `code_execution` where a request does not list it. */
export const sandboxTools = (withCode: boolean): readonly Tool[] =>
  SANDBOX_TOOLS.filter((name) => withCode || name !== 'code_execution').map((name) => ({ name, ...SANDBOX[name] }))

/** The tool that looks up what a digest stands for. It runs outside the sandbox and reads captures of one environment only. */
export const LOOK_UP = 'ctx'

export const lookUpTool: Tool = {
  name: LOOK_UP,
  description:
    'Looks up a part of a tool result that was too long to show: digests name it by address (run:<hex>, blob:<hex>).',
  parameters: object(
    {
      op: { type: 'string', enum: ['get', 'search', 'stats'] },
      ref: { type: 'string', description: 'the address' },
      selector: {
        type: 'object',
        description: 'get: one of these; ranges as A:B',
        properties: { lines: { type: 'string' }, bytes: { type: 'string' } },
      },
      patterns: { type: 'array', items: { type: 'string' }, description: 'search: expressions' },
    },
    ['op', 'ref'],
  ),
}
