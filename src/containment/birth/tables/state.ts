/**
 * Commands that change the shell which reads them, or that only mean something there, as data. A line is run below another
 * shell; what that one does to itself is gone at its end, and what was done before it is not there unless it is inherited.
 * `cd` and `export` are not here: a directory and variables of the environment are inherited, and the gate splits at `cd`.
 * `umask` is inherited as well.
 */

export interface StateRow {
  /** Names, separated by blanks; none of them with a directory. */
  readonly names: string
  /** Only with one of these as the first operand or among the options. */
  readonly only?: string
  /** Only without operands. */
  readonly bare?: true
  /**
   * `text`: holds for what stands in the same text, so that it may be wrapped together with it but not be left in front.
   * `line`: more than the text depends on it, so that no part of the line may be run by another shell.
   */
  readonly keeps: 'text' | 'line'
  /** Stands for a function of the host's shell: even a subshell has it, but no other shell. */
  readonly host?: true
  readonly why: string
}

export const STATE: readonly StateRow[] = [
  { names: 'pushd popd dirs', keeps: 'line', why: 'the stack of directories, and with it the directory itself' },
  { names: 'chdir', keeps: 'line', why: 'the directory, by the name that only some shells know' },
  { names: 'eval', keeps: 'line', why: 'its text may be anything, a change of directory too' },
  { names: 'source .', keeps: 'line', why: 'the file may do anything, and may change the directory' },
  { names: 'exec', keeps: 'line', why: 'the streams of the shell, or the shell itself' },
  { names: 'alias unalias', keeps: 'line', why: 'names of commands, for lines that come later' },
  { names: 'hash enable', keeps: 'line', why: 'which program or builtin a name stands for' },
  { names: 'trap', keeps: 'line', why: 'runs when the shell ends, not when the text does' },
  { names: 'wait jobs fg bg disown suspend', keeps: 'line', why: 'jobs of this shell are no children of another' },
  {
    names: 'history fc bind complete compgen compopt logout',
    keeps: 'line',
    why: 'the shell that a person types into',
  },
  { names: 'setopt unsetopt emulate autoload zmodload zstyle', keeps: 'line', why: 'zsh alone knows them' },
  { names: 'set shopt declare typeset readonly local', bare: true, keeps: 'line', why: 'shows what this shell holds' },
  { names: 'declare typeset readonly', only: '-p -f -F', keeps: 'line', why: 'shows or fixes what this shell holds' },
  { names: 'nvm', keeps: 'line', host: true, why: 'a function that a startup file defines' },
  {
    names: 'conda mamba micromamba',
    only: 'activate deactivate',
    keeps: 'line',
    host: true,
    why: 'a function that a startup file defines',
  },
  {
    names: 'pyenv rbenv mise asdf',
    only: 'shell',
    keeps: 'line',
    host: true,
    why: 'a function that a startup file defines',
  },
  { names: 'set shopt', keeps: 'text', why: 'options and positional parameters are not inherited' },
  { names: 'shift getopts', keeps: 'text', why: 'positional parameters and the place in them' },
  { names: 'declare typeset local readonly integer float', keeps: 'text', why: 'variables and their attributes' },
  { names: 'read mapfile readarray let unset', keeps: 'text', why: 'variables outside of the environment' },
  { names: 'printf', only: '-v', keeps: 'text', why: 'its text goes into a variable' },
  { names: 'ulimit', keeps: 'text', why: 'would bind the capture as well' },
]

/** Files that are sourced and are known to set variables alone: those of Python's virtual environments. */
export const ACTIVATES = /(?:^|\/)(?:bin|Scripts)\/activate$/

/** Variables that a shell does not take from its environment, or that change how our own program starts. */
export const NOT_INHERITED =
  /^(?:IFS|OPTIND|OPTARG|OPTERR|RANDOM|SRANDOM|SECONDS|LINENO|PPID|UID|EUID|SHLVL|SHELL|SHELLOPTS|BASHOPTS|BASH_\w+|ENV|ZDOTDIR|POSIXLY_CORRECT|NODE_\w+|LD_\w+|DYLD_\w+|PS[0-4]|_)$/
