/** Environments as the interactions make them: with what hooks say of them, and what is frozen, kept beside. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookWorldOf } from '../agent/hook-world.ts'
import type { EnvironmentRecord, EnvironmentSpec, HookPin, HookWarning } from '../contract.ts'
import type { Runtime } from './runtime.ts'

/** What is kept of an environment beside itself. */
interface Beside {
  readonly warnings: readonly string[]
  readonly pin?: HookPin
}

const NOTHING: Beside = { warnings: [] }
/** Warnings of one environment that are kept. */
const MOST_WARNINGS = 100

export class Places {
  readonly #runtime: Runtime
  readonly #directory: string
  readonly #known = new Map<string, Beside>()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#directory = join(runtime.state, 'hooks')
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
  }

  /** Makes an environment and reads its hooks. Throws `ManagedError`; then nothing is left of it. */
  async create(spec: EnvironmentSpec): Promise<EnvironmentRecord> {
    const { environments, egress, hooks, report } = this.#runtime
    const record = await environments.create(spec)
    const { id } = record
    try {
      const before = spec.from === undefined ? undefined : this.pin(spec.from)
      const { warnings, pin } = await hooks.provision(await hookWorldOf(environments, egress, id, before))
      for (const { id: kind, text, file } of warnings)
        report({ kind: `hooks.${kind}`, environment: id, text, detail: { file } })
      if (pin !== undefined) await environments.freeze(id, pin.freeze)
      // Always: it is by this file that what lies beside an environment is found when that is gone.
      this.#keep(id, { warnings: [...new Set(warnings.map(textOf))], ...(pin === undefined ? {} : { pin }) })
      return record
    } catch (error) {
      await this.remove(id)
      throw error
    }
  }

  /** Removes what lies beside environments that are gone: they expire by themselves. */
  async sweep(): Promise<void> {
    const known = new Set((await this.#runtime.environments.list()).map(({ id }) => id))
    for (const name of readdirSync(this.#directory)) {
      const id = name.replace(/\.json(?:\.new)?$/, '')
      if (known.has(id)) continue
      rmSync(join(this.#directory, name), { force: true })
      this.#runtime.gate.forget(id)
    }
  }

  async remove(id: string): Promise<void> {
    const { environments, hooks, gate } = this.#runtime
    await environments.remove(id)
    hooks.forget(id)
    gate.forget(id)
    this.#known.delete(id)
    const file = this.#file(id)
    if (file !== undefined) rmSync(file, { force: true })
  }

  pin(id: string): HookPin | undefined {
    return this.#beside(id).pin
  }

  /** What hooks of an environment have warned of. */
  warnings(id: string): readonly string[] {
    return this.#beside(id).warnings
  }

  warn(id: string, warnings: readonly HookWarning[]): void {
    const beside = this.#beside(id)
    const all = new Set([...beside.warnings, ...warnings.map(textOf)])
    if (all.size > beside.warnings.length && beside.warnings.length < MOST_WARNINGS)
      this.#keep(id, { ...beside, warnings: [...all].slice(0, MOST_WARNINGS) })
  }

  #beside(id: string): Beside {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const file = this.#file(id)
    let beside = NOTHING
    try {
      if (file !== undefined) beside = JSON.parse(readFileSync(file, 'utf8')) as Beside
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    this.#known.set(id, beside)
    return beside
  }

  #keep(id: string, beside: Beside): void {
    this.#known.set(id, beside)
    const file = this.#file(id)
    if (file === undefined) return
    writeFileSync(`${file}.new`, JSON.stringify(beside), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  #file(id: string): string | undefined {
    return /^[\w-]{1,100}$/.test(id) ? join(this.#directory, `${id}.json`) : undefined
  }
}

const textOf = ({ text, file }: HookWarning): string => (file === undefined ? text : `${file}: ${text}`)
