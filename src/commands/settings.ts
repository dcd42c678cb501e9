/**
 * Programs that print settings for the shell that calls them, for `eval "$(…)"`: what they print is theirs, set-up of a
 * tool that is installed, and not text that came from somewhere.
 */
import { textOf } from '../core/value.ts'
import type { Invocation, Reader } from './doing.ts'
import { lists } from './list.ts'
import { says } from './parts.ts'

interface Settings {
  readonly names: string
  /** The words that make it print settings, joined by blanks. */
  readonly when: RegExp
  readonly why: string
}

const ROWS: readonly Settings[] = [
  {
    names: 'pyenv rbenv nodenv goenv jenv plenv phpenv luaenv tfenv swiftenv exenv',
    when: /^(?:init|virtualenv-init|sh-shell)\b/,
    why: 'version managers of the rbenv family: init prints PATH and a function',
  },
  { names: 'fnm', when: /^env\b/, why: 'fnm env: PATH and FNM_ variables' },
  { names: 'mise rtx', when: /^(?:activate|hook-env|env)\b/, why: 'mise activate: PATH and a hook' },
  { names: 'direnv', when: /^(?:hook|export)\b/, why: 'runs .envrc only where a person allowed it' },
  { names: 'brew', when: /^shellenv\b/, why: 'PATH and HOMEBREW_ variables' },
  { names: 'conda mamba micromamba', when: /^shell\S*(?: |$)/, why: 'conda shell.bash hook: a function' },
  { names: 'opam', when: /^env\b/, why: 'PATH and OCaml variables' },
  { names: 'luarocks', when: /^path\b/, why: 'LUA_PATH and PATH' },
  { names: 'ssh-agent', when: /^(?:-[csk]|-t \S+|-a \S+)?(?: -[cs])?$/, why: 'SSH_AUTH_SOCK and SSH_AGENT_PID' },
  { names: 'gpg-agent', when: /^--daemon\b/, why: 'GPG_AGENT_INFO' },
  { names: 'keychain', when: /^/, why: 'what ssh-agent prints' },
  { names: 'dircolors', when: /^/, why: 'LS_COLORS' },
  { names: 'lesspipe lesspipe.sh', when: /^$/, why: 'LESSOPEN' },
  { names: 'resize tset', when: /^/, why: 'size and kind of the terminal' },
  { names: 'minikube', when: /^(?:-p \S+ )?docker-env\b/, why: 'DOCKER_ variables of a local cluster' },
  { names: 'docker-machine', when: /^env\b/, why: 'DOCKER_ variables' },
  { names: 'starship zoxide atuin mcfly thefuck navi', when: /^(?:init|--alias|widget)\b/, why: 'prompt and history' },
  { names: 'fzf', when: /^--(?:bash|zsh|fish)$/, why: 'key bindings' },
  { names: 'register-python-argcomplete', when: /^/, why: 'completion' },
  { names: 'hub', when: /^alias\b/, why: 'an alias of git' },
  {
    names: 'kubectl helm docker gh glab npm pnpm pip uv uvx rustup deno bun just task ng poetry cargo terraform argocd',
    when: /^(?:completion|completions|generate-shell-completion|--completions?)\b/,
    why: 'completion',
  },
]

const rowOf = (name: string): Settings | undefined => ROWS.find((row) => lists(row.names, name))

/** What stands for the settings: a command that does nothing, so that nobody takes them for an unknown text. */
const TEXT = ': settings\n'

/** Whether a program prints settings in some of its forms. */
export const hasSettings = (name: string): boolean => rowOf(name) !== undefined

/** Whether a call prints settings for the shell. */
export function printsSettings(call: Invocation): boolean {
  const words = call.args.map((arg) => textOf(arg.value) ?? '?')
  return rowOf(call.base)?.when.test(words.join(' ')) === true
}

/** The reader of a program with this knowledge added; undefined for `reader` where nothing else is known of it. */
export const withSettings = (reader: Reader | undefined): Reader =>
  function* (call) {
    if (printsSettings(call)) return [says(TEXT)]
    return reader ? yield* reader(call) : []
  }
