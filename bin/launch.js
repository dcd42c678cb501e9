// Runs on any Node: says one sentence where it is too old, else hands over to the built program or to its source.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const FLOOR = [22, 19]

/** Where 2 has a meaning of its own (violations; what the command itself ended with) a failure must not look like it. */
const failing = () => ({ rails: 1, run: 125 })[process.argv[2] ?? ''] ?? 2

/** @param {string} name the name that the program was called by */
export async function launch(name) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < FLOOR[0] || (major === FLOOR[0] && minor < FLOOR[1])) {
    // A copy that setup made has a Node of its own beside it.
    const own = fileURLToPath(new URL('../node', import.meta.url))
    if (existsSync(own)) {
      process.exitCode = spawnSync(own, process.argv.slice(1), { stdio: 'inherit' }).status ?? failing()
      return
    }
    process.stderr.write(
      `${name}: Node ${process.versions.node} is too old; install Node ${FLOOR.join('.')} or newer, or run it through npm in a checkout (npm run -s ${name} -- …)\n`,
    )
    process.exitCode = failing()
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
  if (checkout && !existsSync(fileURLToPath(new URL('../node_modules/@stricli/core', import.meta.url)))) {
    process.stderr.write(`${name}: the packages of this checkout are not installed yet; run npm ci in it first\n`)
    process.exitCode = failing()
    return
  }
  // TypeScript is stripped and compiled once, beside the sources that it was made of: starting takes a third of the time.
  if (checkout) module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sallyport', import.meta.url)))
  // `npm run` starts a script where its package lies; what is meant is where the person stands.
  const { INIT_CWD: from, npm_lifecycle_event: script } = process.env
  if (checkout && script === name && from !== undefined && existsSync(from)) process.chdir(from)
  const { main } = await import(checkout ? source.href : built.href)
  process.exitCode = await main(name, process.argv.slice(2))
}
