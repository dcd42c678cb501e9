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
    names: 'ruff',
    options:
      '--config: --select: --ignore: --output-file|-o:write --output-format: --cache-dir: --target-version: --fix --fix-only --unsafe-fixes --check --diff --exclude: --line-length: --watch',
    operands: 'skip',
    when: [{ flags: '--fix --fix-only', operands: 'skip edit/…' }],
    why: 'ruff check --fix edits',
  },
  {
    names: 'black blue isort yapf autopep8 autoflake pyupgrade docformatter unify',
    options:
      '-l|--line-length: -t|--target-version: --config: --include: --exclude: --profile: --settings-path|--sp: --style: --check --check-only --diff -q -v -i|--in-place -r|--recursive --stdin-filename: -c|--code:',
    operands: 'edit/…',
    when: [{ flags: '--check --check-only --diff', operands: '' }],
    why: 'formatters edit what they are given',
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
      'gcc g++ cc c++ clang clang++ tcc icc rustc javac kotlinc scalac ghc-pkg dmd ldc2 nim zig fpc gfortran nasm yasm as ld ld.lld lld gold mold ocamlopt ocamlc',
    options: '-o:write -I: -L: -l: -D: -U: -x: -c -E -S -g -O? -W? -f? -m? -std: -include:read -MF:write -MT: -d:',
    single: true,
    why: 'compilers read sources and write where -o says',
  },
  {
    names: 'gofmt goimports gofumpt golines',
    options: '-w -l -d -s -e -r: -local: -cpuprofile:',
    operands: '',
    when: [{ flags: '-w', operands: 'edit/…' }],
    why: 'gofmt -w edits',
  },
  {
    names: 'rustfmt',
    options: '--check --edition: --config: --config-path: -l -v',
    operands: 'edit…',
    when: [{ flags: '--check', operands: 'read…' }],
    why: 'rustfmt edits',
  },
  {
    names: 'clang-format',
    options: '-i --style: -n --dry-run --files: --assume-filename: --Werror',
    single: true,
    operands: 'read…',
    when: [{ flags: '-i', operands: 'edit…' }],
    why: 'clang-format -i edits',
  },
  {
    names: 'shfmt',
    options: '-w -l -d -i: -ln: -ci -bn -sr -s -filename:',
    single: true,
    operands: '',
    when: [{ flags: '-w', operands: 'edit/…' }],
    why: 'shfmt -w edits',
  },
  {
    names:
      'golangci-lint staticcheck govulncheck errcheck shellcheck hadolint actionlint yamllint jsonlint taplo tflint checkov trivy grype syft gitleaks trufflehog clang-tidy cppcheck cpplint rubocop-daemon phpstan psalm phpcs phpmd ktlint detekt checkstyle pmd spotbugs swiftlint credo dialyzer hlint',
    options: '-c|--config: -f|--format: -o|--output:write -p: -e: -s: -x',
    why: 'reports on the code of the project',
  },
  {
    names: 'rubocop standardrb',
    options:
      '-a|--autocorrect|-x -A|--autocorrect-all|--auto-correct-all --fix -c|--config: -f|--format: -o|--out:write --only: --except:',
    when: [{ flags: '-a -A --fix', operands: 'edit/…' }],
    why: 'rubocop -a edits',
  },
  {
    names: 'phpcbf php-cs-fixer pint',
    options: '--standard: --config: --rules: --dry-run --test',
    operands: 'edit/…',
    when: [{ flags: '--dry-run --test', operands: '' }],
    why: 'formatters of PHP edit',
  },
  {
    names: 'rspec cucumber minitest phpunit pest behat phpspec paratest ctest3 busted',
    options: '-e: -t: -f: -o|--out:write --log-junit:write -c: --filter:',
    why: 'runs the tests of the project',
  },
  { names: 'protoc thrift flatc capnp', options: '-I: -o:write --descriptor_set_out:write', why: 'generate code' },
  {
    names: 'puma thin unicorn webrick guard foreman overmind hivemind sidekiq',
    options: '-C: -p: -e: -b: -f:',
    why: 'servers of the project',
  },
]
