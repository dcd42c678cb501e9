/**
 * Tools of developers that run their arguments: environment managers, secret stores, watchers. Files of variables that
 * they load are `names`: what stands in them reaches the command, not the caller.
 */
import type { Prefix } from './reader.ts'

export const RUNNERS: readonly Prefix[] = [
  {
    names: 'rtk',
    options: '-v --verbose --ultra-compact -u --skip-env',
    maybe: 'proxy err test summary run',
    why: 'an output filter in front of a command',
  },
  { names: 'cross-env', assignments: true, why: 'variables, then a command' },
  { names: 'cross-env-shell', assignments: true, joins: true, why: 'variables, then a shell text' },
  {
    names: 'env-cmd',
    options:
      '-f|--file:names -r|--rc-file:names -e|--environments: -x|--expand-envs -E --fallback --no-override --silent --use-shell --verbose',
    login: '--use-shell',
    why: 'variables from a file',
  },
  {
    names: 'dotenv',
    options: '-f|--file:names -e|--env:names -c? -v|--override: -p -q --quote: -o',
    maybe: 'run',
    dashes: true,
    why: 'dotenv-cli and python-dotenv',
  },
  {
    names: 'dotenvx',
    options:
      '-f|--env-file:names -e|--env: -fk: --overload --quiet -q --verbose -v --debug -d --convention: --strict --ignore: --env-vault-file:',
    verbs: 'run',
    dashes: true,
    why: 'dotenvx run',
  },
  {
    names: 'doppler',
    options:
      '-p|--project: -c|--config: -t|--token: --command: --name-transformer: --mount:write --mount-format: --fallback: --scope: --no-fallback --preserve-env --silent',
    verbs: 'run',
    dashes: true,
    shell: '--command',
    why: 'secrets in the environment of a command',
  },
  {
    names: 'infisical teller',
    options: '--env: --path: --projectId: --token: --command: --domain: --tags: --watch --silent --recursive',
    verbs: 'run',
    dashes: true,
    shell: '--command',
    why: 'secrets in the environment of a command',
  },
  {
    names: 'aws-vault',
    options:
      '-d|--duration: -n|--no-session -r|--region: -t|--mfa-token: -s|--server -e|--ec2-server --ecs-server -j|--json --backend: --prompt: --debug',
    verbs: 'exec',
    before: 'skip',
    dashes: true,
    bare: 'shell',
    why: 'aws-vault exec PROFILE',
  },
  {
    names: 'chamber',
    options: '--pristine --strict --strict-value: -b|--backend: -r|--retries:',
    verbs: 'exec',
    dashes: true,
    why: 'chamber exec SERVICE… --',
  },
  { names: 'envchain', options: '', before: 'skip', info: '-s --set -l --list', why: 'envchain NAMESPACE COMMAND' },
  {
    names: 'sops',
    options: '--user: --background --pristine --same-process --filename: --no-fifo --input-type: --output-type:',
    verbs: 'exec-env exec-file',
    before: 'names',
    joins: true,
    why: 'sops exec-env FILE TEXT',
  },
  { names: 'direnv', verbs: 'exec', before: 'skip', why: 'direnv exec DIR COMMAND' },
  { names: 'asdf rbenv pyenv nodenv jenv goenv plenv phpenv', verbs: 'exec', why: 'version managers: exec' },
  {
    names: 'mise rtx',
    options: '-C|--cd: -c|--command: -j|--jobs: -q|--quiet -v|--verbose -y|--yes --raw --fresh-env -E|--env:',
    verbs: 'exec x',
    dashes: true,
    shell: '-c',
    dir: '-C',
    why: 'mise exec TOOL… -- COMMAND',
  },
  {
    names: 'volta',
    options: '--node: --npm: --pnpm: --yarn: --bundled-npm --no-npm --no-yarn --env:',
    verbs: 'run',
    why: 'volta run',
  },
  { names: 'fnm', options: '--using: --fnm-dir: --log-level:', verbs: 'exec', dashes: true, why: 'fnm exec --using V' },
  { names: 'nvm', options: '--silent --lts', verbs: 'exec', before: 'skip', why: 'nvm exec VERSION COMMAND' },
  {
    names: 'devbox',
    options: '-c|--config: -e|--env: --env-file: --pure -q|--quiet --print-env --list',
    verbs: 'run',
    joins: true,
    info: '--list',
    why: 'devbox run: a script of devbox.json or a shell text',
  },
  {
    names: 'poetry',
    options: '-C|--directory: -P|--project: -q -v -n --no-interaction',
    verbs: 'run',
    dir: '-C',
    why: 'poetry run',
  },
  { names: 'pipenv', options: '--python: --pypi-mirror: --site-packages -q -v', verbs: 'run', why: 'pipenv run' },
  {
    names: 'rye pdm',
    options: '-f|--pyproject: -p|--project: -s|--site-packages -v -q -g|--global --env-file: --list -l',
    verbs: 'run',
    info: '-l --list',
    why: 'rye run, pdm run',
  },
  {
    names: 'hatch',
    options: '-e|--env: -p|--project: -v -q --no-color --data-dir: --config:',
    verbs: 'run',
    why: 'hatch run [ENV:]COMMAND',
  },
  {
    names: 'conda mamba micromamba',
    options: '-n|--name: -p|--prefix: -v --no-capture-output --live-stream --cwd: --dev -r: -a: --root-prefix:',
    verbs: 'run',
    dir: '--cwd',
    why: 'conda run -n ENV',
  },
  { names: 'bundle', options: '--gemfile: --keep-file-descriptors -r: -v -q', verbs: 'exec', why: 'bundle exec' },
  {
    names: 'hyperfine',
    options:
      '-w|--warmup: -m|--min-runs: -M|--max-runs: -r|--runs: -s|--setup: -p|--prepare: -c|--cleanup: -C|--conclude: -S|--shell: -N -i|--ignore-failure? -n|--command-name: -u|--time-unit: --style: --sort: --output: --input:read --reference: --export-json:write --export-csv:write --export-markdown:write --export-asciidoc:write --export-orgmode:write --show-output -D|--parameter-step-size:',
    shell: '-s -p -c -C --reference',
    texts: true,
    why: 'hyperfine(1): each operand is a shell text',
  },
  { names: 'start-server-and-test', texts: true, why: 'operands are shell texts and addresses' },
  { names: 'entr', options: '-a -c -d -n -p -r -s -x -z', login: '-s', why: 'entr(1): with -s a shell text' },
  {
    names: 'reflex modd watchexec',
    options:
      '-e|--exts: -w|--watch: -i|--ignore: -f|--filter: -g|--glob: -G: -r|--restart|--regex: -R: -s|--start-service -d|--delay: -c|--clear -n --shell: -p|--postpone -o|--on-busy-update: --stop-signal: --stop-timeout: -1 -N',
    why: 'watchers run their operands',
  },
  {
    names: 'wait-for-it wait-for-it.sh dockerize',
    options: '-h: -p: -t|--timeout: -s|--strict -q|--quiet -wait: -timeout: -template:',
    dashes: true,
    why: 'wait, then run what follows --',
  },
  {
    names: 'mpirun mpiexec',
    options: '-n|-np: -N: -H|-host: -x: -hostfile:names --hostfile:names -f: -machinefile:names',
    single: true,
    why: 'MPI starters',
  },
  { names: 'railway', verbs: 'run', why: 'variables of a service around a command' },
  {
    names: 'srun',
    options: '-n: -N: -c: -p: -t: -J: -o:write -e:write -A: -w: --mem: --gres: --pty',
    why: 'srun(1): a job step',
  },
]

/** `op run` alone is a prefix; other verbs of `op` show secrets (`tables/system.ts`). */
export const OP_RUN: Prefix = {
  names: 'op',
  options: '--env-file:names --account: --no-masking --session: --config:',
  verbs: 'run',
  dashes: true,
  why: 'secrets of 1Password in the environment of a command',
}
