/** The plugin's MCP server `agb`: started by the host, one JSON message a line on stdin and stdout. */
import { isAbsolute } from 'node:path'
import { answerLine, MOST_MESSAGE, type ServerInfo, type Tool } from '../mcp/server.ts'
import { agbStatus, doctorChecks } from './agb.ts'
import { EXIT, type Io } from './io.ts'
import { version } from './version.ts'

const here = (cwd: string, out: (text: string) => void): Omit<Io, 'colour'> => ({
  ...{ out, err: out, cwd, env: process.env },
})

const status: Tool = {
  name: 'agb_status',
  description:
    'Which guard judges tool calls here, which tickets of an ADLC repository are active, which files they freeze, and what may be written. Changes nothing.',
  inputSchema: {
    type: 'object',
    properties: {
      repo: { type: 'string', description: 'absolute path of the repository (default: where the server runs)' },
    },
    additionalProperties: false,
  },
  run({ repo = process.cwd() }) {
    if (typeof repo !== 'string' || !isAbsolute(repo)) throw new Error('repo takes an absolute path')
    let text = ''
    const code = agbStatus(
      { json: true },
      here(repo, (part) => {
        text += part
      }),
    )
    return { text, failed: code !== EXIT.ok }
  },
}

const doctor: Tool = {
  name: 'agb_doctor',
  description:
    'Tries the guard on a repository that it makes for that, and checks how it is installed. Repairs nothing.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  run() {
    const checks = doctorChecks(here(process.cwd(), () => {}))
    return {
      text: JSON.stringify({ v: 1, checks }, undefined, 2),
      failed: checks.some(({ level }) => level === 'fail'),
    }
  },
}

/** Serves until stdin ends. Messages are answered in their order. */
export async function serve(): Promise<void> {
  const info: ServerInfo = { name: 'agb', version: version(), tools: [status, doctor] }
  let open = ''
  process.stdin.setEncoding('utf8')
  for await (const part of process.stdin) {
    open += part
    for (let end = open.indexOf('\n'); end >= 0; end = open.indexOf('\n')) {
      const line = open.slice(0, end).trim()
      open = open.slice(end + 1)
      if (line === '') continue
      const answer = await answerLine(line, info)
      if (answer !== undefined) process.stdout.write(`${answer}\n`)
    }
    if (open.length > MOST_MESSAGE) throw new Error('a message is larger than any request to this server')
  }
}
