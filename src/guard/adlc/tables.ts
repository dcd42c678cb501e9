/** What the published guard lets through by name, as tables: readers, git flags, test commands, routine work, writers. */

/** Published Stage 1: these only read, whatever their flags. */
export const READERS: ReadonlySet<string> = new Set(['cat', 'head', 'tail', 'grep', 'ls', 'wc'])

/** Readers that the published guard asks for. They pass where their effects show nothing but reading. */
export const MORE_READERS: ReadonlySet<string> = new Set(
  (
    'rg ag ack egrep fgrep find fd sort uniq cut tr diff cmp comm stat file jq yq sha256sum sha1sum sha512sum md5sum ' +
    'shasum cksum du df tree pwd echo printf which type whereis basename dirname realpath readlink date whoami id ' +
    'uname hostname nproc true false test [ sed awk nl tac od xxd hexdump strings column fold rev less more ' +
    'eslint prettier tsc biome'
  ).split(' '),
)

/** Runners that start one of `CHECKERS` from the project. */
export const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx'])
export const CHECKERS: ReadonlySet<string> = new Set([
  'eslint',
  'prettier',
  'tsc',
  'biome',
  'markdownlint',
  'stylelint',
])
/** Options that make a checker write. */
export const FIXES = /^(?:--fix|--write|-w|--apply|--init|-o|--output-file|--outDir|--out|--cache)/

/** Flags of git's readers in Stage 1. A word that is no flag is an operand and free. */
export const GIT_READS: ReadonlyMap<string, readonly RegExp[]> = new Map([
  [
    'status',
    [/^(?:-s|--short|-b|--branch|--porcelain(?:=v[12])?|--ignored|-u(?:normal|all|no)?|--untracked-files(?:=.*)?)$/],
  ],
  [
    'diff',
    [
      /^(?:--staged|--cached|--stat|--name-only|--name-status|--color|--no-color|-p|-u|--)$/,
      /^(?:-w|-b|--ignore-all-space|--ignore-space-change|--word-diff|-U\d+|--unified=\d+|--numstat|--shortstat|--summary|--check|--exit-code|--quiet)$/,
    ],
  ],
  [
    'log',
    [
      /^(?:--follow|-n\d*|-N|--max-count=\d+|--oneline|--graph|--stat|--pretty=.*|-p|--)$/,
      /^(?:-\d+|--all|--decorate|--since=.*|--until=.*|--author=.*|--grep=.*|--format=.*|--name-only|--name-status)$/,
    ],
  ],
  ['show', [/^(?:--stat|--name-only|--oneline|--)$/, /^(?:--name-status|--format=.*|--pretty=.*|-s)$/]],
  ['blame', [/^(?:-L.*|-w|-M|-C|-e|--porcelain|--)$/]],
  ['branch', [/^(?:-a|-r|-v|-vv|--list|--all|--remotes|--show-current|--merged|--no-merged|--contains)$/]],
  ['rev-parse', [/^--?[a-z].*$/]],
  ['fetch', [/^(?:--all|--prune|-p|--tags|-q|--quiet|-v|--dry-run)$/]],
  ['remote', [/^-v$/]],
  ['ls-files', [/^-.*$/]],
  ['describe', [/^-.*$/]],
  ['merge-base', [/^-.*$/]],
  ['rev-list', [/^-.*$/]],
  ['shortlog', [/^-[sne]+$/]],
  ['tag', [/^(?:-l|--list)$/]],
  ['clean', [/^(?:-n|-nd|-dn|--dry-run|-d|-x|-ndx|-ndX)$/]],
])

/** Verbs that take no operands here, since an operand would make them write. */
export const NO_OPERANDS: ReadonlySet<string> = new Set(['branch', 'remote', 'tag', 'clean'])

/** Git settings that make a reader run a program of somebody's choice. */
export const GIT_PROGRAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['status', ['core.fsmonitor']],
  ['diff', ['diff.external', 'core.fsmonitor']],
  ['log', ['diff.external']],
  ['show', ['diff.external']],
])

/** Global options of git that take the next word as their value. */
export const GIT_VALUES: ReadonlySet<string> = new Set(
  '-c -C --git-dir --work-tree --namespace --exec-path --super-prefix --config-env'.split(' '),
)

/** Options of `node --test` for workers. */
export const NODE_TEST =
  /^(?:--test-(?:name-pattern|skip-pattern|concurrency|timeout)=.+|--test-only|--test-force-exit|--experimental-test-coverage)$/

/** Words that may stand before a command and change nothing of what it is. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  'builtin command exec time nohup nice ! if then else elif do while until { sudo doas'.split(' '),
)

export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh'])

export type Writer = 'deletes' | 'writes'

const DELETES: ReadonlySet<string> = new Set(['rm', 'mv', 'shred', 'unlink'])
const WRITES: ReadonlySet<string> = new Set(
  'cp tar install ln unzip truncate dd tee chmod chown touch mkdir rsync'.split(' '),
)
const RECURSIVE = /^(?:--recursive|-[A-Za-z]*R[A-Za-z]*)$/

/** Whether a command deletes or writes what it names, by its words (the program's base name first). */
export function writerOf(words: readonly string[]): Writer | undefined {
  const [name, ...rest] = words
  if (name === undefined) return undefined
  if (DELETES.has(name)) return 'deletes'
  if (name === 'find')
    return rest.some((word) => /^-(?:delete|exec|execdir|ok|okdir)$/.test(word)) ? 'deletes' : undefined
  if (/^(?:chmod|chown|chgrp)$/.test(name) && rest.some((word) => RECURSIVE.test(word))) return 'deletes'
  if (name === 'rsync' && rest.some((word) => word.startsWith('--delete'))) return 'deletes'
  if (name === 'git') return /^(?:checkout|restore|rm|mv)$/.test(gitVerb(rest)?.verb ?? '') ? 'deletes' : undefined
  return WRITES.has(name) ? 'writes' : undefined
}

/** The verb of a git command and the words behind it; `plain`: nothing stands between `git` and the verb. */
export function gitVerb(
  words: readonly string[],
): { readonly verb: string; readonly rest: readonly string[]; readonly globals: readonly string[] } | undefined {
  let at = 0
  while (at < words.length && words[at]!.startsWith('-')) at += GIT_VALUES.has(words[at]!) ? 2 : 1
  const verb = words[at]
  return verb === undefined ? undefined : { verb, rest: words.slice(at + 1), globals: words.slice(0, at) }
}

/** A command that runs the project's tests and nothing else (for workers). */
export function isTestCommand(words: readonly string[]): boolean {
  const [program, first, second] = words
  if (program === 'npm') {
    if (first === 'test') return words.length === 2 || second === '--'
    return first === 'run' && words.length === 3 && /^test(?::[\w.:-]+)?$/.test(second!)
  }
  if (program !== 'node' || first !== '--test') return false
  return words.slice(2).every((word) => !word.startsWith('-') || NODE_TEST.test(word))
}

/** `git commit` with nothing but a message and quiet flags; its operands, or undefined where it is something else. */
export function routineCommit(rest: readonly string[]): readonly string[] | undefined {
  const operands: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!
    if (word === '--') return [...operands, ...rest.slice(i + 1)]
    if (word === '--message' || /^-[sqv]*m$/.test(word)) i++
    else if (/^--message=/.test(word) || /^-[sqv]*m./.test(word)) continue
    else if (/^(?:-[sqv]+|--signoff|--quiet|--verbose)$/.test(word)) continue
    else if (word.startsWith('-')) return undefined
    else operands.push(word)
  }
  return operands
}
