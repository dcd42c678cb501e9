/** Saved agents: a file of the state directory, replaced as a whole. The environment of each is a template that runs fork. */
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { ManagedError } from '../contract.ts'
import { type ToolSet, toolsOf } from './body.ts'
import { bad, read, strict } from './shape.ts'

/** Agents that are always there. */
const BUILT_IN = ['antigravity-preview-05-2026', 'antigravity-preview-09-2026'] as const

export interface SavedAgent {
  readonly id: string
  readonly description?: string
  readonly system_instruction?: string
  readonly base_agent?: string
  readonly agent_config?: { readonly type: 'antigravity'; readonly model?: string; readonly max_total_tokens?: string }
  readonly tools?: readonly unknown[]
  /** The environment as it may be shown. */
  readonly base_environment?: unknown
  /** Id of the environment that runs fork. */
  readonly template?: string
  /** Whether that environment is ours, and goes with the agent. */
  readonly owned?: boolean
}

/** What an interaction takes of its agent. */
export interface AgentBase {
  readonly system?: string
  readonly template?: string
  readonly tools?: ToolSet
  readonly model?: string
  readonly maxTokens?: number
}

const text = z.string()
const FIELDS = strict({
  id: text.regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, { error: 'it takes lower-case letters, digits, - and _.' }).optional(),
  description: text.optional(),
  system_instruction: text.optional(),
  base_agent: text.optional(),
  base_environment: z.unknown().optional(),
  agent_config: strict({
    type: z.literal('antigravity', { error: "only 'antigravity' is known." }),
    model: text.optional(),
    max_total_tokens: text.regex(/^\d{1,15}$/, { error: 'it takes a whole number.' }).optional(),
  }).optional(),
  tools: z.array(z.unknown()).optional(),
})

export class Agents {
  readonly #file: string
  #all: Map<string, SavedAgent>

  /** Reads `file`, where it is there. Throws where it is no list of agents: better than to lose them. */
  constructor(file: string) {
    this.#file = file
    let text = '[]'
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    this.#all = new Map((JSON.parse(text) as SavedAgent[]).map((agent) => [agent.id, agent]))
  }

  /** Checks the body of a new agent. Throws `ManagedError`. */
  check(body: unknown): z.infer<typeof FIELDS> & { readonly id: string } {
    const given = read(FIELDS, body)
    const id = given.id ?? `agent-${randomBytes(6).toString('hex')}`
    if ((BUILT_IN as readonly string[]).includes(id)) throw bad(`Agent '${id}' is built in.`)
    if (this.#all.has(id)) throw new ManagedError(409, 'aborted', `Agent '${id}' already exists.`)
    if (given.base_agent !== undefined && given.base_agent !== '') this.base(given.base_agent)
    if (given.tools !== undefined) toolsOf(given.tools)
    return { ...given, id }
  }

  put(agent: SavedAgent): void {
    this.#all.set(agent.id, agent)
    this.#write()
  }

  get(id: string): SavedAgent | undefined {
    return this.#all.get(id)
  }

  list(): readonly SavedAgent[] {
    return [...this.#all.values()]
  }

  remove(id: string): void {
    this.#all.delete(id)
    this.#write()
  }

  /** What runs of this agent begin with. Throws `ManagedError` 404 where it is not known. */
  base(id: string): AgentBase {
    if ((BUILT_IN as readonly string[]).includes(id)) return {}
    const agent = this.#all.get(id)
    if (agent === undefined)
      throw new ManagedError(
        404,
        'not_found',
        `Agent '${id}' not found. Known: ${[...BUILT_IN, ...this.#all.keys()].join(', ')}.`,
      )
    const under = agent.base_agent === undefined || agent.base_agent === '' ? {} : this.base(agent.base_agent)
    const { system_instruction, template, tools, agent_config } = agent
    return {
      ...under,
      ...(system_instruction === undefined ? {} : { system: system_instruction }),
      ...(template === undefined ? {} : { template }),
      ...(tools === undefined ? {} : { tools: toolsOf(tools) }),
      ...(agent_config?.model === undefined ? {} : { model: agent_config.model }),
      ...(agent_config?.max_total_tokens === undefined ? {} : { maxTokens: Number(agent_config.max_total_tokens) }),
    }
  }

  #write(): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.list()), { mode: 0o600 })
    renameSync(`${this.#file}.new`, this.#file)
  }
}

/** An agent as it may be shown: without what its tools send along. */
export function shownAgent({ template: _, owned: __, tools, ...agent }: SavedAgent): unknown {
  return { ...agent, ...(tools === undefined ? {} : { tools: tools.map(shownTool) }) }
}

/** A tool as it may be shown. */
export function shownTool(tool: unknown): unknown {
  const { headers, ...rest } = tool as { readonly headers?: Readonly<Record<string, string>> }
  return headers === undefined
    ? rest
    : { ...rest, headers: Object.fromEntries(Object.keys(headers).map((name) => [name, '[hidden]'])) }
}
