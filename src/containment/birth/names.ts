/**
 * Whether a line may flood, told by the words in it: most lines hold none of these, and the tables that know better are not
 * loaded for them. Names of programs, and verbs of git, whose name stands in every other line.
 */
import { lists } from '../../commands/list.ts'

/** All names of the tables; a test holds the two together. */
export const NAMES =
  '7z Rscript ack actionlint ag annotate ansible ansible-lint ansible-playbook ant apk apropos apt apt-get ' +
  'aptitude astro ava awk aws az bandit base32 base64 bash bat batcat bazel bazelisk behat biome black blame ' +
  'brew broot bsdtar buck2 buildah bun bundle bundler bunx bzcat bzgrep c++ cabal cargo cat cat-file cc cdk ' +
  'chokidar clang clang++ clang-tidy clickhouse-client cmake codecept colordiff column comm composer conda ' +
  'convert cpan cpanm cppcheck csvlook ctest curl cut cypress dart dasel dash delta deno detekt diff ' +
  'diff-index diff-tree dmesg dnf docker docker-compose doctl dotnet dpkg du duckdb dumpbin dune egrep ' +
  'elixir entr esbuild eslint exa expand eza fd fdfind ffmpeg ffprobe fgrep find fish flake8 flatpak flutter ' +
  'fmt fold for-each-ref foreach format-patch fsck fswatch g++ gawk gcc gcloud gem gfind gh ghc ghead glab ' +
  'gmake go golangci-lint gpg gradle gradlew grep gron groovy grunt gsed gt gtail gulp hadolint hatch hd ' +
  'head helm helmfile heroku hexdump htmlhint http httpie https husky ibmcloud iconv info inotifywait isort ' +
  'jasmine java javac jest jot journalctl jq julia just karma kotlinc ksh ktlint kubectl kubetail kustomize ' +
  'latexmk ldd lein lerna lint-staged locate log ls-files ls-tree lsd lsof ltrace lua lualatex luarocks ' +
  'magick make mamba man mariadb markdownlint markdownlint-cli2 mawk meson micromamba minitest mix mlocate ' +
  'mlr mocha mongosh mvn mvnw mypy mysql nerdctl netstat next nightwatch ninja nl nm node nodemon nox npm ' +
  'npx nuget nuxt nvcc nx objdump oc oci od opam openssl otool oxlint packer pacman pandoc parcel paste ' +
  'pdflatex pdm perf perl pest php phpcs phpstan phpunit ping ping6 pip pip3 pipenv pipx playwright pnpm ' +
  'pnpx pod podman podman-compose poetry port pr pre-commit prettier ps psalm psql pt pulumi py.test ' +
  'pycodestyle pydocstyle pylint pyre pyright pytest python python2 python3 pytype rake range-diff readelf ' +
  'redis-cli reflog rev rev-list rg rollup rpm rspec rsync rubocop ruby ruff run rustc rye sam sbt scala ' +
  'scalac scons sdiff sed semgrep seq serverless sh shellcheck shortlog show show-ref shuf snap sort sqlite3 ' +
  'ss stack standard status stern strace strings stylelint swift swiftlint systemctl tac tail tap tar task ' +
  'tcpdump terraform terragrunt testcafe tflint tofu tox tree ts-node tsc tslint tsx turbo ugrep unexpand ' +
  'uniq unzip uv vagrant vite vitest vue-tsc watchexec wdio webpack wget whatchanged xargs xelatex xh ' +
  'xmllint xo xq xxd xzcat xzgrep yamllint yarn yes yq yum zcat zgrep zig zip zsh zstdcat zypper'

const RECURSIVE = /(?:^|\s)(?:-[A-Za-z]*R|--recursive\b)/
const VERSION = /(?<=[a-z+])-?\d+(?:\.\d+)*$/

const endsInDigit = (word: string): boolean => {
  const last = word.at(-1)!
  return last >= '0' && last <= '9'
}

/** False: nothing in the line is known to flood, however it is written. A version behind a name is not part of it. */
export function mayFlood(line: string): boolean {
  if ((line.includes('R') || line.includes('--recursive')) && RECURSIVE.test(line)) return true
  for (const word of line.match(/[\w.+-]+/g) ?? [])
    if (lists(NAMES, word) || (endsInDigit(word) && lists(NAMES, word.replace(VERSION, '')))) return true
  return false
}
