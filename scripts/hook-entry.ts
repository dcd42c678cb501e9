/** The text of `dist/hook.cjs`: a few lines that run on any Node, check its version, and start the hook's core. */
import { transform } from 'esbuild'

/** The core's file, which `partOf` made, and what starts it. */
interface Core {
  readonly file: string
  readonly start: string
  /** Directory of the core and its parts, below the entry's own; absent: beside it. */
  readonly dir?: string
}

/**
 * `floor`: the oldest Node, major and minor. `build`: a name of the core's text, so that compiled code of another text
 * is never used.
 *
 * Compiling is most of a cold start, so V8's compiled code is kept, that of functions that ran included, which Node's own
 * compile cache leaves out. It is run later, so it lies where only the user may write, never below a shared directory. V8
 * itself refuses code of another version or with other flags.
 */
export async function hookEntry(floor: readonly [number, number], build: string, core: Core): Promise<string> {
  // It is compiled at each start; older Nodes read it up to where it tells them off.
  const { code } = await transform(entryText(floor, build, core), { minify: true, platform: 'node', target: 'node14' })
  return code
}

const entryText = (floor: readonly [number, number], build: string, core: Core): string => `#!/usr/bin/env node
'use strict'
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < ${floor[0]} || (major === ${floor[0]} && minor < ${floor[1]})) {
  // Hosts take 2 for a refusal, and the sentence for its reason.
  process.stderr.write('sallyport hook: Node ' + process.versions.node + ' is too old; register it with the path of a Node ${floor.join('.')} or newer\\n')
  process.exit(2)
}
// Nobody reads stacks here, and each file that is not there would be an error with one.
Error.stackTraceLimit = 0
const fs = require('node:fs')
let dir
try {
  const { XDG_STATE_HOME: state = '', HOME: home = '' } = process.env
  // Without the module for paths, whose first call costs as much as the rest of this.
  const absolute = (path) => path[0] === '/' || /^[A-Za-z]:[\\\\/]/.test(path)
  const base = absolute(state) ? state : absolute(home) ? home + '/.local/state' : undefined
  if (base !== undefined) {
    const own = base + '/sallyport'
    const cache = own + '/compile-cache'
    let there = fs.lstatSync(cache, { throwIfNoEntry: false })
    if (there === undefined) {
      // One by one: a recursive call never ends below some virtual file systems.
      for (const one of [base + '/..', base, own, cache]) {
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
// V8 takes compiled code only with the flags that it was made with: two ways to start Node must not write over each other.
let flags = 0
for (const unit of process.execArgv.join(' ') + (process.env.NODE_OPTIONS || '')) flags = (flags * 31 + unit.charCodeAt(0)) | 0
const name = '${build}-' + process.version + '-' + process.arch + '-' + (flags >>> 0).toString(16) + '-'
const { Script } = require('node:vm')
/** What was loaded, by name. */
const loaded = new Map()
/** Something is to be kept at the end. */
let keeping = false
// One room for all that is read here: memory that is touched for the first time costs more than reading into it.
const room = Buffer.allocUnsafeSlow(1536 * 1024)
/** Reads a file into the room; returns how much that is, or undefined where the room is too small. */
const read = (path) => {
  const handle = fs.openSync(path)
  try {
    let size = 0
    for (;;) {
      const got = fs.readSync(handle, room, size, room.length - size, null)
      if (got === 0) return size
      size += got
      if (size === room.length) return undefined
    }
  } finally {
    fs.closeSync(handle)
  }
}
const part = (id) => {
  const before = loaded.get(id)
  if (before !== undefined) return before.module.exports
  const filename = __dirname + '/${core.dir === undefined ? '' : `${core.dir}/`}' + (id === 'core' ? '${core.file}' : 'hook-' + id + '.cjs')
  const length = read(filename)
  const text = length === undefined ? fs.readFileSync(filename, 'latin1') : room.latin1Slice(0, length)
  let kept
  try {
    const path = dir + '/' + name + id
    const size = dir === undefined ? 0 : read(path)
    kept = size === 0 ? undefined : size === undefined ? fs.readFileSync(path) : room.subarray(0, size)
  } catch {}
  const script = new Script(text, { filename, cachedData: kept })
  const module = { exports: {} }
  const stale = kept === undefined || script.cachedDataRejected
  loaded.set(id, { script, module, stale })
  // The host has its answer by then.
  if (stale && dir !== undefined && !keeping) {
    keeping = true
    process.on('exit', keep)
  }
  script.runInThisContext()(module.exports, (of) => (of === 'core' ? core : require(of)), module, part)
  return module.exports
}
const keep = () => {
  try {
    if (loaded.get('core').stale) core.warmUp()
    let wrote = false
    for (const [id, { script, stale }] of loaded) {
      if (!stale) continue
      const to = dir + '/' + name + id
      fs.writeFileSync(to + '.' + process.pid, script.createCachedData(), { mode: 0o600, flag: 'wx' })
      fs.renameSync(to + '.' + process.pid, to)
      wrote = true
    }
    // Code of builds and of Nodes that are gone.
    const old = Date.now() - 30 * 24 * 3600 * 1000
    for (const other of wrote ? fs.readdirSync(dir) : []) {
      if (!other.startsWith(name) && fs.lstatSync(dir + '/' + other).mtimeMs < old) fs.rmSync(dir + '/' + other, { recursive: true, force: true })
    }
  } catch {}
}
const core = part('core')
core.${core.start}
`

/**
 * A bundle as the entry loads it: the function around it stands in the file, so that a text of that size need not be put
 * together at each start, and it is ASCII, which is read fastest. The bundler leaves other characters only in regular
 * expressions, where an escape means the same.
 */
export function partOf(text: string): string {
  const ascii = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `(function(exports,require,module,part){${ascii}\n})`
}
