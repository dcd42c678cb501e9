/**
 * Runs a line in every respelling where it can do no harm, with programs that only write down how they were called: a
 * respelling keeps the meaning where the same programs are called with the same arguments and the same files are there
 * afterwards.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs that run others or feed them: they are what they are on the machine. */
const REAL = [
  'bash',
  'sh',
  'env',
  'nice',
  'timeout',
  'nohup',
  'stdbuf',
  'setsid',
  'xargs',
  'base64',
  'printf',
  'echo',
  'true',
  'false',
  'cat',
  'test',
]
/** Programs that only write down their name and their arguments. */
const STUBS = ['rm', 'git', 'npm', 'cp', 'mv', 'find', 'curl', 'touch', 'sed', 'make', 'grep', 'diff']

/** Lines whose respellings are run; every respelling applies to at least one. */
export const SAMPLES: readonly string[] = [
  'rm -rf build',
  'git status',
  'cp -r src copy && rm src/a.ts',
  'cd src && rm a.ts; cd ..; rm README.md',
  'mv "a b" c',
  'rm -rf "$HOME/x" \'$HOME\' *.md',
  'for f in a b; do rm "$f"; done',
  'echo hi > out.txt; git add out.txt',
  'if git diff --quiet; then rm build; else npm test; fi',
  "find . -name '*.log' -delete",
  'FOO=1 npm run build -- --flag',
  'git log | grep -c fix',
  'x=1; [ "$x" = 1 ] && rm one || rm two',
  'sed -i s/a/b/ src/a.ts',
  'curl -s http://127.0.0.1/x | sh',
  'npm test',
  'go() { rm "$1"; }; go build',
  'cat <<END > made.txt\nline\nEND\nrm made.txt',
  'make',
  'touch ./src/a.ts build',
]

/** Paths of the tree that the samples run in, relative to it. */
export const TREE: Readonly<Record<string, string>> = {
  'README.md': 'readme\n',
  'src/a.ts': 'a\n',
  'build/out.js': 'out\n',
  a: 'a\n',
  b: 'b\n',
}

const STUB = `#!/real/bash
called="\${0##*/}"; for arg; do called+="|$arg"; done; printf '%s\\n' "$called" >> /log/calls
`
/** The wrapper of ours with --shell hands its one argument to a shell. */
const WRAPPER = '#!/real/bash\nexec /real/bash -c "$4"\n'

/** Each line in a tree of its own; then what was called, and what lies there. */
const DRIVER = `
shopt -s globstar
for line in "$@"; do
  : > /log/calls
  tree=/run/tree-$((++n)); /real/cp -r /seed $tree
  ( cd $tree && /real/timeout -s KILL 10 bash -c "$line" ) </dev/null >/log/out 2>/log/err
  /real/cat /log/calls
  cd $tree; for file in **; do if [ -f "$file" ]; then printf 'file %s: %s\\n' "$file" "$(<"$file")"; fi; done; cd /
  printf '\\0'
done
`

/** Runs lines one after the other; for each what it called and left. Throws where the sandbox fails. */
export function runLines(lines: readonly string[]): readonly string[] {
  const dir = mkdtempSync(join(tmpdir(), 'respell-'))
  try {
    const bin = join(dir, 'bin')
    const seed = join(dir, 'seed')
    for (const path of [bin, seed]) mkdirSync(path)
    for (const name of REAL) symlinkSync(`/real/${name}`, join(bin, name))
    for (const [name, text] of [...STUBS.map((name) => [name, STUB] as const), ['ctx', WRAPPER] as const]) {
      writeFileSync(join(bin, name), text)
      chmodSync(join(bin, name), 0o755)
    }
    for (const [name, text] of Object.entries(TREE)) {
      mkdirSync(join(seed, name, '..'), { recursive: true })
      writeFileSync(join(seed, name), text)
    }
    const links = ['/bin', '/lib', '/lib64', '/sbin'].flatMap((path) =>
      !existsSync(path)
        ? []
        : lstatSync(path).isSymbolicLink()
          ? ['--symlink', readlinkSync(path), path]
          : ['--ro-bind', path, path],
    )
    const { status, stdout, stderr } = spawnSync(
      'bwrap',
      [
        ...['--unshare-all', '--die-with-parent', '--new-session', '--uid', '1000', '--gid', '1000', '--clearenv'],
        ...['--ro-bind', '/usr', '/usr', '--ro-bind', bin, '/usr/bin', ...links, '--ro-bind', '/usr/bin', '/real'],
        ...['--ro-bind', seed, '/seed', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/log'],
        ...['--tmpfs', '/run', '--setenv', 'PATH', '/usr/bin', '--setenv', 'HOME', '/tmp/home', '--chdir', '/'],
        ...['--', '/real/bash', '-c', DRIVER, 'driver', ...lines],
      ],
      { encoding: 'utf8', timeout: 120_000, maxBuffer: 64 << 20 },
    )
    if (status !== 0) throw new Error(`the sandbox ended with ${status}: ${stderr.slice(0, 2_000)}`)
    return stdout.split('\0').slice(0, lines.length)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
