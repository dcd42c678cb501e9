/** Words for a shell. */

/** Words that mean something else where a command begins. */
const RESERVED =
  /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|select|time|coproc|\w+=.*|\w+\+=.*)$/s

/** An argv as a line that a shell reads the same way. */
export const lineOf = (argv: readonly string[]): string =>
  argv.map((word, at) => (at === 0 && RESERVED.test(word) ? single(word) : quoted(word))).join(' ')

/** A word as a shell reads it whole. */
export const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : single(word))

const single = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
