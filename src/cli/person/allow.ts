/** `sallyport allow`: a rule for good in the person's own policy, by effect and target or by exact command. */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'
import { answer } from '../../core/driver.ts'
import { loadPolicy, policyFiles } from '../../policy/load.ts'
import { diskWorld } from '../../world/disk.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { plain } from '../log.ts'
import { askTerminal, type Surroundings, surroundings, whyNoPerson } from './person.ts'

export interface AllowFlags {
  /** An exact command, in place of an effect and its target. */
  readonly command?: string
  /** Takes the entry of that number away. */
  readonly remove?: string
  readonly yes?: boolean
}

export interface Answering {
  readonly around: Surroundings
  ask(question: string): string
}

type Entry = { readonly effect: string; readonly target: string } | { readonly command: string }

/** Exit 0 where the rule stands (or the rules are listed), 1 where it could not be written or nobody agreed, 2 for bad usage. */
export function allowVerb(
  flags: AllowFlags,
  words: readonly string[],
  io: Io,
  asker: Answering = { around: surroundings(io.env), ask: askTerminal },
): number {
  const file = policyFile(io)
  const complain = (sentence: string, code: number): number => {
    io.err(`sallyport allow: ${sentence}\n`)
    return code
  }
  let text: string
  let entries: readonly unknown[]
  try {
    text = existsSync(file) ? readFileSync(file, 'utf8') : '{\n  "v": 1\n}\n'
    entries = entriesOf(text)
  } catch (error) {
    return complain(
      `${file} cannot be changed (${error instanceof Error ? error.message : String(error)}); mend it first, see sallyport policy check`,
      EXIT.problem,
    )
  }
  if (words.length === 0 && flags.command === undefined && flags.remove === undefined) {
    for (const [i, entry] of entries.entries()) io.out(`${i + 1}  ${plain(JSON.stringify(entry))}\n`)
    if (entries.length === 0)
      io.out('nothing is allowed for good; use sallyport allow EFFECT TARGET, or --command CMD\n')
    return EXIT.ok
  }
  const why = whyNoPerson(asker.around)
  if (why !== undefined) return complain(why, EXIT.problem)
  const edit = editOf(flags, words, entries)
  if (typeof edit === 'string') return complain(edit, EXIT.usage)
  const next = applyEdits(
    text,
    modify(text, ['allow', edit.at], edit.entry, {
      isArrayInsertion: edit.entry !== undefined,
      formattingOptions: { insertSpaces: true, tabSize: 2 },
    }),
  )
  const before = new Set(faultsOf(text, io))
  const fault = faultsOf(next, io).find((one) => !before.has(one))
  // The person named no place in a list.
  if (fault !== undefined) return complain(fault.replace(/`allow\[\d+\]\.(\w+)`/, 'the $1'), EXIT.usage)
  const what = plain(JSON.stringify(edit.entry ?? entries[edit.at]))
  const question =
    edit.entry === undefined
      ? `Take ${what} out of ${file}? Type yes: `
      : `Allow ${what} for good, in ${file}? Type yes: `
  if (!flags.yes && asker.ask(question).toLowerCase() !== 'yes') return complain('nothing was changed', EXIT.problem)
  try {
    put(file, next)
  } catch (error) {
    return complain(
      `${file} could not be written (${error instanceof Error ? error.message : String(error)})`,
      EXIT.problem,
    )
  }
  io.out(`${edit.entry === undefined ? 'no longer allowed' : 'allowed'}: ${what}\n`)
  return EXIT.ok
}

/** The driver's bounds for two small files. */
const BUDGET = { ms: 5_000, questions: 1_000 }

const where = (io: Io) => ({ home: homeOf(io.env), repo: undefined, env: io.env })

/** The person's own policy file, whether it is there or not. */
export function policyFile(io: Io): string {
  const world = diskWorld({ env: io.env, cwd: io.cwd })
  return answer(policyFiles(where(io)), world, { ...BUDGET, start: world.now() }).value.user
}

/** What is wrong with a policy of that text, as sentences. */
function faultsOf(text: string, io: Io): readonly string[] {
  const world = diskWorld({ env: io.env, cwd: io.cwd })
  const asking = loadPolicy({ ...where(io), user: parse(text, [], { allowTrailingComma: true }) as unknown })
  return answer(asking, world, { ...BUDGET, start: world.now() }).value.errors.map(({ message }) => message)
}

/** The entries of `allow`; throws where the file is no policy. */
function entriesOf(text: string): readonly unknown[] {
  const errors: ParseError[] = []
  const value = parse(text, errors, { allowTrailingComma: true }) as { allow?: unknown } | null
  if (errors.length > 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it is not an object of JSON with comments')
  const { allow = [] } = value
  if (!Array.isArray(allow)) throw new Error('its allow is no list')
  return allow
}

interface Edit {
  readonly at: number
  /** Absent: what stands at `at` goes. */
  readonly entry: Entry | undefined
}

function editOf(flags: AllowFlags, words: readonly string[], entries: readonly unknown[]): Edit | string {
  if (flags.remove !== undefined) {
    const at = Number(flags.remove) - 1
    if (words.length > 0 || flags.command !== undefined)
      return '--remove stands alone, with the number that sallyport allow shows'
    return Number.isInteger(at) && at >= 0 && at < entries.length
      ? { at, entry: undefined }
      : `there is no entry ${JSON.stringify(flags.remove)}; sallyport allow shows the numbers`
  }
  if (flags.command !== undefined)
    return words.length === 0
      ? { at: -1, entry: { command: flags.command } }
      : 'name either --command or an effect and its target'
  const [effect, target, ...more] = words
  if (effect === undefined || target === undefined || more.length > 0)
    return 'name an effect and its target, as in: sallyport allow delete dist/cache; sallyport pending shows both'
  return { at: -1, entry: { effect, target } }
}

/** Keeps what was there as `policy.jsonc.bak`; a file behind a link is changed where it lies. */
function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const real = existsSync(file) && lstatSync(file).isSymbolicLink() ? realpathSync(file) : file
  if (existsSync(real)) copyFileSync(real, `${real}.bak`)
  const made = `${real}.${process.pid}.new`
  writeFileSync(made, text, { mode: 0o600, flag: 'wx' })
  renameSync(made, real)
}
