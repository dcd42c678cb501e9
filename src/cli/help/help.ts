/** `--help`: what a verb does, then how it is called, its options, examples, and the exit codes last. */
import type { Command, RouteMap } from '@stricli/core'
import type { Context } from '../flags.ts'
import { EXAMPLES } from './examples.ts'
import { GROUPS } from './verbs.ts'

type Target = Command<Context> | RouteMap<Context>

export interface HelpFor {
  /** The name that the program was called by. */
  readonly name: string
  /** What the program is, in a sentence. */
  readonly brief: string
  /** Characters in a line. */
  readonly width: number
  /** Whether headings may stand out. */
  readonly colour: boolean
}

/** A flag and a positional argument as a verb declares them: those fields of the library's types that are shown. */
interface Flag {
  readonly kind: string
  readonly brief: string
  readonly placeholder?: string
  readonly values?: readonly string[]
  readonly hidden?: boolean
}
interface Word {
  readonly brief: string
  readonly placeholder?: string
  readonly optional?: boolean
}
interface Parameters {
  readonly flags?: Readonly<Record<string, Flag>>
  readonly aliases?: Readonly<Record<string, string>>
  readonly positional?:
    | { readonly kind: 'tuple'; readonly parameters: readonly Word[] }
    | { readonly kind: 'array'; readonly parameter: Word; readonly minimum?: number }
}

/** Verbs that take a command, or words for another program, behind `--`. */
const BEHIND = /^(?:check|explain|run|mcp proxy)$/
const CODES = '0, 1 where it failed or found a problem, 2 for bad usage'
/** Options stand beside their text where the line is long enough. */
const COLUMN = 26
const NARROW = 60

const isMap = (target: Target): target is RouteMap<Context> => 'getAllEntries' in target

/** The verb that the words begin with, and its name; a word that is no verb ends it. */
export function targetOf(root: RouteMap<Context>, words: readonly string[]): { target: Target; path: string[] } {
  let target: Target = root
  const path: string[] = []
  for (const word of words) {
    if (!isMap(target)) break
    const next: Target | undefined = target.getRoutingTargetForInput(word)
    if (next === undefined) break
    target = next
    path.push(word)
  }
  return { target, path }
}

/** The help of the whole program, of a group of verbs (`undo`), or of one verb. */
export function helpText(root: RouteMap<Context>, words: readonly string[], options: HelpFor): string {
  const { target, path } = targetOf(root, words)
  const page = new Page(options)
  if (path.length === 0) wholeProgram(root, page, options)
  else if (isMap(target)) groupOfVerbs(target, path.join(' '), page, options)
  else oneVerb(target, path.join(' '), page, options)
  return page.text
}

function wholeProgram(root: RouteMap<Context>, page: Page, { name, brief }: HelpFor): void {
  page.paragraph(brief)
  page.heading('Usage')
  page.line(`${name} <verb> [options]`)
  page.line(`${name} <verb> --help     its options, examples and exit codes`)
  const known = new Map(root.getAllEntries().map(({ name: of, target }) => [of['convert-camel-to-kebab'], target]))
  const column = Math.max(...[...known.keys()].map((verb) => verb.length)) + 2
  for (const [heading, verbs] of GROUPS[name] ?? GROUPS['sallyport']!) {
    const rows = Object.entries(verbs).filter(([verb]) => known.has(verb))
    if (rows.length > 0) page.heading(heading)
    for (const [verb, words] of rows) page.row(verb, words, column)
  }
}

function groupOfVerbs(map: RouteMap<Context>, path: string, page: Page, { name }: HelpFor): void {
  const entries = map.getAllEntries()
  page.paragraph(map.brief)
  page.heading('Usage')
  for (const { name: of, target } of entries) {
    const verb = of['convert-camel-to-kebab']
    page.line(`${name} ${path} ${verb}${isMap(target) ? ' …' : usageOf(target, `${path} ${verb}`)}`)
  }
  page.heading('Verbs')
  for (const { name: of, target } of entries) page.row(of['convert-camel-to-kebab'], target.brief, 10)
}

