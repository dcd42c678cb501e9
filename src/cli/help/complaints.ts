/** What is wrong with a command line, as one sentence that names the way out. */
import {
  type ApplicationText,
  ArgumentScannerError,
  formatMessageForArgumentScannerError,
  text_en,
} from '@stricli/core'

/** Names that are near, as a question; empty where there is none. */
const near = (names: readonly string[]): string =>
  names.length === 0 ? '' : `; did you mean ${names.slice(0, 3).join(' or ')}?`

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function sentence(error: ArgumentScannerError): string {
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) =>
      `there is no option --${input}${near(corrections.map((name) => `--${name}`))}`,
    AliasNotFoundError: ({ input }) => `there is no option -${input}`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: of, input, exception }) =>
      `${JSON.stringify(input)} does not fit ${of}: ${message(exception)}`,
    EnumValidationError: ({ externalFlagName: of, input, values }) =>
      `--${of} takes ${values.join(', ')}, not ${JSON.stringify(input)}`,
    UnsatisfiedFlagError: ({ externalFlagName: of, nextFlagName: next }) =>
      next === undefined ? `--${of} needs a value` : `--${of} needs a value, and --${next} stands in its place`,
    UnsatisfiedPositionalError: ({ placeholder, limit }) =>
      limit === undefined ? `<${placeholder}> is missing` : `<${placeholder}> is missing: at least ${limit[0]}`,
    UnexpectedPositionalError: ({ expectedCount, input }) =>
      `${JSON.stringify(input)} is one word too many${expectedCount === 0 ? ': it takes options alone' : ''}`,
    InvalidNegatedFlagSyntaxError: ({ externalFlagName: of }) => `--${of} takes no value`,
    UnexpectedFlagError: ({ externalFlagName: of }) => `--${of} is there twice`,
  })
}

/** Texts in place of those of the library. `name`: that the program was called by; `debug`: with the stack of a fault. */
export function texts(name: string, debug: boolean): ApplicationText {
  const internal = (error: unknown): string =>
    `an internal error came up: ${message(error)}${debug && error instanceof Error ? `\n${error.stack}` : ''}`
  return {
    ...text_en,
    noCommandRegisteredForInput: ({ input, corrections }) =>
      `there is no verb ${JSON.stringify(input)}${near(corrections) || `; ${name} --help lists them`}`,
    exceptionWhileParsingArguments: (error) =>
      error instanceof ArgumentScannerError ? sentence(error) : message(error),
    exceptionWhileLoadingCommandFunction: internal,
    exceptionWhileLoadingCommandContext: internal,
    exceptionWhileRunningCommand: internal,
  }
}
