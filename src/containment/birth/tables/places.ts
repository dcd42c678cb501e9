/** Programs by the place that they take: at a terminal, between pipes, at the end of one. */

/** Programs for a person at a terminal. With one of the listed options or, where `operand` is set, an operand they are not. */
export const INTERACTIVE: readonly {
  readonly names: string
  readonly not?: string
  readonly operand?: true
  readonly why: string
}[] = [
  { names: 'vi vim nvim view vimdiff nano pico emacs micro helix hx ed joe mcedit', why: 'an editor' },
  { names: 'less more most', why: 'a pager' },
  { names: 'top htop btop atop glances nvtop iotop iftop nload', not: '-b -n', why: 'a screen that changes' },
  { names: 'watch', why: 'a screen that changes' },
  { names: 'ssh mosh telnet ftp sftp', why: 'another machine, or a session there' },
  { names: 'screen tmux zellij byobu', why: 'a session' },
  { names: 'fzf sk dialog whiptail gum peco', why: 'asks a person' },
  { names: 'passwd su login chsh visudo', why: 'asks for a password' },
  {
    names: 'python python2 python3 node ruby deno php lua julia Rscript scala',
    operand: true,
    not: '-c -e -m -r -p --eval --print --test --version -V -v --help -h',
    why: 'a prompt for code',
  },
  { names: 'perl', operand: true, not: '-e -E -n -p -v --version', why: 'code from the keyboard' },
  { names: 'ipython irb pry ghci iex gdb lldb pdb', why: 'a prompt for code' },
  { names: 'bash sh zsh dash ksh fish', operand: true, not: '-c --version --help', why: 'a prompt for commands' },
  {
    names: 'psql mysql mariadb mongosh clickhouse-client',
    not: '-c -e -f -l --command --execute --file --eval --query -q',
    why: 'a prompt for queries',
  },
  { names: 'redis-cli', operand: true, not: '--version', why: 'a prompt for queries' },
]

/** Options with which these start something that a person types into. */
export const TERMINAL: readonly { readonly names: string; readonly verbs: string; readonly options: string }[] = [
  {
    names: 'docker podman nerdctl docker-compose kubectl oc',
    verbs: 'run exec attach compose+run compose+exec',
    options: '-it -ti -i -t --interactive --tty',
  },
  { names: 'git', verbs: 'rebase add commit checkout stash reset', options: '-i --interactive -p --patch' },
]

/** Filters: what they print is what they are given, or less; alone, or on files, they print whole files. */
export const FILTERS =
  'sort uniq cut tr awk gawk mawk sed perl column paste tee nl rev fold fmt iconv grep egrep fgrep rg ag cat jq yq tac pr expand unexpand ' +
  'strip-ansi ansifilter less more bat xxd od base64 sponge ts pv head tail'

/** Readers at the end of a pipe that print a few lines whatever they are given. */
export const SINKS =
  'wc md5sum sha1sum sha256sum sha512sum shasum cksum b2sum sum patch pbcopy xclip xsel wl-copy clip cmp true false test [ read mapfile readarray ' +
  'gzip bzip2 xz zstd openssl at crontab mail sendmail logger dd split csplit'
