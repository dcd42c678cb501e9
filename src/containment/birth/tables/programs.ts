/**
 * What programs print, as data: which of them flood, with what, and what bounds them. A program that stands nowhere here
 * is unknown, and left alone: the gate behind the run sees what it printed.
 *
 * Options are written as they are given; a letter also counts inside a bundle (`-rn`). Verbs are first operands.
 */

export interface Row {
  /** Base names, separated by blanks. */
  readonly names: string
  /** The first operand has to be one of these; a verb of two words is written with a `+` (`compose+logs`). */
  readonly verbs?: string
  /** With one of these options little is printed. */
  readonly unless?: string
  /** … except with one of these. */
  readonly even?: string
  /** Only with one of these options much is printed. */
  readonly only?: string
  /** Options whose value is a count of lines or entries; up to `most` of them are little. */
  readonly count?: string
  readonly most?: number
  /** With one of these the program never ends by itself. `always`: without any. */
  readonly follow?: string
  /** … unless one of these is there. */
  readonly ends?: string
  /** What may flood goes to stderr as well. */
  readonly err?: true
  /** Prints what its operands hold, so that small files print little; without operands it passes stdin on. */
  readonly files?: 'all' | 'after-first'
  /** Options that take a value of their own word, so that it is no operand. */
  readonly values?: string
  readonly why: string
}

/** Lines that `head`, `tail` and `sed -n` may show, and bytes. */
export const MOST_LINES = 400
export const MOST_BYTES = 16_384

const LIST = 100
const COMMITS = 50

