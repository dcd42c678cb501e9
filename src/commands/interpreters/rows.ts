/** Interpreters that a row describes. */
import type { Interpreter } from './common.ts'

export const PYTHON: Interpreter = {
  names: 'python',
  language: 'python',
  options:
    '-b -B -c: -d -E -h -i -I -m: -O -P -q -s -S -t -u -v -V|--version -W: -x -X: --check-hash-based-pycs: --help --help-env --help-xoptions --help-all',
  code: '-c',
  ends: ['-c', '-m'],
  info: '-h -V --help-env --help-xoptions --help-all',
  why: 'python(1): -c and -m end the options',
}

export const NODE: Interpreter = {
  names: 'node nodejs',
  language: 'javascript',
  options:
    '-e|--eval|-p|--print: -r|--require: --import: --loader|--experimental-loader: -c|--check -i|--interactive -v -h -C|--conditions: --env-file: --env-file-if-exists: --input-type: --inspect? --inspect-brk? --max-old-space-size: --test --test-name-pattern: --test-reporter: --test-reporter-destination:write --test-concurrency: --test-timeout: --test-only --test-shard: --test-skip-pattern: --test-isolation: --watch --watch-path: --run: --title: --stack-trace-limit: --experimental-default-type: --experimental-test-coverage --cpu-prof --cpu-prof-name:write --cpu-prof-dir: --cpu-prof-interval: --heap-prof --heap-prof-name:write --heap-prof-dir: --heap-prof-interval: --diagnostic-dir: --icu-data-dir: --openssl-config: --redirect-warnings:write --report-dir|--report-directory: --report-filename:write --trace-event-categories: --trace-event-file-pattern:write --tls-keylog:append --build-snapshot --snapshot-blob: --experimental-config-file: --localstorage-file:edit --unhandled-rejections: --dns-result-order: --disable-warning: --secure-heap: --tls-cipher-list: --use-openssl-ca --help --version',
  code: '-e',
  loads: '-r --import --loader',
  check: '-c',
  info: '-v -h',
  why: 'node(1)',
}

export const ROWS: readonly Interpreter[] = [
  {
    names: 'ruby jruby truffleruby',
    language: 'ruby',
    options:
      '-0? -a -c -C: -d -e: -E: -F: -h -i? -I: -K: -l -n -p -r: -s -S -T? -v -w -W? -x? -y -U --disable? --enable? --encoding: --yjit --jit --debug --verbose --yydebug --dump: --version --copyright --help --backtrace-limit:',
    code: '-e',
    loads: '-r',
    check: '-c',
    info: '-v -h --copyright',
    filters: '-n -p',
    inPlace: '-i',
    why: 'ruby(1)',
  },
  {
    names: 'php php8 php7 php-cli',
    language: 'php',
    options:
      '-a -B: -c: -C -d: -e -E: -f: -F: -h -H -i -l -m -n -q -r: -R: -s -S: -t: -v -w -z: --ini --rf: --rc: --re: --rz: --ri: --help --version --run: --syntax-check --file:',
    code: '-r -B -R -E --run',
    files: '-f -F --file',
    check: '-l --syntax-check -w -s',
    info: '-i -m -v -h --ini --rf --rc --re --rz --ri -S',
    why: 'php(1): -l only checks the syntax',
  },
  {
    names: 'lua luajit lua5.1 lua5.3 lua5.4 texlua',
    language: 'lua',
    options: '-e: -l: -i -v -E -W -j: -O? -b: -p',
    code: '-e',
    loads: '-l',
    info: '-v',
    why: 'lua(1)',
  },
  {
    names: 'osascript',
    language: 'applescript',
    options: '-e: -l: -i -s:',
    code: '-e',
    why: 'osascript(1) of macOS',
  },
  {
    names: 'tsx ts-node ts-node-esm ts-node-transpile-only babel-node esno vite-node jiti swc-node sucrase-node',
    language: 'javascript',
    options:
      '-e|--eval|-p|--print: -r|--require: --import: --loader: -P|--project|--tsconfig: -T|--transpile-only -F|--files --esm --swc --watch --test --env-file: --dir: --cwd --ignore: -O: -C|--compiler: --no-cache --clear-screen --include: --exclude: -x: -h -v --help --version',
    code: '-e',
    loads: '-r --import --loader',
    info: '-h -v',
    why: 'runners of TypeScript on Node',
  },
]
