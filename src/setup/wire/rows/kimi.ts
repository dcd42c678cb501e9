/** How Kimi Code is wired: tables in its TOML settings. It has none of a project. */
import type { WireRow } from '../row.ts'
import { asClaude, SECONDS } from './common.ts'

export const kimi: WireRow = {
  host: 'kimi',
  byExit: true,
  programs: ['kimi'],
  used: ['~/.kimi-code'],
  files: [
    {
      is: 'entries',
      settings: { user: { env: 'KIMI_CODE_HOME', dir: '~/.kimi-code', file: 'config.toml' } },
      reads: 'toml',
      readsMark: false,
      form: {
        is: 'tables',
        at: ['hooks'],
        event: 'event',
        command: 'command',
        timeout: { key: 'timeout', perSecond: 1 },
        checked,
      },
    },
  ],
  // On other events any text on stdout is handed to the model.
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
  ],
  seconds: SECONDS,
  least: '0.33.0',
  off: [],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'not all keys of its file tools are known: a call under another key is judged as an unknown tool',
    'the older kimi-cli (~/.kimi) is another program',
  ],
  payload: asClaude,
}

/** One entry with an unknown key, without its event or command, or with a broken timeout drops every hook of the file. */
function checked({ event, command, timeout, matcher, ...more }: Readonly<Record<string, unknown>>): string | undefined {
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) return `has the unknown key ${unknown}`
  if (typeof event !== 'string' || event === '') return 'names no event'
  if (typeof command !== 'string' || command === '') return 'has no command'
  if (matcher !== undefined && !isPattern(matcher)) return 'has a matcher that is no pattern'
  const whole = timeout === undefined || (Number.isInteger(timeout) && Number(timeout) >= 1 && Number(timeout) <= 600)
  return whole ? undefined : 'has a timeout that is no whole number from 1 to 600'
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value) instanceof RegExp
  } catch {
    return false
  }
}
