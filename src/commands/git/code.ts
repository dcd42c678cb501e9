/** Programs that git starts by itself: configuration values, variables, transports, aliases. */
import { type Arg, exact, showValue, textOf, unknown, type Value } from '../../core/value.ts'
import type { Doing } from '../doing.ts'
import { type GitCall, isNo, isYes, type Setting, word } from './call.ts'

/** Keys whose value is a command that a shell runs. Lower case; `*` stands for a subsection. */
const COMMAND_KEYS: readonly RegExp[] = [
  /^core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy|alternaterefscommand)$/,
  /^pager\..+$/,
  /^sequence\.editor$/,
  /^credential\.(?:.+\.)?helper$/,
  /^diff\.external$/,
  /^diff\..+\.(?:command|textconv)$/,
  /^(?:difftool|mergetool|browser|man|guitool)\..+\.cmd$/,
  /^merge\..+\.driver$/,
  /^filter\..+\.(?:clean|smudge|process)$/,
  /^gpg\.(?:.+\.)?program$/,
  /^gpg\.ssh\.defaultkeycommand$/,
  /^interactive\.difffilter$/,
  /^uploadpack\.packobjectshook$/,
  /^remote\..+\.(?:uploadpack|receivepack)$/,
  /^sendemail\.(?:.+\.)?(?:sendmailcmd|tocmd|cccmd|headercmd)$/,
  /^trailer\..+\.(?:cmd|command)$/,
  /^submodule\..+\.update$/,
  /^tar\..+\.command$/,
  /^imap\.tunnel$/,
]

/** Section and name fold case, the subsection does not; for our tables all of it may. */
export const foldKey = (key: string): string => key.toLowerCase()

const isCommandKey = (key: string): boolean => COMMAND_KEYS.some((pattern) => pattern.test(key))

/**
 * The command that a configuration value makes git run, or undefined where it runs nothing. Helpers of credentials are
 * programs of git by name unless they begin with `!` or a slash; updates of submodules only with `!`.
 */
export function commandOf(key: string, value: Value): Value | undefined {
  const name = foldKey(key)
  const text = textOf(value)
  if (name.startsWith('alias.')) {
    if (text === undefined) return unknown('variable')
    return text.trimStart().startsWith('!') ? exact(text.trimStart().slice(1)) : undefined
  }
  if (!isCommandKey(name)) return undefined
  if (text === undefined) return value
  if (text === '' || (/^pager\.|fsmonitor$/.test(name) && (isYes(text) || isNo(text)))) return undefined
  if (/helper$/.test(name))
    return text.startsWith('!') ? exact(text.slice(1)) : /^[/\\~]/.test(text) ? value : undefined
  if (/^submodule\./.test(name)) return text.startsWith('!') ? exact(text.slice(1)) : undefined
  return value
}

/** Keys that lead git to other code, other remotes or another tree without running anything by themselves. */
const REDIRECTS: readonly RegExp[] = [
  /^include(?:if\..+)?\.path$/,
  /^url\..+\.(?:pushinsteadof|insteadof)$/,
  /^remote\..+\.(?:url|pushurl|push|mirror|vcs)$/,
  /^core\.worktree$/,
  /^init\.templatedir$/,
]

/** A setting that sends what git does elsewhere: a person should know of it. */
export const redirected = ({ key, value }: Setting): readonly Doing[] =>
  REDIRECTS.some((pattern) => pattern.test(foldKey(key)))
    ? [{ do: 'other', act: 'system', service: 'git', what: `${key}=${showValue(value)}`, note: 'setting' }]
    : []

/** What a setting runs: now on a branch, or later where it is written down. */
export function codeOfSetting(setting: Setting, when: 'branch' | 'later'): readonly Doing[] {
  const text = commandOf(setting.key, setting.value)
  return text === undefined ? [] : [{ do: 'code', language: 'sh', text, when, label: setting.key }]
}

