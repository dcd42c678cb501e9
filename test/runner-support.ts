/** What the tests of the plugin's shell scripts share: a scratch plugin, worlds, and running a script with a call. */
import { spawn } from 'node:child_process'
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
export const PLUGIN = join(ROOT, 'plugin', 'antigravity')

/** A child of the runner: what it prints and its code, or lines of shell. */
export interface Child {
  readonly out?: string
  readonly exit?: number
  readonly run?: string
}

type Mode = 'interactive' | 'worker' | 'readonly'
export const MODES: readonly Mode[] = ['interactive', 'worker', 'readonly']

export interface RunnerRow {
  readonly id: string
  readonly row: string
  readonly source: 'seed' | 'test' | 'inferred' | 'decision' | 'own'
  readonly children: readonly string[]
  /** Where the calls of `calls` work: a world's name, with a path below it. */
  readonly at?: string
  /** Tool → answers, by mode in the order of `MODES`; modes that are left out are not tried. */
  readonly calls?: Readonly<Record<string, readonly string[]>>
  readonly payload?: unknown
  readonly raw?: string
  readonly expect?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly pretty?: boolean
  readonly noScript?: boolean
  readonly never?: string
  readonly log?: string
  readonly stderr?: string
}

export interface LauncherRow {
  readonly id: string
  readonly row: string
  readonly source: string
  /** Below the home directory → what it says that its version is. */
  readonly nodes?: Readonly<Record<string, string>>
  readonly links?: Readonly<Record<string, string>>
  /** A good Node is there. */
  readonly node?: boolean
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly exit?: number
  /** The Node below the home that runs, or with `node` the script below the plugin's root. */
  readonly runs?: string
}

export const CASES = JSON.parse(readFileSync(join(ROOT, 'cases', 'runner.json'), 'utf8')) as {
  readonly children: Readonly<Record<string, Child>>
  readonly rows: readonly RunnerRow[]
  readonly launcher: readonly LauncherRow[]
}

/** Exactly what a child prints: `$N` stands for N letters. */
export const printed = (child: Child): string =>
  (child.out ?? '').replace(/\$(\d+)/g, (_, count: string) => 'x'.repeat(Number(count)))

const ODD_NAME = `a & b ]"x\\ é 😀 'q' $y`

/** A plugin with the real runner and a launcher that plays the children, and worlds to work in. */
export class RunnerScratch {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'runner-')))
  readonly home = join(this.dir, 'home')
  readonly plugin = join(this.dir, 'plugin')
  readonly tmp = join(this.dir, 'tmp')
  readonly worlds: Readonly<Record<string, string>> = {
    A: join(this.dir, 'active'),
    P: join(this.dir, 'plain'),
    ODD: join(this.dir, ODD_NAME),
    LINK: join(this.dir, 'link'),
    DANGLING: join(this.dir, 'dangling'),
    HOME: this.home,
  }

  constructor() {
    const { A, P, ODD, LINK, DANGLING, HOME } = this.worlds as Record<string, string>
    for (const dir of [`${A}/.adlc/tickets`, `${A}/lib/deep`, `${P}/.git`, `${ODD}/.adlc`, DANGLING!, `${HOME}/.adlc`])
      mkdirSync(dir, { recursive: true })
    for (const dir of [`${HOME}/project/.git`, this.tmp, join(this.plugin, 'bin'), join(this.plugin, 'children')])
      mkdirSync(dir, { recursive: true })
    writeFileSync(`${P}/file`, '')
    symlinkSync(`${A}/lib`, LINK!)
    symlinkSync(`${DANGLING}/gone`, `${DANGLING}/.adlc`)
    cpSync(join(PLUGIN, 'bin', 'hook-runner.sh'), join(this.plugin, 'bin', 'hook-runner.sh'))
    const play = '[ -n "$1" ] || exit 1\n. "$(dirname "$0")/../children/$1"\n'
    writeFileSync(join(this.plugin, 'bin', 'node-launcher.sh'), play)
    for (const [name, child] of Object.entries(CASES.children)) {
      writeFileSync(join(this.plugin, 'children', `${name}.out`), printed(child))
      const lines = child.run ?? `cat "\${0%/*}/../children/${name}.out"\nexit ${child.exit ?? 0}`
      writeFileSync(join(this.plugin, 'children', name), `${lines}\n`)
    }
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }

  get log(): string {
    return join(this.home, '.gemini/antigravity-cli/plugin_data/antigravity-booster/logs/hooks.log')
  }

  /** `${A}` is a world's path; with `\/` its slashes are escaped for JSON, with `\u` every odd character is. */
  fill(text: string, json: boolean): string {
    return text.replace(/\$\{([A-Z]+)(\\[/u])?\}/g, (_, name: string, how: string | undefined) => {
      const path = this.worlds[name]!
      if (how === '\\u') return path.replace(/[^\w/]/g, (c) => c.split('').map(escaped).join(''))
      const plain = json ? JSON.stringify(path).slice(1, -1) : path
      return how === undefined ? plain : plain.replaceAll('/', '\\/')
    })
  }

  /** The bytes of a call. */
  payload(row: RunnerRow, tool: string): string {
    if (row.raw !== undefined) return this.fill(row.raw, true)
    if (row.payload !== undefined) return this.fill(JSON.stringify(row.payload), true)
    const [world = '', ...below] = (row.at ?? '').split('/')
    const place = [this.worlds[world], ...below].join('/')
    const args = tool === 'run_command' ? { CommandLine: 'make', Cwd: place } : { TargetFile: 'lib/x.mjs' }
    const call = { toolCall: { name: tool, args }, workspacePaths: [place], conversationId: 'c', stepIdx: 3 }
    return JSON.stringify(call, undefined, row.pretty ? 2 : undefined)
  }

  env(mode: Mode, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    return {
      ...{ PATH: '/usr/bin:/bin', HOME: this.home, TMPDIR: this.tmp },
      ...(mode === 'worker' ? { AGB_WORKER_TICKET: 'T1' } : {}),
      ...(mode === 'readonly' ? { AGB_WORKER_MODE: 'readonly' } : {}),
      ...Object.fromEntries(Object.entries(extra).map(([name, value]) => [name, this.fill(value, false)])),
    }
  }

  /** Runs the runner under a shell, as the host would: from the plugin's root. */
  run(shell: string, args: readonly string[], input: string | 'open', env: NodeJS.ProcessEnv): Promise<Ran> {
    return runIn(shell, ['bin/hook-runner.sh', ...args], { cwd: this.plugin, env, input })
  }
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly ms: number
}

