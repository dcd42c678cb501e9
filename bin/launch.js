// Runs on any Node: says one sentence where it is too old, else hands over to the built program or to its source.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const FLOOR = [22, 19]

/** @param {string} name the name that the program was called by */
export async function launch(name) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < FLOOR[0] || (major === FLOOR[0] && minor < FLOOR[1])) {
    process.stderr.write(
      `${name}: Node ${process.versions.node} is too old; install Node ${FLOOR.join('.')} or newer, or run it through npm in a checkout (npm run -s ${name} -- …)\n`,
    )
    // Where 2 has a meaning of its own (violations; what the command itself ended with) this must not look like it.
    process.exitCode = { rails: 1, run: 125 }[process.argv[2] ?? ''] ?? 2
    return
  }
  if (process.argv[2] !== 'hook' && process.argv[2] !== 'run') {
    // A reader that has seen enough (`| head`) is no fault of ours; the verb ends first, so that its exit code holds.
    process.stdout.on('error', (error) => {
      if (error.code === 'EPIPE') {
        setImmediate(() => process.exit())
        return
      }
      process.stderr.write(`${name} ${process.argv[2] ?? ''}: the output cannot be written (${error.code})\n`)
      process.exit(1)
    })
    process.stderr.on('error', () => {})
  }
  const built = new URL('../dist/cli.js', import.meta.url)
  const source = new URL('../src/cli/main.ts', import.meta.url)
  const checkout = existsSync(fileURLToPath(source))
  // TypeScript is stripped and compiled once, beside the sources that it was made of: starting takes a third of the time.
  if (checkout) module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sallyport', import.meta.url)))
  // `npm run` starts a script where its package lies; what is meant is where the person stands.
  const { INIT_CWD: from, npm_lifecycle_event: script } = process.env
  if (checkout && script === name && from !== undefined && existsSync(from)) process.chdir(from)
  const { main } = await import(checkout ? source.href : built.href)
  process.exitCode = await main(name, process.argv.slice(2))
}