/** Variables whose value git runs through a shell. */
const COMMAND_VARIABLES = [
  ...['GIT_SSH_COMMAND', 'GIT_SSH', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR', 'GIT_PAGER', 'GIT_EXTERNAL_DIFF'],
  ...['GIT_ASKPASS', 'SSH_ASKPASS', 'GIT_PROXY_COMMAND', 'EDITOR', 'VISUAL', 'PAGER'],
]

/** `GIT_TRACE` and its family append to a file where their value is an absolute path. */
const TRACE = /^GIT_TRACE/

/** What the assignments before the command make git do. */
export function codeOfVariables(git: GitCall): readonly Doing[] {
  const doings: Doing[] = []
  for (const [name, value] of git.call.env) {
    if (COMMAND_VARIABLES.includes(name)) {
      if (textOf(value) !== '') doings.push({ do: 'code', language: 'sh', text: value, when: 'branch', label: name })
    } else if (TRACE.test(name)) {
      const text = textOf(value)
      if (text === undefined || /^(?:[/\\]|[A-Za-z]:)/.test(text)) {
        doings.push({ do: 'path', act: 'append', at: { value, span: git.call.command.span } })
      }
    } else if (name === 'GIT_EXEC_PATH' || name === 'GIT_TEMPLATE_DIR') {
      doings.push({ do: 'opaque', what: `${name}=${showValue(value)}`, note: 'git-programs' })
    } else if (name === 'GIT_CONFIG_GLOBAL' || name === 'GIT_CONFIG_SYSTEM' || name === 'GIT_CONFIG_PARAMETERS') {
      if (textOf(value) !== '/dev/null') {
        doings.push({ do: 'opaque', what: `${name}=${showValue(value)}`, note: 'git-config' })
      }
    }
  }
  return doings
}

/** `GIT_CONFIG_COUNT` and its keys and values, as settings of this call. */
export function settingsOfVariables(env: ReadonlyMap<string, Value>): readonly Setting[] {
  const settings: Setting[] = []
  for (const [name, value] of env) {
    const index = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1]
    const key = textOf(value)
    if (index !== undefined && key !== undefined)
      settings.push({ key: foldKey(key), value: env.get(`GIT_CONFIG_VALUE_${index}`) ?? unknown('variable') })
  }
  return settings
}

/** What a remote's address runs by itself: `ext::` starts a command. */
export function codeOfUrl(url: Arg | undefined): readonly Doing[] {
  const text = textOf(url?.value)
  if (text === undefined || url === undefined) return []
  if (/^ext::/.test(text)) {
    // `% ` is a blank inside an argument, `%%` a percent sign, `%G` and its like are filled in by git.
    const command = text
      .slice(5)
      .replace(/%([ %sSGV])/g, (_, mark: string) => (mark === ' ' ? '\\ ' : mark === '%' ? '%' : ''))
    return [
      { do: 'other', act: 'run-remote', service: 'git', what: text, note: 'ext-transport' },
      { do: 'code', language: 'sh', text: exact(command), label: 'ext transport' },
    ]
  }
  return []
}

/** A program named by an option that git runs through a shell (`--upload-pack`, `--exec`, `-x`). */
export const codeOfOption = (arg: Arg | undefined, label: string, when?: 'branch'): readonly Doing[] =>
  arg === undefined ? [] : [{ do: 'code', language: 'sh', text: arg.value, label, ...(when ? { when } : {}) }]

/** Words of an alias as git splits them: blanks, both quotes, backslash. Undefined where a quote stays open. */
export function splitAlias(text: string): readonly string[] | undefined {
  const words: string[] = []
  let current: string | undefined
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (quote === '' && /\s/.test(c)) {
      if (current !== undefined) words.push(current)
      current = undefined
    } else if (quote === '' && (c === '"' || c === "'")) {
      quote = c
      current ??= ''
    } else if (c === quote) quote = ''
    else if (c === '\\' && quote !== "'") current = (current ?? '') + (text[++i] ?? '')
    else current = (current ?? '') + c
  }
  if (quote !== '') return undefined
  return current === undefined ? words : [...words, current]
}

/** A shell alias (`!cmd`): git hands the remaining words to it. */
export const shellAlias = (name: string, text: string, args: readonly Arg[], cwd: string | undefined): Doing => ({
  do: 'code',
  language: 'sh',
  text: exact(args.length > 0 ? `${text} "$@"` : text),
  args,
  label: `alias ${name}`,
  ...(cwd === undefined ? {} : { cwd: word(cwd) }),
})
