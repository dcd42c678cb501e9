/** Finds the configurations of an environment, and keeps what was read of them. */
import type { HookPin, HookWorld } from '../contract.ts'
import { type Finding, finding } from './findings.ts'
import type { HookFile } from './model.ts'
import { LARGEST, readHookBytes, readHookText, unreadable } from './schema.ts'

export interface Configuration {
  readonly files: readonly HookFile[]
  readonly findings: readonly Finding[]
  /** Texts of the files that could be read, for a pin. */
  readonly texts: ReadonlyMap<HookFile, string>
}

/** Files that were read, by environment and real path. */
const MOST_KEPT = 1_024

interface Kept {
  readonly stamp: string
  readonly file: HookFile
  readonly text: string
}

export class Discovery {
  private readonly kept = new Map<string, Kept>()
  private readonly pinned = new WeakMap<HookPin, Configuration>()

  /** The files at the world's roots in order; one that is reached twice counts once, where it is reached first. */
  async find(world: HookWorld): Promise<Configuration> {
    const files: HookFile[] = []
    const texts = new Map<HookFile, string>()
    const seen = new Set<string>()
    for (const root of world.roots) {
      const cwd = root.replace(/\/+$/, '') || '/'
      const path = `${cwd === '/' ? '' : cwd}/.agents/hooks.json`
      const found = await this.read(world, path, cwd, seen)
      if (found === undefined) continue
      files.push(found.file)
      texts.set(found.file, found.text)
    }
    return { files, texts, findings: findingsOf(files, world.networkDisabled) }
  }

  /** What was frozen. */
  frozen(pin: HookPin, networkDisabled: boolean): Configuration {
    let found = this.pinned.get(pin)
    if (found === undefined) {
      const files = pin.files.map(({ path, cwd, text }) => readHookText({ path, cwd }, text))
      found = { files, texts: new Map(files.map((file, i) => [file, pin.files[i]!.text])), findings: [] }
      this.pinned.set(pin, found)
    }
    return { ...found, findings: findingsOf(found.files, networkDisabled) }
  }

  forget(environment: string): void {
    for (const key of this.kept.keys()) if (key.startsWith(`${environment}\0`)) this.kept.delete(key)
  }

  /** The file, unless it is absent or was seen. What cannot be looked at is a file that cannot be read. */
  private async read(world: HookWorld, path: string, cwd: string, seen: Set<string>) {
    const place = { path, cwd }
    try {
      const real = await world.files.real(path)
      if (real === undefined || seen.has(real)) return undefined
      seen.add(real)
      const key = `${world.environment}\0${path}\0${real}`
      const stamp = await world.files.stamp(real)
      const kept = this.kept.get(key)
      if (kept !== undefined && kept.stamp === stamp) return kept
      const bytes = await world.files.read(real, LARGEST + 1)
      if (bytes === undefined) return { file: unreadable(place, 'it cannot be read'), text: '' }
      const found = { file: readHookBytes(place, bytes), text: Buffer.from(bytes).toString('utf8') }
      if (stamp !== undefined) this.keep(key, { ...found, stamp })
      return found
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return { file: unreadable(place, `it cannot be read: ${why}`), text: '' }
    }
  }

  private keep(key: string, kept: Kept): void {
    this.kept.delete(key)
    this.kept.set(key, kept)
    const oldest = this.kept.keys().next().value
    if (this.kept.size > MOST_KEPT && oldest !== undefined) this.kept.delete(oldest)
  }
}

/** Of the files, and of what they ask of a network that is not there. */
function findingsOf(files: readonly HookFile[], networkDisabled: boolean): readonly Finding[] {
  const out = files.flatMap(({ findings }) => findings)
  if (!networkDisabled) return out
  for (const { path, groups } of files)
    for (const { name, enabled, rules } of groups) {
      const http = Object.values(rules)
        .flat()
        .flatMap(({ handlers }) => handlers)
        .find(({ is }) => is === 'http')
      if (enabled && http !== undefined) {
        const text = `the http hooks of the group ${JSON.stringify(name)} cannot reach anything, so they allow every call: the network is disabled`
        out.push(finding('allows', 'http.no-network', text, { file: path, group: name, line: http.line }))
      }
    }
  return out
}
