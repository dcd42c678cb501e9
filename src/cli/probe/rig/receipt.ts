/** Receipts: what a real host did, in a form that does not tell where or when it was driven, beyond day and platform. */
import type { Scratch } from './scratch.ts'
import { list, object } from './script.ts'

export interface ReceiptScenario {
  readonly id: string
  readonly registered: unknown
  /** What the host sent on stdin; null when the hook was not run. */
  readonly payload: unknown
  /** What the hook wrote to stdout, byte for byte but for the normalised parts. */
  readonly answer: string
  readonly exit: number | null
  readonly observed: { readonly ran: boolean; readonly modelSaw: string; readonly prompted: boolean }
  readonly claim: string
  readonly ok: boolean
}

export interface Receipt {
  readonly v: 1
  readonly host: string
  readonly version: string
  readonly platform: string
  /** Day, as in 2026-01-31. */
  readonly date: string
  readonly driver: string
  readonly scenarios: readonly ReceiptScenario[]
}

const CAPABILITIES =
  /^(?:pre\.(?:deny|ask|pass|rewrite)|rewrite\.keepsPrompt|post\.(?:replace|context)|fail\.(?:crash|timeout|garbage)|subagents|mcp|print) (?:yes|no|partial): ./

/** Replaces what differs from run to run in every string of a JSON value: `$CWD`, `$HOME`, `$PROJECT`, `$NODE`, `<id>`. */
export function normaliser(at: Scratch, project: string): (value: unknown) => unknown {
  const flat = (path: string) => path.replaceAll(/[^a-zA-Z0-9]/g, '-')
  // The longer path first; whole names only, since one may lie inside another word. The letter of an escape (`\\n`) is no word.
  const names = [
    [at.cwd, '$$CWD'],
    [flat(at.cwd), '-CWD'],
    [at.home, '$$HOME'],
    [at.root, '$$SCRATCH'],
    [process.execPath, '$$NODE'],
    [project, '$$PROJECT'],
  ].map(([from, to]) => [new RegExp(`(?<!(?:^|[^\\\\])\\w)${literal(from!)}(?!\\w)`, 'g'), to!] as const)
  const text = (value: string) => {
    let out = value
    for (const [pattern, to] of names) out = out.replaceAll(pattern, to)
    return out
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d\b/g, '<time>')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d-\d\d-[0-9a-f]{8}\b/g, '<time>-<id>')
      .replaceAll(/(Wall time:? |"wall_time_seconds":|Original token count: )[\d.]+/g, '$1<n>')
      .replaceAll(/(Chunk ID: |"chunk_id":")\w+/g, '$1<id>')
  }
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one)]))
  }
  return walk
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Everything that is wrong with the form of a receipt; empty when nothing is. */
export function problems(value: unknown): readonly string[] {
  const out: string[] = []
  const check = (good: boolean, text: string) => {
    if (!good) out.push(text)
  }
  const receipt = object(value)
  check(keys(receipt) === 'v,host,version,platform,date,driver,scenarios', `keys are ${keys(receipt)}`)
  check(receipt['v'] === 1, 'v is not 1')
  for (const name of ['host', 'version', 'platform', 'driver'])
    check(typeof receipt[name] === 'string' && receipt[name] !== '', `${name} is no text`)
  check(/^\d{4}-\d\d-\d\d$/.test(String(receipt['date'])), 'date is no day')
  const scenarios = list(receipt['scenarios']).map(object)
  check(scenarios.length > 0, 'no scenario')
  check(new Set(scenarios.map((one) => one['id'])).size === scenarios.length, 'an id twice')
  for (const one of scenarios) {
    const id = String(one['id'])
    check(keys(one) === 'id,registered,payload,answer,exit,observed,claim,ok', `${id}: keys are ${keys(one)}`)
    check(typeof object(one['registered'])['command'] === 'string', `${id}: no registered command`)
    check(typeof one['answer'] === 'string', `${id}: answer is no text`)
    check(one['exit'] === null || Number.isInteger(one['exit']), `${id}: exit is no number`)
    check(typeof one['ok'] === 'boolean', `${id}: ok is neither true nor false`)
    check(CAPABILITIES.test(String(one['claim'])), `${id}: claim names no capability`)
    const observed = object(one['observed'])
    check(keys(observed) === 'ran,modelSaw,prompted', `${id}: observed has ${keys(observed)}`)
    check(typeof observed['ran'] === 'boolean' && typeof observed['modelSaw'] === 'string', `${id}: observed is wrong`)
  }
  check(
    !/(?<![\w.])\/tmp\/|\/home\/\w|\/root\b|\/Users\//.test(JSON.stringify(value)),
    'a path of the machine is in it',
  )
  return out
}

function keys(value: object): string {
  return Object.keys(value).join(',')
}
