/** Disks that are full, and directories that cannot be written or trusted. */
import assert from 'node:assert/strict'
import { chmodSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { need } from '../../../test/need.ts'
import { allOf, capture, ended, processOf, scratch, storeAt } from './store.testing.ts'

const REPO = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)))

/** Runs a statement where nothing can be written but the file systems that `more` mounts. What it prints is JSON. */
async function confined(t: TestContext, more: readonly string[], statement: string): Promise<unknown> {
  const wrapper = [
    '--unshare-all',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...more,
  ]
  // The checkout may lie below a directory that was mounted over.
  const own = ['--ro-bind', REPO, REPO, '--chdir', REPO]
  const { out, err, code } = await ended(processOf(statement, {}, ['bwrap', ...wrapper, ...own, '--']))
  if (code !== 0 && /namespace|permission/i.test(err)) {
    t.skip(`not run: bwrap cannot be used here: ${err}`)
    return undefined
  }
  assert.deepEqual({ err, code }, { err: '', code: 0 })
  return JSON.parse(out)
}

/** Captures eight times 256 KiB with a store in `dir`, and tells what came of it. */
const FLOOD = (dir: string, options: string) => `
  const store = m.storeAt('${dir}', ${options})
  const spool = store.create({ argv: ['flood'], cwd: '/' })
  for (let i = 0; i < 8; i++) spool.append('stdout', Buffer.alloc(1 << 18, 'a'.charCodeAt(0) + i))
  const { handle, notice, stopped, ...sealed } = spool.seal({ exit: 0 })
  const bytes = sealed.stream('merged')
  const kept = handle && m.storeAt('${dir}').resolve({ is: 'run', id: handle.slice(4) })
  console.log(JSON.stringify({ place: store.place, notice, stopped, size: bytes.size, resolves: kept?.is,
    last: bytes.size && bytes.read(bytes.size - 1, bytes.size)[0] }))`

interface Told {
  readonly place: string
  readonly notice?: string
  readonly stopped?: { readonly at: number; readonly seen: number; readonly why: string }
  readonly size: number
  readonly resolves?: string
  readonly last?: number
}

test('a disk that fills up stops the capture with a sentence; what is kept resolves', async (t) => {
  if (!need(t, 'bwrap')) return
  const told = (await confined(t, ['--size', '1900000', '--tmpfs', '/mnt'], FLOOD('/mnt', '{}'))) as Told | undefined
  if (told === undefined) return
  assert.equal(told.stopped?.why, 'disk')
  assert.equal(told.stopped?.seen, 8 << 18)
  assert.equal(told.stopped?.at, told.size)
  assert.ok(told.size > 1_000_000)
  assert.equal(told.resolves, 'run')
  assert.equal(told.last, 'a'.charCodeAt(0) + Math.floor((told.size - 1) / (1 << 18)))
  assert.match(
    told.notice ?? '',
    /^capture stopped at \d+ bytes: the disk is full; the command went on, 2097152 bytes in all$/,
  )
})

test('a disk without room for anything: what was captured is still readable, and one sentence says why it is not kept', async (t) => {
  if (!need(t, 'bwrap')) return
  const fill = `
    import { writeFileSync } from 'node:fs'
    m.storeAt('/mnt').create({ argv: ['first'], cwd: '/' }).drop()
    try { writeFileSync('/mnt/full', Buffer.alloc(1 << 20)) } catch {}`
  const told = (await confined(
    t,
    ['--size', '65536', '--tmpfs', '/mnt', '--size', '4194304', '--tmpfs', '/tmp'],
    fill + FLOOD('/mnt', '{}'),
  )) as Told | undefined
  if (told === undefined) return
  assert.equal(told.resolves, undefined)
  assert.match(told.notice ?? '', /ENOSPC/)
})

test('a read-only state directory: captures go to the fallback, and a sentence says so', async (t) => {
  if (!need(t, 'bwrap')) return
  const mounts = ['--tmpfs', '/mnt', '--dir', '/mnt/state', '--remount-ro', '/mnt', '--tmpfs', '/run']
  const options = `{ env: { CTX_STATE_HOME: '/mnt/state', XDG_RUNTIME_DIR: '/run' } }`
  const statement = FLOOD('/mnt', options).replace("m.storeAt('/mnt').resolve", `m.storeAt('/mnt', ${options}).resolve`)
  const told = (await confined(t, mounts, statement)) as Told | undefined
  if (told === undefined) return
  assert.equal(told.place, 'fallback')
  assert.equal(told.resolves, 'run')
  assert.match(
    told.notice ?? '',
    /^captures go to \/run\/sallyport-\d+\/store, since \/mnt\/state\/store cannot be made \(EROFS\)$/,
  )
})

test('nowhere to write at all: the capture is readable while its process lives, and a sentence says that it is not kept', async (t) => {
  if (!need(t, 'bwrap')) return
  const options = `{ env: { CTX_STATE_HOME: '/usr/state', XDG_RUNTIME_DIR: '/usr/run' } }`
  const told = (await confined(t, [], FLOOD('/usr', options))) as Told | undefined
  if (told === undefined) return
  assert.equal(told.place, 'none')
  assert.equal(told.size, 8 << 18)
  assert.equal(told.stopped, undefined)
  assert.match(told.notice ?? '', /^nothing is kept of this output, since .*EROFS.* and .*EROFS.*$/)
})

test('a store that others could read or that is a link is not used', (t) => {
  const dir = scratch(t)
  mkdirSync(join(dir, 'open', 'store'), { recursive: true })
  chmodSync(join(dir, 'open', 'store'), 0o755)
  mkdirSync(join(dir, 'elsewhere'), { mode: 0o700 })
  mkdirSync(join(dir, 'linked'))
  symlinkSync(join(dir, 'elsewhere'), join(dir, 'linked', 'store'))
  for (const [name, why] of [
    ['open', 'is open to others'],
    ['linked', 'is a link'],
  ] as const) {
    const env = { CTX_STATE_HOME: join(dir, name), XDG_RUNTIME_DIR: join(dir, `run-${name}`) }
    const store = storeAt(dir, { env })
    const sealed = capture(store, [['stdout', 'x']])
    assert.equal(store.place, 'fallback')
    assert.match(sealed.notice ?? '', new RegExp(`since .*/${name}/store ${why}$`))
    assert.equal(storeAt(dir, { env }).resolve({ is: 'run', id: sealed.id ?? '' }).is, 'run')
    assert.equal(lstatSync(join(dir, `run-${name}`, `sallyport-${process.getuid?.() ?? 'user'}`)).mode & 0o777, 0o700)
  }
})

test('a fallback that belongs to others or is open to them is not used either', (t) => {
  const dir = scratch(t)
  mkdirSync(join(dir, 'run', `sallyport-${process.getuid?.() ?? 'user'}`), { recursive: true })
  chmodSync(join(dir, 'run', `sallyport-${process.getuid?.() ?? 'user'}`), 0o777)
  mkdirSync(join(dir, 'state'), { recursive: true })
  symlinkSync('/', join(dir, 'state', 'store'))
  const store = storeAt(dir)
  const sealed = capture(store, [['stdout', 'x']])
  assert.equal(store.place, 'none')
  assert.equal(sealed.handle, undefined)
  assert.equal(allOf(sealed.stream('merged')).toString(), 'x')
  assert.match(sealed.notice ?? '', /is a link and .* is open to others$/)
})
