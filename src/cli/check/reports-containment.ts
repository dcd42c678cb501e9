/** Replays an output that a report tells of: its digest, what the store keeps of it, and what the ledger books. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAddress } from '../../containment/address.ts'
import { hostCapOf } from '../../containment/ledger/caps.ts'
import { book, ledgerFile, readLedger, rowOf } from '../../containment/ledger/ledger.ts'
import { netOf } from '../../containment/ledger/row.ts'
import { MARKER } from '../../containment/redact/redact.ts'
import { commandsOfLine } from '../../containment/run/commands.ts'
import { openStore } from '../../containment/store/store.ts'
import { tokensOf } from '../../containment/tokens.ts'
import { digestFile } from '../ctx/digest-file.ts'
import type { Outcome } from './reports-guard.ts'
import type { ContainmentRow, OutputPart } from './reports-read.ts'

/** What was shown, and what is known of it. */
interface Shown {
  readonly text: string
  readonly status: string
  readonly exit: number | null
  readonly tokens: number
  readonly masked: number
  readonly addresses: readonly string[]
}

/** The smallest budget that `ctx digest` takes: a row that allows less is judged by what comes of it. */
const LEAST_BUDGET = 60
/** Nothing that a row replays takes so long. */
const MOST_MS = 60_000

/** Replays a row in a scratch directory that is removed afterwards. Nothing of the row's command is executed. */
export async function replayOutput(row: ContainmentRow): Promise<Outcome> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-report-')))
  try {
    const bytes = bytesOf(row.output)
    const env = { HOME: dir, XDG_STATE_HOME: join(dir, 'state'), PATH: process.env['PATH'] ?? '' }
    const file = join(dir, 'output')
    writeFileSync(file, bytes)
    const shown =
      row.stream === undefined && row.store === undefined
        ? await digested(row, file, env, dir)
        : ran(row, file, env, dir)
    const misses = [...checkText(row, shown, bytes), ...checkAddresses(row, shown, bytes, env, dir)]
    if (row.store?.seal) misses.push(...checkStore(row, dir))
    const net = bookOf(row, shown, bytes, env)
    const { net_max: most, net_min: least } = row.expect.ledger ?? {}
    if (most !== undefined && net > most) misses.push(`the ledger's net is ${net}, more than ${most}`)
    if (least !== undefined && net < least) misses.push(`the ledger's net is ${net}, less than ${least}`)
    return { got: { ...shown, net }, misses }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The bytes of a row's output: each line with its end. */
export function bytesOf(output: readonly OutputPart[]): Buffer {
  const parts: string[] = []
  for (const part of output) {
    if ('sequence' in part) {
      const [from, to] = part.sequence
      for (let n = from; n <= to; n++) parts.push(`${part.text.replaceAll('{n}', String(n))}\n`)
    } else parts.push(`${part.text}\n`.repeat(part.repeat ?? 1))
  }
  return Buffer.from(parts.join(''))
}

type Env = Readonly<Record<string, string>>

/** Through `ctx digest`, in this process. */
async function digested(row: ContainmentRow, file: string, env: Env, cwd: string): Promise<Shown> {
  let [out, err] = ['', '']
  const io = {
    out: (text: string) => {
      out += text
    },
    err: (text: string) => {
      err += text
    },
    ...{ cwd, env, colour: false },
  }
  const { max_tokens: budget } = row.expect
  const flags = {
    ...{ command: row.command, exit: String(row.exit), json: true },
    ...(budget === undefined ? {} : { budget: String(Math.max(LEAST_BUDGET, budget)) }),
  }
  if ((await digestFile(flags, file, io)) !== 0) throw new Error(`ctx digest failed: ${err.trim()}`)
  const { text, status, exit_code: exit, tokens, masked, addresses } = JSON.parse(out)
  return { text, status, exit, tokens, masked, addresses }
}

/** The program, from source or built. */
const ctxFile = (): string =>
  ['../../../bin/ctx.js', '../bin/ctx.js']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((file) => existsSync(file))!

/** Through `ctx run`, with a child of our own that has the name and the words of the row's command and writes the bytes. */
function ran(row: ContainmentRow, file: string, env: Env, dir: string): Shown {
  if (row.store !== undefined) {
    const config = join(dir, '.config', 'sallyport')
    mkdirSync(config, { recursive: true, mode: 0o700 })
    writeFileSync(join(config, 'policy.jsonc'), JSON.stringify({ store: row.store }), { mode: 0o600 })
  }
  const commands = commandsOfLine(row.command)
  const alone = commands.length === 1 ? commands[0] : undefined
  const program = /^[A-Za-z0-9_.+-]{1,32}$/.test(alone?.program ?? '') ? alone!.program : 'replay'
  const child = join(dir, 'bin', program)
  mkdirSync(join(dir, 'bin'))
  const stream = row.stream === 'stderr' ? 2 : 1
  writeFileSync(
    child,
    `#!${process.execPath}
const { readFileSync, writeSync } = require('node:fs')
const bytes = readFileSync(${JSON.stringify(file)})
for (let at = 0; at < bytes.length; ) {
  try {
    at += writeSync(${stream}, bytes, at)
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error
  }
}
process.exitCode = ${row.exit}
`,
  )
  chmodSync(child, 0o755)
  const budget = row.expect.max_tokens === undefined ? [] : ['--budget', String(row.expect.max_tokens)]
  const argv = [ctxFile(), 'run', ...budget, '--', child]
  const given = program === 'replay' ? [] : (alone?.args ?? [])
  const done = spawnSync(process.execPath, [...argv, ...given], { cwd: dir, env, timeout: MOST_MS, maxBuffer: 1 << 30 })
  if (done.error !== undefined) throw done.error
  const text = `${done.stdout}${done.stderr}`
  return {
    text,
    status: done.status === 0 ? 'ok' : 'failed',
    exit: done.status,
    tokens: tokensOf(text),
    masked: [...text.matchAll(MARKER)].length,
    addresses: [
      ...new Set(
        text.match(
          /\b(?:run|blob):[0-9a-f]{6,64}(?:#(?:stdout|stderr|merged))?(?: --(?:lines|bytes|records|json-pointer|shape) [^\s\]);,]+)?/g,
        ),
      ),
    ],
  }
}

function checkText({ expect }: ContainmentRow, shown: Shown, bytes: Buffer): string[] {
  const { text, status, exit, tokens, masked } = shown
  const misses: string[] = []
  if (expect.status !== undefined && status !== expect.status)
    misses.push(`the status is ${status}, not ${expect.status}`)
  if (expect.exit_shown !== undefined) {
    if (!new RegExp(`\\bexit ${expect.exit_shown}\\b`).test(text)) misses.push(`exit ${expect.exit_shown} is not shown`)
    if (exit !== expect.exit_shown) misses.push(`the exit code is ${exit}, not ${expect.exit_shown}`)
  }
  for (const word of expect.must_keep ?? [])
    if (!text.includes(word)) misses.push(`${JSON.stringify(word)} is not shown`)
  for (const word of expect.must_not_contain ?? [])
    if (text.includes(word)) misses.push(`${JSON.stringify(word)} is shown`)
  if (expect.identical && text !== bytes.toString()) misses.push('the text is not the output')
  if (expect.max_tokens !== undefined && tokens > expect.max_tokens)
    misses.push(`it takes ${tokens} tokens, more than ${expect.max_tokens}`)
  if (expect.masked !== undefined && masked !== expect.masked)
    misses.push(`${masked} values are masked, not ${expect.masked}`)
  const repeat = expect.repeat_shown
  if (repeat !== undefined) {
    const alone = new RegExp(`(?<![0-9])${repeat.count}(?![0-9])`)
    const fits = (line: string) => line.includes(repeat.text) && alone.test(line.replace(repeat.text, ''))
    if (!text.split('\n').some(fits)) misses.push(`no line shows ${JSON.stringify(repeat.text)} with ${repeat.count}`)
  }
  return misses
}

function checkAddresses(row: ContainmentRow, shown: Shown, bytes: Buffer, env: Env, dir: string): string[] {
  if (!row.expect.addresses_resolve) return []
  if (shown.addresses.length === 0) return ['no address is shown']
  const misses: string[] = []
  const store = openStore({ env, home: dir })
  const handles = new Set<string>()
  for (const text of shown.addresses) {
    const address = parseAddress(text)
    if ('refused' in address) misses.push(`${text} is no address: ${address.refused}`)
    else if (!store.answers(address)) misses.push(`${text} does not resolve`)
    else if (address.handle.is !== 'repo') handles.add(`${address.handle.is}:${address.handle.id}`)
  }
  for (const handle of handles) {
    // Another process of another session reads the whole of it.
    const read = spawnSync(process.execPath, [ctxFile(), 'get', handle, '--raw'], {
      cwd: dir,
      env: { ...env, CTX_CONVERSATION_ID: 'another' },
      timeout: MOST_MS,
      maxBuffer: 1 << 30,
    })
    if (read.status !== 0) misses.push(`${handle} cannot be read by another process`)
    else if (!read.stdout.equals(bytes)) misses.push(`${handle} does not give the bytes of the output`)
  }
  return misses
}

/** No file of the state directory may hold what must not be shown. */
function checkStore(row: ContainmentRow, dir: string): string[] {
  const misses: string[] = []
  const secrets = row.expect.must_not_contain ?? []
  const walk = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const at = join(path, entry.name)
      if (entry.isDirectory()) walk(at)
      else if (entry.isFile()) {
        const held = readFileSync(at)
        for (const secret of secrets)
          if (held.includes(secret)) misses.push(`the store holds ${JSON.stringify(secret)}`)
      }
    }
  }
  walk(join(dir, 'state'))
  return misses
}

/** Books the event on a scratch ledger, and reads its net back. */
function bookOf(row: ContainmentRow, shown: Shown, bytes: Buffer, env: Env): number {
  const host = row.host ?? 'none'
  const measure = (text: string) => ({ bytes: Buffer.byteLength(text), tokens: tokensOf(text) })
  const raw = measure(bytes.toString())
  const applied = row.host_applies ?? true
  const file = join(ledgerFile({ ...env, CTX_STATE_HOME: join(env['HOME']!, 'booked') }, env['HOME']!))
  const failed = book(
    rowOf({
      ...{ ts: '1970-01-01T00:00:00.000Z', host, session: row.id, family: 'other' },
      ...{ raw, cap: hostCapOf(host, raw.bytes, row.exit), exit: row.exit },
      ...(applied ? { delivered: measure(shown.text) } : {}),
      ...(row.host_appends === undefined ? {} : { overhead: { bytes: 0, tokens: row.host_appends } }),
      method: applied ? 'run' : 'raw',
    }),
    file,
  )
  if (failed !== undefined) throw new Error(failed)
  let net = 0
  readLedger(file, (booked) => {
    net += netOf(booked)
  })
  return net
}
