/** `sallyport hooks lint`: what is wrong with a `hooks.json`, above all what silently allows. Runs nothing. */
import { counted } from '../../core/count.ts'
import type { Network } from '../../managed/contract.ts'
import type { Finding } from '../../managed/hooks/findings.ts'
import { type LintContext, type Linted, lintHooks } from '../../managed/hooks/lint.ts'
import { EVENTS } from '../../managed/hooks/model.ts'
import type { ArgsStyle } from '../../managed/hooks/payload.ts'
import { EXIT, type Io } from '../io.ts'
import { type HooksInput, InputError, readHooksInput } from './hooks-input.ts'
import { refusedBy } from './reach.ts'

export interface HooksLintFlags {
  readonly json?: boolean
  readonly environment?: string
  readonly pinned?: boolean
  readonly argsStyle?: ArgsStyle
}

/** Exit code: 0, 1 where something silently allows, 2 for bad input. */
export function hooksLint(flags: HooksLintFlags, file: string | undefined, io: Io): number {
  let input: HooksInput
  try {
    input = readHooksInput(io, file, flags.environment)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    io.err(`sallyport hooks lint: ${error.message}\n`)
    return EXIT.usage
  }
  const linted = lintInput(input, { pinned: flags.pinned ?? false, argsStyle: flags.argsStyle ?? 'seed' })
  const findings = linted.flatMap((one) => one.findings)
  const allows = findings.filter(({ weight }) => weight === 'allows').length
  if (flags.json) io.out(`${JSON.stringify(asJson(input, linted, allows), undefined, 2)}\n`)
  else io.out(asText(input, linted, allows))
  return allows === 0 ? EXIT.ok : EXIT.problem
}

/** All configurations of an input. */
export function lintInput(input: HooksInput, options: Pick<LintContext, 'pinned' | 'argsStyle'>): readonly Linted[] {
  const network: Network = input.network?.is
  const context: LintContext = {
    ...options,
    networkKnown: input.network !== undefined,
    refuses: (url) => refusedBy(network, url),
    script(path) {
      const found = input.files.get(path)
      if (found === undefined) return input.mayHold(path) ? undefined : 'absent'
      return { text: Buffer.from(found.bytes).toString('utf8'), executable: found.executable }
    },
  }
  return input.configurations.map((path) => lintHooks({ path, bytes: input.files.get(path)!.bytes }, context))
}

const handlersOf = ({ file }: Linted): number =>
  file.groups.flatMap(({ rules }) => EVENTS.flatMap((event) => rules[event])).flatMap(({ handlers }) => handlers).length

function asText({ name }: HooksInput, linted: readonly Linted[], allows: number): string {
  const out: string[] = []
  for (const one of linted) {
    const { file, findings } = one
    const where = linted.length === 1 ? name : `${name}, ${file.path}`
    out.push(`${where}: ${counted(file.groups.length, 'group')}, ${counted(handlersOf(one), 'handler')}`)
    for (const found of [...findings].sort(byWeight)) out.push(lineOf(found))
  }
  const notes = linted.flatMap(({ findings }) => findings).length - allows
  const verb = allows === 1 ? 'finding silently allows' : 'findings silently allow'
  out.push(`${allows === 0 ? 'no finding silently allows' : `${allows} ${verb}`}, ${counted(notes, 'note')}`)
  return `${out.join('\n')}\n`
}

/** What allows comes first, each in the order of the file. */
const byWeight = (a: Finding, b: Finding): number => Number(a.weight === 'note') - Number(b.weight === 'note')

const lineOf = ({ weight, id, line, text }: Finding): string =>
  `  ${weight.padEnd(6)}  ${id}${line === undefined ? '' : ` (line ${line})`}: ${text}`

function asJson({ name }: HooksInput, linted: readonly Linted[], allows: number): unknown {
  const findings = linted.flatMap((one) => one.findings)
  return {
    v: 1,
    input: name,
    files: linted.map((one) => ({
      path: one.file.path,
      cwd: one.file.cwd,
      readable: one.file.unread === undefined,
      groups: one.file.groups.map(({ name: group, enabled, line, rules }) => ({
        ...{ name: group, enabled, line },
        rules: EVENTS.flatMap((event) =>
          rules[event].map(({ matcher, handlers }) => ({ event, matcher: matcher.text, handlers: handlers.length })),
        ),
      })),
    })),
    ...{ findings, allows, notes: findings.length - allows },
  }
}
