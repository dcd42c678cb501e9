/** Filters that leave names of settings and drop their values: `cut -d= -f1 .env`, `env | grep NODE_ENV`. */
import { textOf } from '../core/value.ts'
import type { Content, Doing, Invocation } from './doing.ts'

/** Note of a read that shows the names in a file of settings, not their values. */
export const SETTING_NAMES = 'setting-names'

/** Words of one call, by program, that show what stands before the first `=` of each line. */
const CALLS: Readonly<Record<string, RegExp>> = {
  cut: /^(?:-s )?(?:-d ?= -f ?1|-f ?1 -d ?=|-sd= -f1)(?: -s)?(?: |$)/,
  sed: /^(?:-[Er] )?(?:-e )?s([/|,#])=\.\*\$?\1=?[*.x<>A-Z]{0,12}\1g?(?: |$)/,
  awk: /^(?:-F ?= \{ ?print ?\$1;? ?\}|-F ?= ?\/=\/ ?\{ ?print ?\$1 ?\})(?: |$)/,
  grep: /^(?:-[Ehn]*o[Ehn]*|-E -o|-o -E) \^\[[A-Za-z0-9_-]+\][*+]=?(?: |$)/,
}

const baseOf = (base: string): string => base.replace(/^g(?=cut|sed|awk|grep)|^[mn](?=awk)|^e(?=grep)/, '')

/** Whether a call shows names of settings only. */
export const showsSettingNames = (call: Invocation): boolean =>
  Object.keys(CALLS).some((base) => call.base.endsWith(base)) &&
  CALLS[baseOf(call.base)]?.test(call.args.map((arg) => textOf(arg.value) ?? '\0').join(' ')) === true

/** Marks reads of a call that shows names of settings only, and takes the environment's taint from what it says. */
export function settingNames(call: Invocation, doings: readonly Doing[]): readonly Doing[] {
  if (!showsSettingNames(call)) return doings
  return doings.map((doing): Doing => {
    if (doing.do === 'path' && doing.act === 'read') return { ...doing, note: SETTING_NAMES }
    return doing.do === 'out' ? { ...doing, content: withoutEnvironment(doing.content) } : doing
  })
}

export const withoutEnvironment = (content: Content): Content => ({
  ...content,
  taints: content.taints.filter((taint) => taint !== 'environment'),
})

/** First words of variables that hold versions, places and switches. */
const PLAIN =
  /^(?:bash|zsh|node|nvm|npm_config|pnpm_home|bun|deno|python|pyenv|virtual_env|venv|conda|path|home|java|jdk|maven|gradle|android|go|gopath|goroot|goproxy|rust|rustup|ruby|gem|rbenv|php|perl|ci|lang|locale|lc|term|shell|editor|visual|pager|display|wayland|xdg|http_proxy|https_proxy|no_proxy|debug|port|color|force_color|tmp|tmpdir|temp|test|vite|cuda|ld|pkg_config|cmake|cc|cxx|cflags|ldflags|make|pwd|oldpwd|shlvl|tz|ssh_auth_sock|wsl|os|arch)(?:_[a-z_]*)?$/
const TELLING = /key|token|secret|pass|cred|auth|pwd=|private/

/** Whether a pattern for lines of the environment can only show variables that tell nothing secret. */
export function isPlainFilter(pattern: string): boolean {
  const words = pattern
    .toLowerCase()
    .replace(/^\^?\(?(.*?)\)?=?\$?$/s, '$1')
    .split(/\\?\|/)
    .map((word) => word.replace(/^\^/, '').replace(/[=_]$/, ''))
  return words.every((word) => PLAIN.test(word) && (!TELLING.test(word) || word === 'ssh_auth_sock'))
}
