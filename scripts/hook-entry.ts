/** The text of `dist/hook.cjs`: a few lines that run on any Node, check its version, and start the hook's core. */

/** The core's file, and what starts it. */
interface Core {
  readonly file: string
  readonly start: string
}

const HOOK: Core = { file: 'hook-core.cjs', start: 'hookMain(process.argv.slice(2))' }

/**
 * `floor`: the oldest Node, major and minor. `build`: a name of the core's text, so that compiled code of another text
 * is never used.
 *
 * Compiling is most of a cold start, so V8's compiled code is kept, that of functions that ran included, which Node's own
 * compile cache leaves out. It is run later, so it lies where only the user may write, never below a shared directory. V8
 * itself refuses code of another version or with other flags.
 */
export const hookEntry = (floor: readonly [number, number], build: string, core = HOOK): string => `#!/usr/bin/env node
'use strict'
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < ${floor[0]} || (major === ${floor[0]} && minor < ${floor[1]})) {
  // Hosts take 2 for a refusal, and the sentence for its reason.
  process.stderr.write('sallyport hook: Node ' + process.versions.node + ' is too old; register it with the path of a Node ${floor.join('.')} or newer\\n')
  process.exit(2)
}
const fs = require('node:fs')
const { isAbsolute, join } = require('node:path')
let kept
let dir
try {
  const { XDG_STATE_HOME: state = '', HOME: home = '' } = process.env
  const base = isAbsolute(state) ? state : isAbsolute(home) ? join(home, '.local', 'state') : undefined
  if (base !== undefined) {
    const own = join(base, 'sallyport')
    const cache = join(own, 'compile-cache')
    let there = fs.lstatSync(cache, { throwIfNoEntry: false })
    if (there === undefined) {
      // One by one: a recursive call never ends below some virtual file systems.
      for (const one of [join(base, '..'), base, own, cache]) {
        try {
          fs.mkdirSync(one, { mode: 0o700 })
        } catch {}
      }
      there = fs.lstatSync(cache)
    }
    const found = fs.lstatSync(own)
    const me = process.getuid?.()
    const mine = (stat) => stat.isDirectory() && (me === undefined || (stat.uid === me && (stat.mode & 0o077) === 0))
    if (mine(found) && mine(there)) dir = cache
  }
} catch {}
const name = '${build}-' + process.version + '-' + process.arch
try {
  if (dir !== undefined) kept = fs.readFileSync(join(dir, name))
} catch {}
const file = join(__dirname, '${core.file}')
const { Script } = require('node:vm')
// The text is ASCII, which the build checks.
const script = new Script('(function(exports,require,module){' + fs.readFileSync(file, 'latin1') + '\\n})', {
  filename: file,
  cachedData: kept,
})
const core = { exports: {} }
script.runInThisContext()(core.exports, require, core)
if (dir !== undefined && (kept === undefined || script.cachedDataRejected)) {
  // The host has its answer by then.
  process.on('exit', () => {
    try {
      core.exports.warmUp()
      const part = join(dir, name + '.' + process.pid)
      fs.writeFileSync(part, script.createCachedData(), { mode: 0o600, flag: 'wx' })
      fs.renameSync(part, join(dir, name))
      // Code of builds and of Nodes that are gone.
      for (const other of fs.readdirSync(dir)) {
        if (other !== name && Date.now() - fs.lstatSync(join(dir, other)).mtimeMs > 30 * 24 * 3600 * 1000) fs.rmSync(join(dir, other), { recursive: true, force: true })
      }
    } catch {}
  })
}
core.exports.${core.start}
`
