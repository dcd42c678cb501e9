/** The managed runtime with real sandboxes, in this process, and clients that talk to it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { GoogleGenAI } from '@google/genai'
import { chooseModels } from '../../src/managed/agent/models/choose.ts'
import type { RuntimeEvent } from '../../src/managed/contract.ts'
import { serve } from '../../src/managed/interactions/server.ts'
import type { InteractionView } from '../../src/managed/interactions/wire.ts'
import { type ManagedOptions, openManaged } from '../../src/managed/open.ts'
import { need } from '../need.ts'

export const KEY = 'test-key'
export const AGENT = 'antigravity-preview-09-2026'

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Body
}

type Loose = { readonly [key: string]: unknown }

export interface Body extends InteractionView, Loose {
  readonly error: { readonly code: string; readonly message: string }
  readonly files: readonly { readonly [key: string]: string }[]
  readonly warnings?: readonly string[]
  readonly trace: readonly {
    readonly call: string
    readonly handlers: readonly { readonly group: string; readonly outcome: string; readonly warning?: string }[]
    readonly warnings: readonly { readonly id: string; readonly text: string }[]
  }[]
}

export interface Running {
  readonly base: string
  readonly client: GoogleGenAI
  readonly events: RuntimeEvent[]
  readonly state: string
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Told>
  /** An interaction to its end. */
  run(input: unknown, more?: object): Promise<Body>
  /** Stops the server and opens another on the same state. */
  again(): Promise<void>
  close(): Promise<void>
}

/** Whether sandboxes can be made here; else the test is listed as not run. */
export const canIsolate = (t: TestContext): boolean => need(t, 'bwrap')

/** Starts a runtime of its own. The caller closes it; its state is removed then. */
export async function startRuntime(more: Partial<ManagedOptions> = {}): Promise<Running> {
  const root = mkdtempSync(join(tmpdir(), 'managed-'))
  const state = join(root, 'state')
  const events: RuntimeEvent[] = []
  const models = await chooseModels([], {})
  if ('refused' in models) throw new Error(models.refused)
  const begin = async () => {
    const managed = await openManaged({
      ...{ state, env: { HOME: root }, home: root, models },
      lookUp: async () => ({ text: 'not here', failed: true }),
      tell: (event) => void events.push(event),
      ...more,
    })
    const serving = await serve(managed, 0, { key: KEY })
    return { managed, serving, base: `http://127.0.0.1:${serving.port}` }
  }
  let now = await begin()
  const end = async () => {
    await now.serving.close()
    await now.managed.close()
  }
  const ask: Running['ask'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(now.base + path, {
      ...{ method, headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json', ...headers } },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) }
  }
  return {
    get base() {
      return now.base
    },
    get client() {
      return sdk(now.base)
    },
    ...{ events, state, ask },
    async run(input, options = {}) {
      const told = await ask('POST', '/v1/interactions', { agent: AGENT, input, ...options })
      if (told.status !== 200) throw new Error(told.text)
      return told.body
    },
    async again() {
      await end()
      now = await begin()
    },
    async close() {
      await end()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** The SDK as a user makes it. */
export const sdk = (baseUrl: string): GoogleGenAI => new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl } })

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {} as Body
  }
}

/** A request that plays a script. */
export const script = (...lines: readonly object[]): string => JSON.stringify({ script: lines })

/** A script of one turn with these calls. */
export const calls = (...all: readonly (readonly [name: string, args: object])[]): string =>
  script({ calls: all.map(([name, args]) => ({ name, args })) })

/** A script that runs one command. */
export const command = (code: string, language = 'bash'): string => calls(['code_execution', { code, language }])

/** Results of the calls, in order. */
export const resultsOf = ({
  steps,
}: Pick<Body, 'steps'>): readonly { readonly text: string; readonly isError: boolean }[] =>
  steps.flatMap((step) =>
    'call_id' in step ? [{ text: String(step.result), isError: 'is_error' in step && step.is_error === true }] : [],
  )

/** The text that the model ended with. */
export function textOf({ steps }: Pick<Body, 'steps'>): string {
  const last = steps.at(-1)
  return last?.type === 'model_output' ? last.content.map(({ text }) => text).join('') : ''
}

export const inline = (target: string, content: string) => ({ type: 'inline', target, content })

/** Asks again until it holds; fails after `ms`. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, ms = 15_000): Promise<T> {
  for (const end = Date.now() + ms; ; ) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error('it does not come')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
