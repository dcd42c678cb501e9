/**
 * What a verdict costs more where it turns on git: calls in a real repository with changes, a remote and branches, judged
 * in one warm process, each with facts of its own. `npm run bench -- git [rounds]`. Nothing of the calls is run.
 *
 * The processes of git are counted in a pass of their own, by a stand-in on the PATH.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeCase } from '../src/cli/check/case.ts'
import { prepare } from '../src/cli/check/subject.ts'
import { layScene } from './scene.ts'
import { median, ms, quantile, table } from './stats.ts'

const ROUNDS = 40
const WARM = 5

/** Calls whose verdict turns on git, and the nearest that turn on nothing. */
const ASKED = [
  'git reset --hard',
  'git checkout -- src/a.ts',
  'git clean -fd',
  'git push origin HEAD',
  'git push --force origin HEAD',
  'git branch -D done',
  'git stash drop',
  'git commit --amend --no-edit',
  'rm -rf src',
  'rm src/a.ts',
  'cp README.md src/a.ts',
  'cat README.md > src/a.ts',
  'git worktree remove -f ../side',
] as const
const PLAIN = [
  'git status --short',
  'git log --oneline',
  'git diff',
  'cat README.md',
  'ls -la src',
  'npm test',
  'rm -rf dist',
  'echo x > /tmp/bench-x',
  'grep -rn export src',
] as const

export function run(args: readonly string[]): void {
  const rounds = Math.max(1, Number(args[0] ?? ROUNDS) || ROUNDS)
  const scratch = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const { home, project } = layScene(scratch)
    furnish(project, home)
    const path = process.env['PATH'] ?? ''
    const judge = (command: string, env: Record<string, string>): number => {
      const io = { out: () => {}, err: () => {}, cwd: project, env: { PATH: path, HOME: home, ...env }, colour: false }
      const from = process.hrtime.bigint()
      const { subject, world } = prepare(command, {}, io)
      judgeCase(subject, world)
      return Number(process.hrtime.bigint() - from) / 1e6
    }
    const all = [...ASKED, ...PLAIN]
    const times = new Map(all.map((command): [string, number[]] => [command, []]))
    for (let round = 0; round < rounds + WARM; round++)
      for (const command of all) {
        const took = judge(command, {})
        if (round >= WARM) times.get(command)!.push(took)
      }
    const calls = counted(scratch, path, (command, env) => judge(command, env))
    const of = (commands: readonly string[]): readonly number[] => commands.flatMap((command) => times.get(command)!)
    const [asked, plain] = [median(of(ASKED)), median(of(PLAIN))]
    process.stdout.write(
      `${table([
        ['', 'median ms', 'p95 ms', 'processes of git'],
        ...all.map((command) => [
          command,
          ms(median(times.get(command)!)),
          ms(quantile(times.get(command)!, 0.95)),
          String(calls(command)),
        ]),
        ['where git is asked', ms(asked), ms(quantile(of(ASKED), 0.95)), ''],
        ['where it is not', ms(plain), ms(quantile(of(PLAIN), 0.95)), ''],
        ['more where it is asked', ms(asked - plain), '', ''],
      ])}\n`,
    )
    const alone = Array.from({ length: 20 }, () => {
      const from = process.hrtime.bigint()
      spawnSync('git', ['-C', project, 'rev-parse', '--git-dir'])
      return Number(process.hrtime.bigint() - from) / 1e6
    })
    process.stdout.write(`\nOne process of git that does nearly nothing: median ${ms(median(alone))} ms\n`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A remote, a branch that is merged, a stash, a linked work tree, and changes of every kind. */
function furnish(project: string, home: string): void {
  const git = (...words: string[]) =>
    spawnSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...words], {
      cwd: project,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    })
  git('init', '-q', '--bare', '../remote.git')
  git('remote', 'add', 'origin', '../remote.git')
  git('push', '-q', '-u', 'origin', 'main')
  git('branch', 'done')
  git('worktree', 'add', '-q', '-b', 'side', '../side')
  writeFileSync(join(project, 'README.md'), '# stashed\n')
  git('stash', '-q')
  git('switch', '-q', '-c', 'feature')
  writeFileSync(join(project, 'src/b.ts'), 'export const b = 1\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'second')
  writeFileSync(join(project, 'src/a.ts'), 'export const a = 2\n')
  for (let i = 0; i < 12; i++) writeFileSync(join(project, `draft-${i}.md`), 'draft\n')
}

/** Counts by a program called `git` in front of the PATH. */
function counted(
  scratch: string,
  path: string,
  judge: (command: string, env: Record<string, string>) => number,
): (command: string) => number {
  const dir = join(scratch, 'stand-in')
  const list = join(scratch, 'calls')
  mkdirSync(dir)
  const real = spawnSync('which', ['git'], { encoding: 'utf8' }).stdout.trim()
  writeFileSync(join(dir, 'git'), `#!/bin/sh\necho x >> '${list}'\nexec '${real}' "$@"\n`)
  chmodSync(join(dir, 'git'), 0o755)
  return (command) => {
    rmSync(list, { force: true })
    judge(command, { PATH: `${dir}:${path}` })
    return existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n').length : 0
  }
}
