/** The output gate of the managed runtime: a long result is kept, and a digest with its address stands in its place. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { contain } from '../../containment/contain.ts'
import { isOurText, isOver } from '../../containment/output.ts'
import { commandsOfLine } from '../../containment/run/commands.ts'
import type { Report } from '../contract.ts'
import type { OutputGate } from './gates.ts'
import type { Arguments } from './steps.ts'

/** Bytes of a result that stays as it is; as in the hooks of hosts. */
const MOST_RESULT = 16_384

type Env = Readonly<Record<string, string | undefined>>

/** Answers a look-up with the captures that these variables point to. */
export type LookUp = (args: Arguments, env: Env) => Promise<{ readonly text: string; readonly failed: boolean }>

/** Addresses of captures; others lead to files of the machine that we run on. */
const CAPTURE = /^(?:run|blob):[0-9a-f]{6,64}(?:#\w+)?$/

/**
 * A gate that keeps captures below `state`, each environment's apart, so that none can look up what another printed.
 * `env` and `home` are those of the process.
 */
export function outputGate(state: string, env: Env, home: string, lookUp: LookUp, report: Report): OutputGate {
  const place = (id: string) => join(state, 'captures', id.replace(/[^\w-]/g, '_'))
  const envOf = (id: string): Env => {
    const directory = place(id)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return { ...env, CTX_STATE_HOME: directory }
  }
  return {
    shown(environment, tool, label, text) {
      if (!isOver(text, MOST_RESULT) || isOurText(text)) return text
      const isCode = tool === 'code_execution'
      const { text: digest, problem } = contain(
        {
          bytes: Buffer.from(text),
          commands: isCode ? commandsOfLine(label) : [],
          label,
          facts: {},
          family: isCode ? 'shell' : tool,
          ...{ replaceable: true, method: 'replace' },
          closing: () => 'look up more with the tool ctx: op, ref and a selector',
        },
        { env: envOf(environment), home, host: 'managed', session: environment },
      )
      if (problem !== undefined) report({ kind: 'containment', environment, text: `A result of ${tool}: ${problem}` })
      return digest ?? text
    },
    async lookUp(environment, args) {
      const { op, ref } = args
      if (typeof op !== 'string' || !['get', 'search', 'stats'].includes(op))
        return { text: 'ctx: op takes get, search or stats', failed: true }
      if (typeof ref !== 'string' || !CAPTURE.test(ref))
        return { text: 'ctx: ref takes an address that a digest names, such as run:<hex>', failed: true }
      return await lookUp(args, envOf(environment))
    },
    forget(environment) {
      rmSync(place(environment), { recursive: true, force: true })
    },
  }
}
