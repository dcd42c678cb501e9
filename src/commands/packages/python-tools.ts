/** Development tools of Python and of other languages that rows can tell. */
import type { Row } from '../row.ts'

export const PYTHON_TOOLS: readonly Row[] = [
  {
    names: 'pytest py.test',
    options:
      '-k: -m: -p: -c: -o: -n: --maxfail: --tb: --cov: --cov-report: --junitxml|--junit-xml:write --log-file:write --basetemp: --rootdir: --ignore: --deselect: --durations: -q -v -x -s -W: --lf --ff --cov-config: --timeout: --html:write --json-report-file:write',
    why: 'runs the tests of the project',
  },
  {
    names: 'tox nox',
    options: '-e|-s: -c: -f: -p: -r -q -v --workdir:',
    why: 'runs the tests of the project in environments',
  },
  {
    names: 'mypy pyright basedpyright pyre pytype ty',
    options:
      '--config-file: -p|--package: -m|--module: --python-version: --cache-dir: --junit-xml:write --html-report: --txt-report:',
    why: 'type checkers',
  },
  {
    names:
      'flake8 pylint pycodestyle pydocstyle bandit vulture radon xenon pyflakes prospector semgrep pip-audit safety deptry codespell ruff-lsp pyroma check-manifest interrogate',
    options: '-o|--output|--output-file:write -f|--format: -r|--rcfile: --config: -c: --exclude: --select: --ignore:',
    why: 'reports on the code of the project',
  },
  {
    names: 'pip-compile pip-sync',
    options: '-o|--output-file:edit -c: -r: --extra: --index-url: --dry-run',
    operands: 'read…',
    why: 'pip-tools: versions of a requirements file',
  },
  {
    names: 'virtualenv',
    options: '-p|--python: --prompt: --clear --system-site-packages',
    operands: 'create…',
    why: 'a new environment',
  },
  {
    names: 'pre-commit',
    options: '-c|--config: --hook-stage: --files:edit --color: -t|--hook-type: -a|--all-files -v',
    why: 'runs the checks of the project',
  },
  {
    names: 'sphinx-build sphinx-quickstart sphinx-apidoc mkdocs pdoc pdoc3 pelican',
    options: '-b: -d: -o: -c: -f|--config-file: -E -a -q -W',
    why: 'documentation into the output folder',
  },
  {
    names: 'cookiecutter copier cruft',
    options: '-o|--output-dir: -c|--checkout: -f|--overwrite-if-exists',
    why: 'a new project from a template',
  },
  {
    names: 'jupyter jupyter-lab jupyter-notebook nbstripout papermill jupytext',
    options: '--to: --output: --config: --port:',
    why: 'notebooks',
  },
  {
    names:
      'uvicorn gunicorn hypercorn daphne waitress-serve flask fastapi celery streamlit gradio chainlit rq huey dramatiq',
    options: '--host: --port: -b|--bind: -w|--workers: -k: -A|--app: -c|--config:',
    why: 'servers of the project',
  },
  {
    names: 'locust hypothesis mutmut cosmic-ray schemathesis asv',
    options: '-f: -H: -u: -r:',
    why: 'tests of the project',
  },
]

export const BUILD_TOOLS: readonly Row[] = [
  {
    names:
      'ant gulp grunt jake cake mage bazel bazelisk buck buck2 pants please scons waf meson ninja samu tup redo xmake premake5 gn cmake3 ctest cpack autoconf automake autoreconf aclocal libtoolize',
    options: '-f: -C: -j: -D: -B: -k:',
    why: 'build tools: what they run is written in their own languages',
  },
  {
    names:
      'gcc g++ cc c++ clang clang++ tcc icc rustc ghc-pkg dmd ldc2 nim zig fpc gfortran nasm yasm as ld ld.lld lld gold mold ocamlopt ocamlc',
    options: '-o:write -I: -L: -l: -D: -U: -x: -c -E -S -g -O? -W? -f? -m? -std: -include:read -MF:write -MT: -d:',
    single: true,
    why: 'compilers read sources and write where -o says',
  },
  {
    names: 'javac kotlinc scalac',
    options:
      '-d:into -s:into -h:into -cp|-classpath|--class-path: -sourcepath: -source: -target: -encoding: -processor: -p: --release:',
    operands: 'read…',
    single: true,
    why: 'compilers of the JVM write below the directory that -d says',
  },
  {
    names: 'indent gindent',
    options: '-o:write -st -v -kr -gnu -orig -linux',
    operands: 'edit…',
    when: [{ flags: '-o -st', operands: 'read…' }],
    single: true,
    why: 'indent(1) writes over its files unless -o or -st is given',
  },
  {
    names: 'astyle',
    options:
      '--style: -n|--suffix? -r|-R|--recursive --dry-run --stdin:read --stdout:write --options? --project? -q -v -A? -s? -t? -p -xg',
    operands: 'edit…',
    when: [{ flags: '--dry-run --stdin', operands: 'read…' }],
    tree: '-r',
    why: 'formats its files in place and keeps the old ones under another name',
  },
  {
    names: 'uncrustify',
    options:
      '-c|--config:read -f|--file:read -o|--output:write -F:read -l: --prefix:into --suffix: --replace --no-backup --check -q',
    operands: 'read…',
    when: [{ flags: '--replace --no-backup', operands: 'edit…' }],
    single: true,
    why: 'formats in place with --replace or --no-backup',
  },
  {
    names:
      'golangci-lint staticcheck govulncheck errcheck shellcheck hadolint actionlint yamllint jsonlint taplo tflint checkov trivy grype syft gitleaks trufflehog clang-tidy cppcheck cpplint rubocop-daemon phpstan psalm phpcs phpmd ktlint detekt checkstyle pmd spotbugs swiftlint credo dialyzer hlint',
    options: '-c|--config: -f|--format: -o|--output:write -p: -e: -s: -x',
    why: 'reports on the code of the project',
  },
  {
    names: 'rspec cucumber minitest phpunit pest behat phpspec paratest ctest3 busted',
    options: '-e: -t: -f: -o|--out:write --log-junit:write -c: --filter:',
    why: 'runs the tests of the project',
  },
  { names: 'thrift capnp', options: '-I: -o:into -out:into', single: true, why: 'generate code into a directory' },
  { names: 'flatc', options: '-I: -o:into --filename-suffix: --filename-ext:', why: 'generates code into a directory' },
  {
    names: 'puma thin unicorn webrick guard foreman overmind hivemind sidekiq',
    options: '-C: -p: -e: -b: -f:',
    why: 'servers of the project',
  },
]
