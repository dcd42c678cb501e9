/** `npm config set` and its kin: which settings make other commands run something else. */
import { type Arg, exact, prefixOf, showValue, textOf } from '../../core/value.ts'
import type { Doing } from '../doing.ts'
import { cutArg } from '../options.ts'

/** Settings whose value is a program, a place that programs come from, or a file of further settings. */
const HIJACKS =
  /^(?:script-?shell|shell|node-?options|prefix|global-?prefix|cafile|userconfig|globalconfig|git|onload-script|init-module|initmodule|editor|viewer|browser|yarn-?path|plugins|global-bin-dir|globalbindir|pnpmfile|global-pnpmfile|shell-emulator|git-shell|injectenvironmentfiles|node-path|nodepath)$/i

/** Settings of taste: they change no origin and no program. */
const HARMLESS =
  /^(?:save-?(?:exact|prefix|dev)?|default-?semver-?range-?prefix|fund|audit|audit-level|loglevel|color|progress|engine-strict|update-notifier|package-lock|lockfile|legacy-peer-deps|auto-install-peers|strict-peer-dependencies|init[-.](?:author|license|version|type).*|message|tag-version-prefix|sign-git-tag|fetch-.*|network-.*|maxsockets|cache|cache-.*|store-dir|prefer-.*|node-?linker|hoist.*|enable-?telemetry|enable-?global-?cache|enable-?progress-?bars|compression-?level|child-?concurrency|workspace-concurrency|unicode|heading|version-.*|recursive-install|shamefully-hoist|public-hoist-pattern|side-effects-cache.*|link-workspace-packages|resolution-mode|dedupe-.*)$/i

/** One setting that is set. `where` is the tool, for people. */
export function setting(where: string, name: Arg, value: Arg | undefined): readonly Doing[] {
  const key = textOf(name.value)
  if (key !== undefined && HARMLESS.test(key)) return []
  const note = key !== undefined && HIJACKS.test(key) ? 'hijack' : 'setting'
  const what = key?.startsWith('//')
    ? key
    : [name, ...(value ? [value] : [])].map((arg) => showValue(arg.value)).join(' ')
  return [{ do: 'other', act: 'system', service: `${where} config`, what, note }]
}

/** Words of `set`: `key value` or `key=value …`. */
export function settings(where: string, words: readonly Arg[]): readonly Doing[] {
  const [name, value] = words
  if (name === undefined) return []
  if (!prefixOf(name.value).includes('=')) return setting(where, name, value)
  return words.flatMap((arg) => {
    const at = prefixOf(arg.value).indexOf('=')
    return at < 0
      ? setting(where, arg, undefined)
      : setting(where, { ...arg, value: exact(prefixOf(arg.value).slice(0, at)) }, cutArg(arg, at + 1))
  })
}
