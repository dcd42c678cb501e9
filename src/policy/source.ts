/** One policy file while it is read: its places, its errors, and the readers of small values that every key uses. */
import type { Place } from '../core/jsonc.ts'
import { compileGlob } from '../paths/glob.ts'
import { nearest } from './keys.ts'
import type { Origin, PolicyError, PolicyGlob } from './policy.ts'

export type Path = readonly (string | number)[]

/** Entries of one list: more is a mistake, and each glob costs time at every call. */
const MOST_ENTRIES = 1000
/** UTF-16 units of one glob, name or command. */
const MOST_LENGTH = 4096

export interface Setting {
  readonly layer: 'managed' | 'user' | 'project'
  readonly file: string
  readonly place: (path: Path) => Place | undefined
  readonly home: string
  /** Where relative globs start from: one glob for each. */
  readonly bases: readonly string[]
}

/** A file, or a value that stands for one. */
export const newSource = (setting: Setting): Source => new Source(setting)

export class Source {
  readonly layer: Setting['layer']
  readonly errors: PolicyError[] = []
  readonly home: string
  readonly bases: readonly string[]
  private readonly file: string
  private readonly place: Setting['place']

  constructor(setting: Setting) {
    this.layer = setting.layer
    this.file = setting.file
    this.place = setting.place
    this.home = setting.home
    this.bases = setting.bases
  }

  /** Where the value at `path` was written. */
  origin(path: Path): Origin {
    const line = this.line(path)
    return { layer: this.layer, file: this.file, ...(line === undefined ? {} : { line }) }
  }

  /** The line of the value, or of the nearest one around it where it is absent. */
  private line(path: Path): number | undefined {
    for (let length = path.length; length >= 0; length--) {
      const place = this.place(path.slice(0, length))
      if (place) return place.line
    }
    return undefined
  }

  /** Notes an error; what is wrong is not used. `message` is one clause without a full stop. */
  fail(path: Path, message: string): void {
    const line = this.line(path)
    this.errors.push({ file: this.file, ...(line === undefined ? {} : { line }), message })
  }

  unknownKey(path: Path, known: readonly string[], what = 'a policy key'): void {
    const word = String(path.at(-1))
    const near = nearest(word, known)
    const whole = path.filter((step) => typeof step === 'string').join('.')
    this.fail(path, `\`${whole}\` is not ${what}${near === undefined ? '' : `; did you mean \`${near}\`?`}`)
  }

  oneOf<T extends string>(path: Path, value: unknown, known: readonly T[]): T | undefined {
    const found = known.find((word) => word === value)
    if (found === undefined) {
      const near = typeof value === 'string' ? nearest(value, known) : undefined
      const choice = near === undefined ? `use one of ${known.join(', ')}` : `did you mean \`${near}\`?`
      this.fail(path, `\`${nameOf(path)}\` cannot be ${show(value)}; ${choice}`)
    }
    return found
  }

  /** A string with something in it. */
  string(path: Path, value: unknown): string | undefined {
    if (typeof value !== 'string' || value.trim() === '') {
      this.fail(path, `\`${nameOf(path)}\` must be a string that is not empty, not ${show(value)}`)
      return undefined
    }
    if (value.length > MOST_LENGTH || value.includes('\0')) {
      this.fail(path, `\`${nameOf(path)}\` is too long or holds a NUL character`)
      return undefined
    }
    return value
  }

  list(path: Path, value: unknown): readonly unknown[] {
    if (!Array.isArray(value)) {
      this.fail(path, `\`${nameOf(path)}\` must be a list, not ${show(value)}`)
      return []
    }
    if (value.length > MOST_ENTRIES)
      this.fail(path, `\`${nameOf(path)}\` has more than ${MOST_ENTRIES} entries; the rest is not used`)
    return value.slice(0, MOST_ENTRIES)
  }

  globs(key: 'frozen' | 'scope' | 'disposable' | 'denyRead', value: unknown): PolicyGlob[] {
    const loosens = key === 'scope' || key === 'disposable'
    return this.list([key], value).flatMap((item, index) => {
      const path = [key, index]
      const glob = this.glob(path, item, loosens)
      if (glob === undefined) return []
      if (key === 'scope' && this.layer === 'project' && (isAbsolute(glob) || glob.split('/').includes('..'))) {
        this.fail(path, `\`${item}\` leaves the repository, which a project file cannot bring into scope`)
        return []
      }
      const origin = this.origin(path)
      const bases = isAbsolute(glob) ? this.bases.slice(0, 1) : this.bases
      return bases.map((base) => ({ glob, base, origin }))
    })
  }

  /**
   * A glob with the home directory for `~`. One that cannot be used is told; where it loosens something it is dropped,
   * else it stays, and the matcher takes it to match: a slip in a rail must not open it.
   */
  glob(path: Path, value: unknown, loosens: boolean): string | undefined {
    const text = this.string(path, value)
    if (text === undefined) return undefined
    const { home } = this
    const windows = /^[A-Za-z]:[\\/]/.test(home)
    const start = windows ? home.replaceAll('\\', '/') : home.replace(/[*?[\]{}()\\]/g, '\\$&')
    const glob = text === '~' || text.startsWith('~/') ? start + text.slice(1) : text
    const sense = { flavour: windows ? ('win32' as const) : ('posix' as const), foldsCase: false }
    const { problem } = compileGlob(glob, this.bases[0] ?? home, sense)
    if (problem === undefined) return glob
    const until = loosens ? 'it is not used' : 'until it is mended it stands for everything'
    this.fail(path, `the glob ${show(text)} ${problem}; ${until}`)
    return loosens ? undefined : glob
  }
}

const isAbsolute = (glob: string): boolean => glob.startsWith('/') || /^[A-Za-z]:[\\/]/.test(glob)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `rules[2].match.path`. */
export const nameOf = (path: Path): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')

/** A value as a message shows it: short, and never the content of a large one. */
export function show(value: unknown): string {
  if (value === undefined) return 'absent'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  const text = JSON.stringify(value)
  return `\`${text.length > 40 ? `${text.slice(0, 39)}…` : text}\``
}
