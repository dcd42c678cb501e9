/** `sallyport env`: looks at environments, removes them, and works in one. Asks the server where one runs on the state. */
import { createInterface } from 'node:readline'
import { chooseModels } from '../../managed/agent/models/choose.ts'
import { admin, askAdmin } from '../../managed/interactions/admin.ts'
import { Interactions } from '../../managed/interactions/service.ts'
import { EXIT, type Io } from '../io.ts'
import { CannotOpen, open, stateOf } from './open.ts'
import { mustBeThere } from './state.ts'

export interface EnvFlags {
  readonly state?: string
  readonly json?: boolean
}

interface Environment {
  readonly id: string
  readonly status: string
  readonly last_accessed: string
  readonly file_count: string
  readonly size_bytes: string
  readonly warnings?: readonly string[]
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** Asks the server of the state, or the state itself where no server runs. */
interface Door {
  ask(method: string, path: string, body?: string): Promise<Answer>
  close(): Promise<void>
}

async function doorOf(io: Io, flags: EnvFlags): Promise<Door> {
  mustBeThere(io, flags.state)
  const state = stateOf(io, flags.state)
  if ((await askAdmin(state, 'GET', '/environments?page_size=1')) !== undefined)
    return {
      async ask(method, path, body) {
        const answer = await askAdmin(state, method, path, body)
        if (answer === undefined) throw new CannotOpen('the server has stopped')
        return answer
      },
      close: async () => {},
    }
  const models = await chooseModels([], {})
  if ('refused' in models) throw new CannotOpen(models.refused)
  const managed = await open(io, { state, models, tell: () => {} })
  const interactions = new Interactions(managed)
  const app = admin(managed, interactions)
  return {
    async ask(method, path, body) {
      const answer = await app.request(path, { method, ...(body === undefined ? {} : { body }) })
      return { status: answer.status, text: await answer.text() }
    },
    async close() {
      await interactions.close()
      await managed.close()
    },
  }
}

/** Runs a verb of `env`; what it cannot do is one sentence on stderr. */
async function withDoor(verb: string, io: Io, flags: EnvFlags, then: (door: Door) => Promise<number>): Promise<number> {
  let door: Door | undefined
  try {
    door = await doorOf(io, flags)
    return await then(door)
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    io.err(`sallyport env ${verb}: ${error.message}\n`)
    return EXIT.problem
  } finally {
    await door?.close()
  }
}

/** The JSON of an answer. Throws `CannotOpen` with the sentence of an error. */
function bodyOf({ status, text }: Answer): unknown {
  const body = JSON.parse(text) as { readonly error?: { readonly message: string } }
  if (status >= 400) throw new CannotOpen((body.error?.message ?? `the server answers ${status}`).replace(/\.$/, ''))
  return body
}

const place = (id: string): string => `/environments/${encodeURIComponent(id)}`

export const envList = (flags: EnvFlags, io: Io): Promise<number> =>
  withDoor('ls', io, flags, async (door) => {
    const all: Environment[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const page = bodyOf(await door.ask('GET', `/environments?page_size=1000&page_token=${token}`)) as {
        readonly environments: readonly Environment[]
        readonly next_page_token?: string
      }
      all.push(...page.environments)
      token = page.next_page_token
    }
    if (flags.json) io.out(all.map((one) => `${JSON.stringify(one)}\n`).join(''))
    else if (all.length === 0) io.out('There are no environments.\n')
    else
      io.out(
        all
          .map(
            ({ id, status, last_accessed, file_count, size_bytes, warnings = [] }) =>
              `${id}  ${status.padEnd(7)}  ${last_accessed}  files ${file_count.padStart(6)}  bytes ${size_bytes.padStart(11)}${warnings.length === 0 ? '' : `  warnings ${warnings.length}`}\n`,
          )
          .join(''),
      )
    return EXIT.ok
  })

export const envShow = (flags: EnvFlags, id: string, io: Io): Promise<number> =>
  withDoor('show', io, flags, async (door) => {
    const body = bodyOf(await door.ask('GET', place(id)))
    io.out(`${JSON.stringify(body, undefined, flags.json ? undefined : 2)}\n`)
    return EXIT.ok
  })

export const envRemove = (flags: EnvFlags, ids: readonly string[], io: Io): Promise<number> =>
  withDoor('rm', io, flags, async (door) => {
    for (const id of ids) {
      bodyOf(await door.ask('DELETE', place(id)))
      io.out(`${id} is gone.\n`)
    }
    return EXIT.ok
  })

/** Runs a line where the last one left off, and tells behind a mark where it ended. */
const LINE = 'cd -- "$1" || exit; eval "$2"; status=$?; printf "\\036%s" "$PWD"; exit "$status"'

/** A line at a time: each runs in a shell of its own inside, in the directory where the last one ended. */
export const envShell = (flags: EnvFlags, id: string, io: Io): Promise<number> =>
  withDoor('shell', io, flags, async (door) => {
    bodyOf(await door.ask('GET', place(id)))
    const isTerminal = process.stdin.isTTY === true
    if (isTerminal) io.out(`Each line runs inside ${id}; variables do not last from line to line. End with Ctrl-D.\n`)
    const lines = createInterface({ input: process.stdin, ...(isTerminal ? { output: process.stdout } : {}) })
    let cwd = '/workspace'
    let code = 0
    const prompt = () => {
      if (!isTerminal) return
      lines.setPrompt(`${cwd}$ `)
      lines.prompt()
    }
    prompt()
    for await (const line of lines) {
      if (line.trim() !== '') {
        const request = { argv: ['bash', '-c', LINE, 'bash', cwd, line], cwd: '/' }
        const end = bodyOf(await door.ask('POST', `${place(id)}/run`, JSON.stringify(request))) as {
          readonly exit: number | null
          readonly stdout: string
          readonly stderr: string
          readonly why?: string
        }
        const at = end.stdout.lastIndexOf('\x1e')
        if (at >= 0) cwd = end.stdout.slice(at + 1)
        io.out(at >= 0 ? end.stdout.slice(0, at) : end.stdout)
        io.err(end.stderr)
        if (end.why !== undefined) io.err(`sallyport env shell: ${end.why}\n`)
        code = end.exit ?? 1
      }
      prompt()
    }
    return code === 0 ? EXIT.ok : EXIT.problem
  })
