/** Copies of the program that settings name, whoever wrote them. */
import { readForEdit, textOf } from './edit/disk.ts'
import { pathOf, type Surroundings } from './wire/row.ts'
import { WIRE_ROWS } from './wire/rows.ts'

/** Those of `dirs` that a settings file of any host names, the user's or the project's. */
export function runtimesNamed(dirs: readonly string[], at: Surroundings): ReadonlySet<string> {
  if (dirs.length === 0) return new Set()
  const places = WIRE_ROWS.flatMap(({ files }) => files.flatMap(({ settings }) => [settings.user, settings.project]))
  const paths = new Set(places.flatMap((place) => (place === undefined ? [] : [pathOf(place, at)])))
  const texts = [...paths].flatMap((path) => {
    const file = readForEdit(path)
    return 'refused' in file || file.bytes === undefined ? [] : (textOf(file.bytes) ?? [])
  })
  // As it is, and as a text of JSON or TOML has it.
  const names = (dir: string) => [`${dir}/`, JSON.stringify(`${dir}/`).slice(1, -1)]
  return new Set(dirs.filter((dir) => names(dir).some((name) => texts.some((text) => text.includes(name)))))
}
