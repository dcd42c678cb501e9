/** What is kept of an environment beside its files, one JSON file each. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { EnvironmentRecord } from '../contract.ts'

/** What the API shows, and what only the runtime needs. */
export interface Kept extends EnvironmentRecord {
  /** It does not expire by age. */
  readonly keep: boolean
  /** Paths that hold what they held when they were frozen. */
  readonly frozen: readonly string[]
}

const value = z.union([z.string(), z.object({ credential: z.string() })])
const transform = z.record(z.string(), z.string())
const network = z.union([
  z.literal('disabled'),
  z.object({
    allowlist: z.union([
      z.literal('disabled'),
      z.array(
        z.object({
          domain: z.string(),
          credential: z.string().optional(),
          transform: z.union([transform, z.array(transform)]).optional(),
        }),
      ),
    ]),
  }),
])
const source = z.union([
  z.object({
    type: z.literal('inline'),
    target: z.string(),
    content: z.string(),
    encoding: z.literal('base64').optional(),
  }),
  z.object({ type: z.literal('repository'), source: z.string(), target: z.string() }),
  z.object({ type: z.literal('gcs'), source: z.string(), target: z.string() }),
])
const record = z.object({
  keep: z.boolean(),
  frozen: z.array(z.string()),
  id: z.string(),
  status: z.enum(['active', 'expired']),
  created: z.number(),
  updated: z.number(),
  lastAccessed: z.number(),
  fileCount: z.number(),
  sizeBytes: z.number(),
  network: network.optional(),
  sources: z.array(source),
  env: z.record(z.string(), value),
  warnings: z.array(z.string()),
})

const FILE = 'record.json'

/** The directories of environments below one place, which only the runtime's user may enter. */
export class Records {
  /** The directory that holds them all. */
  readonly place: string

  constructor(place: string) {
    this.place = place
    mkdirSync(place, { recursive: true, mode: 0o700 })
  }

  directory(id: string): string {
    return join(this.place, id)
  }

  write(kept: Kept): void {
    const file = join(this.directory(kept.id), FILE)
    writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  /** Every readable record, and the names of directories that have none: what was being made when the runtime ended. */
  read(): { readonly kept: Kept[]; readonly broken: string[] } {
    const kept: Kept[] = []
    const broken: string[] = []
    for (const name of readdirSync(this.place)) {
      try {
        const found = record.parse(JSON.parse(readFileSync(join(this.place, name, FILE), 'utf8'))) as Kept
        if (found.id === name) kept.push(found)
        else broken.push(name)
      } catch {
        broken.push(name)
      }
    }
    return { kept, broken }
  }
}
