/**
 * Sallyport in OpenCode: hands each tool call to the hook before it runs, and its result after it ran, and does what the
 * hook answers. A hook that does not answer stops the call. One file, without packages, for `plugins/` of OpenCode.
 */
import { spawn } from 'node:child_process'

/** The Node and the hook that it runs, by absolute paths: put here when the file is installed. */
const COMMAND = ['NODE', 'HOOK']
/** Milliseconds that the hook may take; its own deadline is half of that. */
const WAIT = 10_000

/** @param {string} event @param {object} payload @returns {Promise<Record<string, unknown>>} the answer; `{}` for silence */
function ask(event, payload) {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = COMMAND
    const child = spawn(program, [...args, 'opencode', event], { stdio: ['pipe', 'pipe', 'ignore'] })
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
    child.stdin.end(JSON.stringify({ hook: event, ...payload }))
  })
}

export const Sallyport = async ({ directory, worktree }) => ({
  'tool.execute.before': async (input, output) => {
    let answer
    try {
      answer = await ask('tool.execute.before', { directory, worktree, input, output })
    } catch (error) {
      throw new Error(`Sallyport did not answer, so this call is refused: ${error.message}`)
    }
    if (typeof answer.throw === 'string') throw new Error(answer.throw)
    if (typeof answer.args !== 'object' || answer.args === null) return
    // Another object in place of this one would be dropped.
    for (const key of Object.keys(output.args)) if (!(key in answer.args)) delete output.args[key]
    Object.assign(output.args, answer.args)
  },
  'tool.execute.after': async (input, output) => {
    try {
      const answer = await ask('tool.execute.after', { directory, worktree, input, output })
      if (typeof answer.output !== 'string') return
      // Results of MCP servers have blocks in place of the text.
      if (Array.isArray(output.content)) output.content = [{ type: 'text', text: answer.output }]
      else output.output = answer.output
    } catch {
      // The call has run: its result stays as it is.
    }
  },
})
