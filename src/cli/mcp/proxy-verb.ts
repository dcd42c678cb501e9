/** `sallyport mcp proxy`: fronts a server of the Model Context Protocol and bounds its results. */
import { basename } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { JsonSchemaType } from '@modelcontextprotocol/sdk/validation/types.js'
import { contain } from '../../containment/contain.ts'
import type { Json } from '../../core/call.ts'
import { Bounding, type Oversized } from '../../mcp/bounding.ts'
import { type End, LineEnd } from '../../mcp/end.ts'
import { relay } from '../../mcp/relay.ts'
import { addressEnd, programEnd } from '../../mcp/server-end.ts'
import { Surface } from '../../mcp/surface.ts'
import { callerOf } from '../ctx/run-caller.ts'
import { type CaptureSettings, settingsOf } from '../ctx/run-settings.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { noteOffered } from './served.ts'

export interface ProxyFlags {
  readonly url?: string
  readonly header?: readonly string[]
}

/** Bytes of a result that passes as it is. */
const MOST_RESULT = 16_384

/** Relays until the host or the server ends. Exit code 0 where the host ended, 1 where the server did, 2 for bad usage. */
export async function proxyVerb(flags: ProxyFlags, argv: readonly string[], io: Io): Promise<number> {
  const server = await serverOf(flags, argv, io)
  if (typeof server === 'number') return server
  const home = homeOf(io.env)
  const settings = await settingsOf(io.env, home, io.cwd)
  const bounding = new Bounding({
    most: MOST_RESULT,
    contain: (result) => containOf(result, io, home, settings),
    allows,
  })
  const host = new LineEnd(process.stdin, process.stdout, async () => {
    process.stdin.destroy()
  })
  const stop = () => void server.close()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  try {
    const own = flags.url ?? argv.join('\0')
    const name = flags.url === undefined ? basename(argv[0]!) : new URL(flags.url).host
    const surface = new Surface((offered) => noteOffered(offered, own, name, io))
    const who = await relay(host, server, [surface, bounding])
    if (who === 'host') return EXIT.ok
    io.err('sallyport mcp proxy: the server has ended\n')
    return EXIT.problem
  } catch (error) {
    io.err(`sallyport mcp proxy: ${error instanceof Error ? error.message : String(error)}\n`)
    return EXIT.problem
  }
}

async function serverOf(flags: ProxyFlags, argv: readonly string[], io: Io): Promise<End | number> {
  const usage = (clause: string): number => {
    io.err(`sallyport mcp proxy: ${clause}\n`)
    return EXIT.usage
  }
  if (flags.url !== undefined) {
    if (argv.length > 0) return usage('--url and a command are two servers; leave one out')
    const headers: Record<string, string> = {}
    for (const header of flags.header ?? []) {
      const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(header) ?? []
      if (name === undefined || value === undefined)
        return usage(`${JSON.stringify(header)} is no header; write 'Name: value'`)
      headers[name] = value
    }
    if (!URL.canParse(flags.url) || !/^https?:/.test(flags.url)) return usage(`${flags.url} is no address of HTTP`)
    return addressEnd(new URL(flags.url), headers)
  }
  if (argv.length === 0)
    return usage('name the server: behind --, the command that starts it, or --url and its address')
  try {
    return await programEnd(argv, io.cwd)
  } catch (error) {
    io.err(
      `sallyport mcp proxy: ${argv[0]} cannot be started (${(error as NodeJS.ErrnoException).code ?? String(error)})\n`,
    )
    return EXIT.problem
  }
}

const validator = new AjvJsonSchemaValidator()

function allows(schema: Json, value: Json): boolean {
  try {
    return validator.getValidator(schema as unknown as JsonSchemaType)(value).valid
  } catch {
    return false
  }
}

function containOf(result: Oversized, io: Io, home: string, settings: CaptureSettings): string {
  const { host, session } = callerOf(io.env)
  const { digest, ...store } = settings
  const { text, problem } = contain(
    {
      bytes: Buffer.from(result.text),
      ...(result.json === undefined ? {} : { json: result.json }),
      commands: [],
      label: result.name,
      facts: {},
      family: 'mcp',
      replaceable: true,
      method: 'proxy',
    },
    { env: io.env, home, host, session, budget: digest, store },
  )
  if (problem !== undefined) io.err(`sallyport mcp proxy: ${problem}\n`)
  return text ?? ''
}