function oneVerb(command: Command<Context>, path: string, page: Page, { name }: HelpFor): void {
  const { parameters, brief, fullDescription = '' } = command
  // Where the codes say what the verb alone means by them, they stand at the end of its text.
  const [, more = '', codes] = /^(.*?)\s*(?:Exit code: (.*))?$/s.exec(fullDescription)!
  page.paragraph(brief)
  if (more !== '') page.paragraph(more)
  page.heading('Usage')
  page.line(`${name} ${path}${usageOf(command, path)}`)
  const words = wordsOf(parameters as Parameters)
  for (const { placeholder = 'word', brief: of } of words) page.row(`<${placeholder}>`, of, COLUMN)
  page.heading('Options')
  for (const [flag, declared] of Object.entries((parameters as Parameters).flags ?? {}))
    if (declared.hidden !== true)
      page.row(leftOf(flag, declared, (parameters as Parameters).aliases), declared.brief, COLUMN)
  page.row('-h, --help', 'print this', COLUMN)
  page.heading('Examples')
  for (const example of EXAMPLES[path] ?? []) page.line(example.replaceAll('$ ', `${name} `))
  page.heading('Exit codes')
  page.wrapped(codes?.replace(/\.$/, '') ?? (path === 'hook' ? '0 always' : CODES), 2)
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function leftOf(flag: string, { kind, placeholder, values }: Flag, aliases: Parameters['aliases']): string {
  const short = Object.entries(aliases ?? {}).find(([, of]) => of === flag)?.[0]
  const value = kind === 'boolean' ? '' : ` <${values?.join('|') ?? placeholder ?? 'value'}>`
  return `${short === undefined ? '' : `-${short}, `}--${kebab(flag)}${value}`
}

const wordsOf = ({ positional }: Parameters): readonly Word[] =>
  positional === undefined ? [] : positional.kind === 'array' ? [positional.parameter] : positional.parameters

function usageOf(command: Command<Context>, path: string): string {
  const { flags = {}, positional } = command.parameters as Parameters
  const options = Object.keys(flags).length > 0 ? ' [options]' : ''
  const behind = BEHIND.test(path) ? ' --' : ''
  if (positional?.kind === 'array') return `${options}${behind} <${positional.parameter.placeholder ?? 'word'}>…`
  const words = (positional?.parameters ?? []).map(({ placeholder = 'word', optional }) =>
    optional === true ? ` [<${placeholder}>]` : ` <${placeholder}>`,
  )
  return `${options}${words.join('')}`
}

/** Lines of help, none longer than it must be. */
class Page {
  readonly #lines: string[] = []
  readonly #width: number
  readonly #colour: boolean

  constructor({ width, colour }: HelpFor) {
    this.#width = width
    this.#colour = colour
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`
  }

  heading(text: string): void {
    this.#lines.push('', this.#colour ? `\u001b[1m${text}\u001b[0m` : text)
  }

  paragraph(text: string): void {
    if (this.#lines.length > 0) this.#lines.push('')
    this.wrapped(text, 0)
  }

  line(text: string): void {
    this.#lines.push(`  ${text}`)
  }

  row(left: string, right: string, column: number): void {
    if (this.#width < NARROW || left.length + 2 > column) {
      this.line(left)
      this.wrapped(right, this.#width < NARROW ? 6 : column + 2)
      return
    }
    const from = this.#lines.length
    this.wrapped(right, column + 2)
    this.#lines[from] = `  ${left.padEnd(column)}${this.#lines[from]!.trimStart()}`
  }

  wrapped(text: string, indent: number): void {
    let line = ''
    for (const word of text.split(/\s+/)) {
      if (line !== '' && indent + line.length + 1 + word.length > this.#width) {
        this.#lines.push(' '.repeat(indent) + line)
        line = ''
      }
      line += line === '' ? word : ` ${word}`
    }
    this.#lines.push(' '.repeat(indent) + line)
  }
}
