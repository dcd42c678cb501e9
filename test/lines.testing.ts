/** Shell lines that nobody wrote: a grammar over commands, paths, quotes, variables, pipes, lists, loops, redirections. */
import fc from 'fast-check'

const one = (...texts: readonly string[]) => fc.constantFrom(...texts)

const plain = one('a', 'src', 'dist', 'README.md', '.env', 'x.sh', 'node_modules', 'HEAD', 'main', 'origin', '1')
const path = one(
  '/',
  '/etc/passwd',
  '~',
  '~/.ssh/id_ed25519',
  '..',
  '.',
  './a',
  '../other-project',
  '/tmp/work/x',
  'src/a.ts',
  '.git/hooks/pre-commit',
  '.claude/settings.json',
  '/dev/null',
  'a/../..',
  'spec/contract.json',
)
const variable = one('$HOME', '"$HOME"', '$X', '"$X"', '${X:-a}', '${X%/*}', '"${X}/a"', '$1', '"$@"', '$TMPDIR', '$$')
const pattern = one('*', 'src/*', '**/*.ts', '[ab]*', '{a,b}', '~/*', './*.log', '?')
const option = one(
  '-rf',
  '-f',
  '-r',
  '--force',
  '--hard',
  '-n',
  '-i',
  '-e',
  '--',
  '-C',
  '-c',
  '-x',
  '-o',
  '-exec',
  '-delete',
)
const command = one(
  'rm',
  'git',
  'cat',
  'ls',
  'cp',
  'mv',
  'ln',
  'find',
  'xargs',
  'sh',
  'bash',
  'env',
  'sudo',
  'cd',
  'echo',
  'eval',
  'source',
  'export',
  'npm',
  'make',
  'python3',
  'node',
  'sed',
  'tee',
  'chmod',
  'mkdir',
  'touch',
  'tar',
  'rsync',
  'curl',
  'kill',
  'docker',
  'nice',
  'timeout',
  'read',
  'printf',
  'test',
  'set',
  'trap',
  'dd',
  './x.sh',
  'awk',
  'perl',
  'pushd',
  'popd',
  'mktemp',
  'exit',
  'true',
)
const verb = one(
  'reset',
  'checkout',
  'clean',
  'push',
  'commit',
  'stash',
  'restore',
  'rm',
  'branch',
  'worktree',
  'run',
  'test',
)

/** Lines of the grammar. `depth` bounds how far lists, loops and substitutions nest. */
export function shellLines(depth = 3): fc.Arbitrary<string> {
  const { line } = fc.letrec<{ word: string; simple: string; node: string; line: string }>((tie) => ({
    word: fc.oneof(
      { maxDepth: depth, depthSize: 'small' },
      { arbitrary: plain, weight: 4 },
      { arbitrary: path, weight: 4 },
      { arbitrary: option, weight: 4 },
      { arbitrary: verb, weight: 2 },
      { arbitrary: variable, weight: 3 },
      { arbitrary: pattern, weight: 2 },
      { arbitrary: fc.tuple(one("'", '"'), plain).map(([q, text]) => `${q}${text}${q}`), weight: 2 },
      { arbitrary: tie('simple').map((text) => `"$(${text})"`), weight: 1 },
      { arbitrary: tie('simple').map((text) => `<(${text})`), weight: 1 },
      { arbitrary: tie('node').map((text) => `'${text.replaceAll("'", '"')}'`), weight: 1 },
    ),
    simple: fc
      .tuple(
        fc.option(one('A=a', 'X=/', 'X=$HOME', 'HOME=a', 'IFS=/'), { nil: undefined, freq: 6 }),
        command,
        fc.array(tie('word'), { maxLength: 4 }),
        fc.option(fc.tuple(one('>', '>>', '<', '2>', '<<<', '&>'), fc.oneof(plain, path)), { nil: undefined, freq: 4 }),
      )
      .map(([set, name, words, to]) =>
        [set, name, ...words, to?.join(' ')].filter((text) => text !== undefined).join(' '),
      ),
    node: fc.oneof(
      { maxDepth: depth, depthSize: 'small' },
      { arbitrary: tie('simple'), weight: 8 },
      {
        arbitrary: fc
          .tuple(tie('node'), one(' && ', ' || ', '; ', ' | ', '\n', ' & '), tie('node'))
          .map((x) => x.join('')),
        weight: 4,
      },
      { arbitrary: tie('node').map((text) => `( ${text} )`), weight: 1 },
      { arbitrary: tie('node').map((text) => `{ ${text}; }`), weight: 1 },
      {
        arbitrary: fc.tuple(tie('word'), tie('node')).map(([word, body]) => `for X in a ${word}; do ${body}; done`),
        weight: 1,
      },
      {
        arbitrary: fc.tuple(tie('simple'), tie('node')).map(([test, body]) => `while ${test}; do ${body}; done`),
        weight: 1,
      },
      {
        arbitrary: fc
          .tuple(tie('simple'), tie('node'), tie('node'))
          .map(([t, a, b]) => `if ${t}; then ${a}; else ${b}; fi`),
        weight: 1,
      },
      {
        arbitrary: fc
          .tuple(tie('word'), tie('node'))
          .map(([word, body]) => `case ${word} in a) ${body};; *) ls;; esac`),
        weight: 1,
      },
      { arbitrary: tie('node').map((body) => `f() { ${body}; }; f a`), weight: 1 },
      { arbitrary: tie('node').map((body) => `trap '${body.replaceAll("'", '"')}' EXIT`), weight: 1 },
      { arbitrary: fc.tuple(tie('simple'), plain).map(([text, body]) => `${text} <<E\n${body} $X\nE\n`), weight: 1 },
    ),
    line: tie('node'),
  }))
  return line
}
