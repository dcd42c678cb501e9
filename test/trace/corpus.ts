/** Lines to run under the eyes of the kernel: written here, generated, and found on the machine. */
import { globSync, readFileSync } from 'node:fs'
import { sequenceOf } from '../execution/sequence.ts'

/** Ordinary changes in every quoting and by many programs. `cases/trace.json`. */
export const written = (): readonly string[] => JSON.parse(readFileSync('cases/trace.json', 'utf8')) as string[]

/** Calls of random sequences of writers. */
export const random = (seeds: readonly number[]): readonly string[] => seeds.flatMap((seed) => sequenceOf(seed).calls)

/** Scripts of the packages that are installed here. */
export function packageScripts(): readonly string[] {
  const out = new Set<string>()
  for (const file of globSync('node_modules/{*,@*/*}/package.json')) {
    try {
      const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, unknown> }
      for (const text of Object.values(scripts)) if (typeof text === 'string' && text.trim() !== '') out.add(text)
    } catch {
      // Not a package of ours.
    }
  }
  return [...out].sort()
}

/** Characters of a maintainer script that is tried. */
const MOST_SCRIPT = 4_000

/** Maintainer scripts that dpkg keeps, read where they lie; none where there is no dpkg. */
export function maintainerScripts(most: number): readonly string[] {
  return globSync('/var/lib/dpkg/info/*.{postinst,prerm,postrm,preinst}')
    .sort()
    .flatMap((file) => {
      try {
        const text = readFileSync(file, 'utf8')
        return text.length <= MOST_SCRIPT && /^#!\s*\/bin\/(?:ba)?sh/.test(text) ? [text] : []
      } catch {
        return []
      }
    })
    .slice(0, most)
}
