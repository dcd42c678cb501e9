/** What is wrong with a command line, as one sentence that names the way out. */
import {
  AliasNotFoundError,
  type ApplicationText,
  ArgumentParseError,
  EnumValidationError,
  FlagNotFoundError,
  InvalidNegatedFlagSyntaxError,
  text_en,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from '@stricli/core'

/** Names that are near, as a question; empty where there is none. */
const near = (names: readonly string[]): string =>
  names.length === 0 ? '' : `; did you mean ${names.slice(0, 3).join(' or ')}?`

/** An option as it is shown and typed. */
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const quoted = (text: string): string => JSON.stringify(text)
const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** By class, not by the class's name: the program is shipped with short names. */
function sentence(error: unknown): string {
  if (error instanceof FlagNotFoundError)
    return `there is no option --${error.input}${near(error.corrections.map((name) => `--${kebab(name)}`))}`
  if (error instanceof AliasNotFoundError) return `there is no option -${error.input}`
  if (error instanceof ArgumentParseError)
    return `${quoted(error.input)} does not fit ${error.externalFlagNameOrPlaceholder}: ${message(error.exception)}`
  if (error instanceof EnumValidationError)
    return `--${error.externalFlagName} takes ${error.values.join(', ')}, not ${quoted(error.input)}`
  if (error instanceof UnsatisfiedFlagError) {
    const next = error.nextFlagName === undefined ? '' : `, and --${error.nextFlagName} stands in its place`
    return `--${error.externalFlagName} needs a value${next}`
  }
  if (error instanceof UnsatisfiedPositionalError)
    return `<${error.placeholder}> is missing${error.limit === undefined ? '' : `: at least ${error.limit[0]}`}`
  if (error instanceof UnexpectedPositionalError)
    return `${quoted(error.input)} is one word too many${error.expectedCount === 0 ? ': it takes options alone' : ''}`
  if (error instanceof InvalidNegatedFlagSyntaxError) return `--${error.externalFlagName} takes no value`
  if (error instanceof UnexpectedFlagError) return `--${error.externalFlagName} is there twice`
  return message(error)
}

/** Texts in place of those of the library. `name`: that the program was called by; `debug`: with the stack of a fault. */
export function texts(name: string, debug: boolean): ApplicationText {
  const internal = (error: unknown): string =>
    `an internal error came up: ${message(error)}${debug && error instanceof Error ? `\n${error.stack}` : ''}`
  return {
    ...text_en,
    noCommandRegisteredForInput: ({ input, corrections }) =>
      `there is no verb ${JSON.stringify(input)}${near(corrections) || `; ${name} --help lists them`}`,
    exceptionWhileParsingArguments: sentence,
    exceptionWhileLoadingCommandFunction: internal,
    exceptionWhileLoadingCommandContext: internal,
    exceptionWhileRunningCommand: internal,
  }
}
