/**
 * Sallyport in Amp: hands each tool call to the hook before it runs, and its result after it ran, and does what the hook
 * answers. A hook that does not answer stops the call. One file, without packages, for `plugins/` of Amp.
 */
import { spawn } from 'node:child_process'

/** The Node and the hook that it runs, by absolute paths: put here when the file is installed. */
const COMMAND = ['NODE', 'HOOK']
/** Milliseconds that the hook may take; its own deadline is half of that. */
const WAIT = 10_000

export const description = 'Sallyport: judges each call before it runs'

/** @param {string} name @param {object} payload @returns {Promise<Record<string, unknown>>} the answer; `{}` for silence */
function ask(name, payload) {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = COMMAND
    const child = spawn(program, [...args, 'amp', name], { stdio: ['pipe', 'pipe', 'ignore'] })
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
        const said = answer.trim() === '' ? {} : JSON.parse(answer)
        if (typeof said !== 'object' || said === null) throw new Error('no object')
        resolve(said)
      } catch {
        reject(new Error('its answer cannot be read'))
      }
    })
    // A hook that ends early is told by its code.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify({ name, ...payload }))
  })
}

export default function sallyport(amp) {
  /** The project, as a path; where Amp names none, where it was started. */
  const place = () => {
    const root = amp.system?.workspaceRoot
    try {
      return root ? amp.helpers.filePathFromURI(root) : process.cwd()
    } catch {
      return process.cwd()
    }
  }
  const about = (event) => ({ cwd: place(), session: event.thread?.id, event })
  const rejected = (message) => ({ action: 'reject-and-continue', message })

  amp.on('tool.call', async (event, ctx) => {
    try {
      const answer = await ask('tool.call', about(event))
      if (typeof answer.reject === 'string') return rejected(answer.reject)
      if (typeof answer.confirm === 'string') {
        const title = `Run ${event.tool}?`
        const agreed = await ctx.ui.confirm({ title, message: answer.confirm, confirmButtonText: 'Run' })
        return agreed === true ? { action: 'allow' } : rejected(`The person did not agree: ${answer.confirm}`)
      }
      if (typeof answer.input === 'object' && answer.input !== null) return { action: 'modify', input: answer.input }
      if (Object.keys(answer).length > 0) return rejected('Sallyport gave no proper answer, so this call is refused')
      // Amp takes no silence for an answer, and asks nobody by itself.
      return { action: 'allow' }
    } catch (error) {
      return rejected(`Sallyport did not answer, so this call is refused: ${error.message}`)
    }
  })
  amp.on('tool.result', async (event) => {
    try {
      const answer = await ask('tool.result', about(event))
      return typeof answer.output === 'string' ? { status: event.status, output: answer.output } : undefined
    } catch {
      // The call has run: its result stays as it is.
      return undefined
    }
  })
}
