/**
 * What the tools of MCP servers cost each request to a model. No hook of any host is told, so it is measured where the
 * lists of tools pass: our own proxy, and our own server. A session that starts in the same project is told of the sum.
 */

import { join } from 'node:path'
import type { Json } from '../core/call.ts'
import { counted } from '../core/count.ts'
import { makeDirs, statePath } from '../session/store.ts'
import { namesIn, readText, writeWhole } from './store/files.ts'
import { sha256 } from './store/layout.ts'
import { tokensOf } from './tokens.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The tools of one server, as measured. */
export interface Served {
  readonly name: string
  readonly tools: number
  /** Estimated tokens. */
  readonly tokens: number
  /** Where the host ran: its project. */
  readonly cwd: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Estimated tokens that a session may start with before it is told. */
export const MOST_TOKENS = 8_000
/** A server that was not started for so long is not counted. */
const MOST_AGE = 7 * 24 * 3600 * 1000
const MOST_SERVERS = 64
const MOST_NAME = 64
const MOST_BYTES = 4096
/** Servers that are named; the others are counted. */
const NAMED = 3

const placeOf = (env: Env, home: string, host: string): string =>
  join(statePath(env, home), 'hosts', `${host.replace(/[^a-z0-9-]/g, '_')}.surface`)

/** Estimated tokens of tools as a host hands them to a model: name, description, schema of the input. */
export function tokensOfTools(tools: readonly Json[]): number {
  let sum = 0
  for (const tool of tools) {
    if (typeof tool !== 'object' || tool === null || Array.isArray(tool)) continue
    const { name, description, inputSchema } = tool as { readonly [key: string]: Json }
    sum += tokensOf(JSON.stringify({ name, description, input_schema: inputSchema }))
  }
  return sum
}

/** Keeps what a server of a host was measured at; `server` tells it from others (its command or address). Never throws. */
export function noteServed(env: Env, home: string, host: string, server: string, served: Served): void {
  try {
    const dir = placeOf(env, home, host)
    makeDirs(dir)
    const text = JSON.stringify({ v: 1, ...served, name: plainName(served.name) })
    writeWhole(join(dir, `${sha256(`${served.cwd}\0${server}`).slice(0, 16)}.json`), text, false)
  } catch {
    // Nothing depends on it.
  }
}

/** What servers of a host in a project were last measured at, the largest first. `now`: milliseconds since the epoch. */
export function servedIn(env: Env, home: string, host: string, cwd: string, now: number): readonly Served[] {
  const dir = placeOf(env, home, host)
  const out: Served[] = []
  for (const name of namesIn(dir).slice(0, MOST_SERVERS)) {
    const served = readServed(readText(join(dir, name), MOST_BYTES))
    if (served !== undefined && served.cwd === cwd && now - served.at < MOST_AGE) out.push(served)
  }
  return out.sort((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1))
}

/** The sentence for a session that starts; undefined where the tools are few. */
export function surfaceAdvice(served: readonly Served[]): string | undefined {
  const total = served.reduce((sum, { tokens }) => sum + tokens, 0)
  if (total <= MOST_TOKENS) return undefined
  const count = (n: number) => n.toLocaleString('en-US')
  const named = served
    .slice(0, NAMED)
    .map(({ name, tools, tokens }) => `${name} ≈${count(tokens)} (${counted(tools, 'tool')})`)
  const rest = served.length - named.length
  const list = rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ')
  return (
    `[ctx] The tools of ${served.length === 1 ? 'an MCP server' : `${served.length} MCP servers`} take ≈${count(total)} tokens ` +
    `of every request (advised: ${count(MOST_TOKENS)}): ${list}. A person can switch off the servers that this task does not need.`
  )
}

function readServed(text: string | undefined): Served | undefined {
  try {
    const { name, tools, tokens, cwd, at } = JSON.parse(text ?? '') as Record<string, unknown>
    if (typeof name !== 'string' || typeof cwd !== 'string') return undefined
    const numbers = [tools, tokens, at]
    if (!numbers.every((value) => Number.isSafeInteger(value) && (value as number) >= 0)) return undefined
    return { name: plainName(name), tools: tools as number, tokens: tokens as number, cwd, at: at as number }
  } catch {
    return undefined
  }
}

/** A server's own name is shown to a model: letters, digits and a few marks of it. */
const plainName = (name: string): string => name.replace(/[^\w.@/-]+/g, '-').slice(0, MOST_NAME) || 'unnamed'
