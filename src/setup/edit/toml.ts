/** Reads TOML settings of hosts; they are never written. */
import { parse } from 'smol-toml'

/** The values of a TOML text; undefined where it is none. */
export function readToml(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}
