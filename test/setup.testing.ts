/** A scratch home, and the shipped program at work in it. */

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before } from 'node:test'
import { KNOWN } from '../src/setup/hosts.ts'
import { pathOf } from '../src/setup/wire/row.ts'
import { builtPackage } from './built.testing.ts'

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The package is built once for a file of tests. `under`: where the scratch tree lies. */
export function shipped(under = tmpdir()): { readonly dir: string; home(shared?: boolean): Home } {
  const made = { dir: '', home: (shared = false) => new Home(made.dir, shared) }
  before(async () => {
    mkdirSync(under, { recursive: true })
    made.dir = realpathSync(mkdtempSync(join(under, 'sallyport-setup-')))
    await builtPackage(join(made.dir, 'package'))
  })
  after(() => {
    if (made.dir === '') return
    // The runtime is read-only.
    spawnSync('chmod', ['-R', 'u+rwX', made.dir])
    rmSync(made.dir, { recursive: true, force: true })
  })
  return made
}

export class Home {
  readonly path: string
  readonly bin: string
  /** Where its runtimes lie. */
  readonly data: string
  private readonly scratch: string

  /** `shared`: the runtime is one for all such homes, so that it is copied once; nothing there may be spoiled. */
  constructor(scratch: string, shared: boolean) {
    this.scratch = scratch
    this.path = mkdtempSync(join(scratch, 'home-'))
    this.bin = join(this.path, 'bin')
    this.data = shared ? join(scratch, 'data') : join(this.path, '.local', 'share')
    mkdirSync(this.bin)
    mkdirSync(join(this.path, 'work', '.git'), { recursive: true })
  }

  file(name: string): string {
    return join(this.path, name)
  }

  write(name: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(this.file(name)), { recursive: true })
    writeFileSync(this.file(name), text, { mode })
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8')
  }

  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { HOME: this.path, PATH: `${this.bin}:/usr/bin:/bin`, LANG: 'C.UTF-8', XDG_DATA_HOME: this.data, ...more }
  }

  /** Runs `sallyport` or another name of it. `as`: the user that runs it. */
  run(words: readonly string[], { name = 'sallyport', as = undefined as number | undefined, env = {} } = {}): Ran {
    return this.start([join(this.scratch, 'package', 'bin', `${name}.js`), ...words], { as, env })
  }

  /** Runs Node. */
  start(words: readonly string[], { as = undefined as number | undefined, env = {}, input = '' } = {}): Ran {
    const done = spawnSync(process.execPath, words, {
      ...{ cwd: join(this.path, 'work'), env: this.env(env), input, encoding: 'utf8', timeout: 120_000 },
      ...(as === undefined ? {} : { uid: as, gid: as }),
    })
    return { code: done.status, out: done.stdout, err: done.stderr }
  }

  /** The same beside others. */
  async beside(words: readonly string[]): Promise<Ran> {
    const child = spawn(process.execPath, [join(this.scratch, 'package', 'bin', 'sallyport.js'), ...words], {
      ...{ cwd: join(this.path, 'work'), env: this.env(), stdio: ['ignore', 'pipe', 'pipe'] },
    })
    const [out, err] = [child.stdout, child.stderr].map((stream) => stream!.setEncoding('utf8').toArray())
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, out: (await out!).join(''), err: (await err!).join('') }
  }

  /** A program that tells a version and does nothing else. */
  program(name: string, version: string): void {
    this.write(`bin/${name}`, `#!/bin/sh\necho "${name} ${version}"\n`, 0o755)
  }

  /** Every file with its bytes and its mode, but for what the guard and its runtime keep. */
  tree(): Readonly<Record<string, string>> {
    const out: Record<string, string> = {}
    for (const entry of readdirSync(this.path, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const name = path.slice(this.path.length + 1)
      if (/^\.local(?:\/|$)/.test(name)) continue
      const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0).toString(8)
      if (entry.isSymbolicLink()) out[name] = `-> ${readlinkSync(path)}`
      else out[name] = entry.isFile() ? `${mode} ${readFileSync(path, 'latin1')}` : mode
    }
    return out
  }
}

/** What a person has before setup, by the host: other hooks, odd blanks, line ends of Windows, no newline at the end. */
export const BEFORE: Readonly<Record<string, string | undefined>> = {
  claude:
    '{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"PreToolUse": [{ "matcher": "Bash", "hooks": [] }]\r\n\t}\r\n}  \r\n\t',
  codex: '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] } }',
}

export const settingsOf = (at: Home, host: string): string =>
  pathOf(KNOWN.find((one) => one.host.id === host)!.row.files[0]!.settings.user!, {
    home: at.path,
    env: {},
    project: at.path,
  })

/** Sets up hosts in a new home, over what a person had. */
export function wire(at: Home, hosts: string, scope = 'user'): Home {
  for (const host of hosts.split(',')) {
    const text = BEFORE[host]
    if (text !== undefined) at.write(settingsOf(at, host).slice(at.path.length + 1), text)
  }
  const { code, out, err } = at.run(['setup', '--yes', '--host', hosts, '--scope', scope])
  assert.equal(code, 0, out + err)
  return at
}

/** The user whom modes bind. */
export const PLAIN = 65_534

/** Makes all of a home that user's. A runtime that is shared stays as it is, and he may read it. */
export function giveAway(at: Home): void {
  for (const entry of readdirSync(at.path, { recursive: true, withFileTypes: true }))
    chownSync(join(entry.parentPath, entry.name), PLAIN, PLAIN)
  chownSync(at.path, PLAIN, PLAIN)
  for (const dir of [join(at.path, '..'), at.data, join(at.data, 'sallyport')]) chmodSync(dir, 0o755)
}