export const ROWS: readonly Row[] = [
  {
    names: 'pytest py.test',
    err: true,
    follow: '--looponfail',
    values: '-k -m -n -p -c',
    why: 'a line for each test, a traceback for each failure',
  },
  {
    names: 'jest vitest mocha ava tap jasmine karma',
    err: true,
    follow: '--watch --watchAll -w',
    values: '-t -c --config',
    why: 'a block for each failure',
  },
  { names: 'playwright cypress wdio testcafe nightwatch', err: true, why: 'runs of a browser, with their logs' },
  { names: 'tox nox hatch', err: true, why: 'installs and runs whole test suites' },
  { names: 'rspec minitest phpunit pest behat codecept ctest', err: true, why: 'a block for each failure' },
  { names: 'pre-commit lint-staged husky', err: true, why: 'runs other linters' },
  {
    names: 'make gmake cmake ninja meson scons bazel bazelisk buck2 just task rake',
    err: true,
    values: '-C -f -j',
    why: 'prints every command that it runs, and what they say',
  },
  { names: 'mvn mvnw gradle gradlew ant sbt lein', err: true, why: 'download progress and logs of a build' },
  {
    names: 'cargo',
    verbs: 'build b test t check c clippy run r bench doc install fmt tree metadata update nextest publish fix',
    err: true,
    values: '-p --package --manifest-path',
    why: 'a line for each crate, a block for each diagnostic',
  },
  {
    names: 'go',
    verbs: 'build test vet run list generate get install mod+graph mod+download tool',
    err: true,
    why: 'diagnostics and logs of tests',
  },
  {
    names: 'dotnet swift zig mix stack cabal dune flutter dart',
    verbs: 'build test run restore publish compile pub analyze',
    err: true,
    why: 'logs of a build',
  },
  {
    names: 'gcc g++ cc c++ clang clang++ rustc javac kotlinc scalac ghc nvcc',
    err: true,
    why: 'a block for each diagnostic',
  },
  { names: 'tsc vue-tsc', err: true, follow: '-w --watch', why: 'a line for each error' },
  {
    names: 'eslint biome stylelint prettier oxlint standard xo tslint markdownlint markdownlint-cli2 htmlhint',
    err: true,
    why: 'a line for each finding',
  },
  {
    names: 'ruff mypy pyright flake8 pylint black isort bandit pyre pytype pycodestyle pydocstyle',
    err: true,
    why: 'a line for each finding',
  },
  {
    names:
      'rubocop shellcheck hadolint golangci-lint phpstan psalm phpcs ktlint detekt swiftlint clang-tidy cppcheck semgrep yamllint ansible-lint tflint actionlint',
    err: true,
    why: 'a line for each finding',
  },
  {
    names: 'webpack rollup vite parcel esbuild next nuxt astro turbo nx lerna gulp grunt',
    err: true,
    follow: '--watch -w dev serve start',
    why: 'logs of a build',
  },

  {
    names: 'git',
    verbs: 'log whatchanged reflog',
    count: '-n --max-count',
    most: COMMITS,
    even: '-p -u --patch --stat --raw --name-status --name-only',
    values: '-C -c',
    why: 'the whole history',
  },
  {
    names: 'git',
    verbs: 'diff show diff-tree diff-index range-diff format-patch stash+show',
    unless: '--stat --numstat --shortstat --name-only --name-status --summary --check --quiet -q -s --no-patch',
    even: '-p -u --patch',
    values: '-C -c',
    why: 'patches of any size',
  },
  {
    names: 'git',
    verbs: 'status',
    unless: '-s --short --porcelain',
    values: '-C -c',
    why: 'a line for each changed and untracked file',
  },
  {
    names: 'git',
    verbs:
      'blame annotate shortlog ls-files ls-tree rev-list cat-file fsck grep bisect+run submodule+foreach show-ref for-each-ref',
    unless: '-c --count -q --quiet -s',
    count: '-n --max-count -m',
    most: COMMITS,
    values: '-C',
    why: 'a line for each entry',
  },

  {
    names: 'grep egrep fgrep zgrep bzgrep xzgrep',
    unless: '-c --count -q --quiet --silent',
    count: '-m --max-count',
    most: LIST,
    files: 'after-first',
    values: '-e -f -A -B -C --include --exclude --exclude-dir',
    why: 'a line for each match',
  },
  {
    names: 'rg ag ack ugrep pt',
    unless: '-c --count -q --quiet --count-matches',
    values: '-e -f -g -t -T -A -B -C -m --glob --type',
    why: 'a line for each match, in a whole tree',
  },
  {
    names: 'fd fdfind locate mlocate',
    unless: '-q --quiet -1',
    count: '--max-results -n -l',
    most: LIST,
    why: 'a line for each file of a tree',
  },
  { names: 'tree eza exa lsd broot', unless: '--version', why: 'a line for each file of a tree' },
  { names: 'ls dir', only: '-R --recursive', why: 'a line for each file of a tree' },
  {
    names: 'du',
    unless: '-s --summarize',
    count: '-d --max-depth',
    most: 0,
    why: 'a line for each directory of a tree',
  },
  {
    names: 'cat tac nl zcat bzcat xzcat zstdcat bat batcat rev fold fmt pr expand unexpand',
    files: 'all',
    why: 'whole files',
  },
  {
    names: 'sort uniq cut paste column iconv',
    unless: '-o --output',
    files: 'all',
    values: '-k -t -f -d -s -S -c -T',
    why: 'whole files',
  },
  { names: 'strings xxd hexdump od hd base64 base32', files: 'all', why: 'whole files, and more than they hold' },
  { names: 'diff sdiff colordiff delta comm', unless: '-q --brief', why: 'every line that differs' },
  { names: 'jq yq xmllint xq dasel gron mlr csvlook', files: 'after-first', why: 'whole documents' },
  { names: 'objdump readelf nm ldd otool dumpbin', why: 'a line for each symbol or instruction' },
  { names: 'seq yes jot shuf', why: 'as many lines as it is told' },

  {
    names: 'journalctl',
    unless: '--list-boots --disk-usage',
    count: '-n --lines',
    most: LIST,
    follow: '-f --follow',
    values: '-u -t -p',
    why: 'the whole journal',
  },
  { names: 'dmesg', follow: '-w -W --follow --follow-new', why: 'the whole kernel log' },
  {
    names: 'docker podman nerdctl',
    verbs: 'logs compose+logs service+logs',
    count: '-n --tail',
    most: LIST,
    follow: '-f --follow',
    why: 'the whole log of a container',
  },
  {
    names: 'docker podman nerdctl',
    verbs: 'stats events',
    follow: 'always',
    ends: '--no-stream --until',
    why: 'goes on until it is stopped',
  },
  {
    names: 'docker podman nerdctl',
    verbs: 'compose+up',
    err: true,
    follow: 'always',
    ends: '-d --detach',
    why: 'logs of all containers until they are stopped',
  },
  {
    names: 'docker podman nerdctl buildah',
    verbs:
      'build bud buildx pull push run exec inspect history search compose+build compose+pull compose+run compose+exec compose+config image+ls images',
    err: true,
    why: 'progress, or what runs inside prints',
  },
  {
    names: 'docker-compose podman-compose',
    err: true,
    follow: '-f --follow',
    ends: '-d',
    why: 'logs of all containers',
  },
  {
    names: 'kubectl oc',
    verbs: 'logs',
    count: '--tail',
    most: LIST,
    follow: '-f --follow',
    values: '-n -c --namespace',
    why: 'the whole log of a pod',
  },
  {
    names: 'kubectl oc',
    verbs: 'get',
    follow: '-w --watch --watch-only',
    values: '-n --namespace -l',
    why: 'a row for each object, or whole documents',
  },
  {
    names: 'kubectl oc',
    verbs: 'describe events top explain api-resources diff exec apply kustomize',
    values: '-n --namespace -l -f',
    err: true,
    why: 'whole documents',
  },
  { names: 'heroku', verbs: 'logs', follow: '-t --tail', why: 'the log of an application' },
  { names: 'stern kubetail', follow: 'always', ends: '--no-follow', why: 'goes on until it is stopped' },
  { names: 'helm helmfile kustomize', err: true, why: 'rendered documents' },
  {
    names: 'terraform tofu terragrunt pulumi cdk sam serverless ansible ansible-playbook vagrant packer',
    err: true,
    why: 'a block for each resource',
  },
  { names: 'aws gcloud az doctl ibmcloud oci', unless: '--generate-cli-skeleton', why: 'whole documents of a service' },
  { names: 'tail', follow: '-f -F --follow --retry', why: 'goes on until it is stopped' },
  { names: 'ping ping6 tcpdump', follow: 'always', ends: '-c -V', why: 'goes on until it is stopped' },
  {
    names: 'inotifywait fswatch entr watchexec nodemon chokidar',
    follow: 'always',
    why: 'goes on until it is stopped',
  },

  {
    names: 'curl',
    unless: '-o --output -O --remote-name -I --head -J',
    even: '-v --verbose --trace',
    values: '-H -d -X -u -w --data --header',
    why: 'the whole body of an answer',
  },
  { names: 'wget', unless: '-q --quiet -nv --no-verbose', even: '-O- -O', err: true, why: 'progress, or a whole body' },
  { names: 'http https xh httpie', unless: '-d --download -o --output', why: 'the whole body of an answer' },

  {
    names: 'npm pnpm yarn bun',
    verbs: 'run+dev run+watch run+serve dev watch serve',
    follow: 'always',
    why: 'goes on until it is stopped',
  },
  {
    names: 'npm pnpm yarn bun',
    verbs:
      'install i ci add remove update upgrade test t tst run run-script exec x dlx audit ls list ll outdated build pack publish dedupe prune why view info rebuild link start',
    err: true,
    why: 'progress of an installation, or what a script prints',
  },
  { names: 'yarn', verbs: '', err: true, why: 'progress of an installation' },
  { names: 'npx pnpx bunx', err: true, why: 'an installation, and what runs then' },
  {
    names: 'pip pip3 pipx uv poetry pipenv pdm rye conda mamba micromamba',
    verbs:
      'install sync lock add remove update upgrade download wheel list freeze show search build publish tree run pip+install pip+list pip+freeze create env',
    err: true,
    why: 'progress of an installation',
  },
  {
    names: 'gem bundle bundler composer pod nuget luarocks cpan cpanm opam',
    err: true,
    why: 'progress of an installation',
  },
  {
    names: 'apt apt-get aptitude yum dnf zypper pacman apk brew port snap flatpak',
    unless: '-qq',
    err: true,
    why: 'progress of an installation',
  },
  { names: 'dpkg rpm', only: '-l -L -qa -a --list -ql', why: 'a line for each package or file' },

  {
    names: 'python python2 python3 node ruby perl deno php lua Rscript julia groovy scala elixir ts-node tsx bun',
    err: true,
    why: 'a program that prints what it likes',
  },
  { names: 'bash sh zsh dash ksh fish', err: true, why: 'a script that prints what it likes' },
  { names: 'java', err: true, why: 'a program that prints what it likes' },
  { names: 'psql mysql mariadb sqlite3 duckdb mongosh clickhouse-client redis-cli', why: 'whole tables' },

  { names: 'ps lsof netstat ss', why: 'a line for each process, file or connection' },
  { names: 'strace ltrace perf', err: true, why: 'a line for each call' },
  {
    names: 'systemctl',
    verbs: 'list-units list-unit-files list-timers list-dependencies show',
    why: 'a line for each unit',
  },
  {
    names: 'ffmpeg ffprobe convert magick pandoc latexmk pdflatex xelatex lualatex',
    err: true,
    why: 'progress and logs',
  },
  { names: 'rsync', only: '-v -P --verbose --progress -i', why: 'a line for each file' },
  { names: 'tar bsdtar', only: '-t -v --list --verbose', why: 'a line for each file of an archive' },
  { names: 'unzip zip 7z', unless: '-q -qq', why: 'a line for each file of an archive' },
  { names: 'openssl gpg', only: '-text -v --list-keys --list-packets', why: 'whole certificates' },
  { names: 'man info apropos', why: 'a whole manual' },

  { names: 'gh', verbs: 'run+watch', follow: 'always', why: 'goes on until the run ends' },
  {
    names: 'gh',
    verbs: 'pr+diff pr+view pr+checks issue+view run+view release+view api',
    unless: '-X --method -f -F --field --raw-field --input -q --jq',
    values: '-R --repo',
    why: 'whole texts, patches and logs',
  },
  {
    names: 'glab',
    verbs: 'mr+list mr+view mr+diff issue+list issue+view ci+status ci+view',
    why: 'whole texts and patches',
  },
  { names: 'gt', verbs: 'log status', why: 'a stack of branches' },
]