/** Longer than any answer may take: what hangs fails, and hangs no test. */
const MOST_MS = 20_000

interface How {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** `open`: nothing comes and stdin is never closed. */
  readonly input: string | 'open'
  /** Called once with a way to send the program a signal. */
  readonly started?: (signal: (name: NodeJS.Signals) => void) => void
  /** Text that is sent, with stdin left open behind it. */
  readonly unclosed?: boolean
}

/** Runs a program; resolves when its output is closed, as a host waits for it. */
export function runIn(program: string, args: readonly string[], how: How): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const child = spawn(program, args, { cwd: how.cwd, env: how.env, stdio: ['pipe', 'pipe', 'pipe'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MS)
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part))
    child.stdin.on('error', () => {})
    if (how.input !== 'open') child.stdin.write(how.input)
    if (how.input !== 'open' && !how.unclosed) child.stdin.end()
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      child.stdin.destroy()
      resolve({ code, out, err, ms: performance.now() - start })
    })
    how.started?.((name) => child.kill(name))
  })
}

/** What an answer of the runner says; throws unless it is nothing or one line that a host reads. */
export function decisionOf({ code, out }: Ran): string {
  if (code !== 0) throw new Error(`exit code ${code}`)
  if (out === '') return 'pass'
  if (!/^[^\n]*\n$/.test(out)) throw new Error(`not one line: ${JSON.stringify(out.slice(0, 200))}`)
  const said = JSON.parse(out) as Record<string, unknown>
  if (Object.keys(said).join() !== 'decision,reason' || typeof said['reason'] !== 'string') throw new Error(out)
  return String(said['decision'])
}

/** The three shells of the contract, one of each program: `sh` is mostly one of the others. */
export function shells(): readonly string[] {
  const seen = new Set<string>()
  return ['dash', 'bash', 'sh'].filter((name) => {
    const path = onPath(name)
    const real = path === undefined ? name : realpathSync(path)
    const known = seen.has(real)
    seen.add(real)
    return !known
  })
}

function onPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/**
 * A scratch directory that may hold a Node that is trusted: the launcher refuses what lies below `tmp`. Below the
 * checkout, so that a Node can be linked there; else below the home directory. Throws where neither can be used.
 */
export function scratchOutsideTmp(): string {
  for (const base of [join(ROOT, 'coverage'), homedir()]) {
    try {
      mkdirSync(base, { recursive: true })
      const real = realpathSync(base)
      if (!/\/(?:tmp|node_modules|\.git)(?:\/|$)/.test(real)) return mkdtempSync(join(real, 'launcher-'))
    } catch {
      // The next one.
    }
  }
  throw new Error('no directory outside of tmp can be written')
}
