/**
 * Sallyport in pi: hands each tool call to the hook before it runs, and its result after it ran, and does what the hook
 * answers. A hook that does not answer stops the call. One file, without packages, for `extensions/` of pi.
 */
import { spawn } from 'node:child_process'

/** The Node and the hook that it runs, by absolute paths: put here when the file is installed. */
const COMMAND = ['NODE', 'HOOK']
/** Milliseconds that the hook may take; its own deadline is half of that. */
const WAIT = 10_000

/** @param {string} name @param {object} payload @returns {Promise<Record<string, unknown>>} the answer; `{}` for silence */
function ask(name, payload) {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = COMMAND
    const child = spawn(program, [...args, 'pi', name], { stdio: ['pipe', 'pipe', 'ignore'] })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error('it took too long'))
    }, WAIT)
    let answer = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (answer += text))
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      if (code !== 0) return reject(new Error(`it ended with ${code}`))
      try {
        resolve(answer.trim() === '' ? {} : JSON.parse(answer))
      } catch {
        reject(new Error('its answer cannot be read'))
      }
    })
    // A hook that ends early is told by its code.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(payload))
  })
}

const about = (event, ctx) => ({
  cwd: ctx.cwd,
  hasUI: ctx.hasUI === true,
  session: ctx.sessionManager?.getSessionId?.(),
  event,
})

export default function sallyport(pi) {
  pi.on('tool_call', async (event, ctx) => {
    let answer
    try {
      answer = await ask('tool_call', about(event, ctx))
    } catch (error) {
      return { block: true, reason: `Sallyport did not answer, so this call is refused: ${error.message}` }
    }
    if (answer.block === true) return { block: true, reason: answer.reason }
    if (typeof answer.confirm === 'string') {
      const agreed = await ctx.ui.confirm(`Run ${event.toolName}?`, answer.confirm)
      return agreed ? undefined : { block: true, reason: `The person did not agree: ${answer.confirm}` }
    }
    if (typeof answer.input === 'object' && answer.input !== null) {
      for (const key of Object.keys(event.input)) if (!(key in answer.input)) delete event.input[key]
      Object.assign(event.input, answer.input)
    }
    return undefined
  })
  pi.on('tool_result', async (event, ctx) => {
    try {
      const answer = await ask('tool_result', about(event, ctx))
      return Array.isArray(answer.content) ? { content: answer.content } : undefined
    } catch {
      // The call has run: its result stays as it is.
      return undefined
    }
  })
}
