/** Commands of git that change the work tree. */
import { absolute, DIRTY, isProtected } from './tree.ts'
import { single } from './words.ts'
import type { Writer } from './writer.ts'

/** The paths whose content differs in the commit before: only these can be fetched back from there. */
const BEFORE = {
  protected: ['src/core/rates.ts', 'migrations/002.sql'],
  harmless: ['src/core/other.ts', 'lib/b.ts'],
} as const

const isFree = (path: string): boolean => !isProtected(absolute(path))
const before = (path: string, n: number): string => BEFORE[isFree(path) ? 'harmless' : 'protected'][n]!

export const GIT_WRITERS: readonly Writer[] = [
  {
    id: 'git rm',
    on: 'file',
    make: (w) => `git rm -q ${w.random.pick(['', '-f '])}${w.random.pick(['', '-- '])}${w.t()}`,
  },
  { id: 'git rm -r', on: 'dir', make: (w) => `git rm -rqf ${w.t()}` },
  { id: 'git mv', on: 'file', make: (w) => `git mv ${w.t()} ${w.lib}/moved.txt` },
  { id: 'git mv dir', on: 'dir', make: (w) => `git mv ${w.t()} ${w.lib}/moved` },
  { id: 'git diff --output', on: 'content', make: (w) => `git diff --output=${w.t()} HEAD~1` },
  { id: 'git archive', on: 'content', make: (w) => `git archive -o ${w.t()} --format=tar HEAD ${w.lib}` },
  { id: 'git bundle', on: 'content', make: (w) => `git bundle create -q ${w.t()} HEAD` },
  { id: 'git show >', on: 'content', make: (w) => `git show HEAD~1:lib/b.ts > ${w.t()}` },
  { id: 'git format-patch', on: 'into', make: (w) => `git format-patch -q -1 -o ${w.t()}` },
  { id: 'git config -f', on: 'content', make: (w) => `git config -f ${w.t()}.new a.b c && mv ${w.t()}.new ${w.t()}` },
  {
    id: 'git -C',
    on: 'content',
    make: (w) =>
      `git -C /home/dev/shop log --oneline --output=${w.q(w.path.startsWith('/') ? w.path : `/home/dev/shop/${w.path}`)}`,
  },
  { id: 'git hash-object', on: 'content', make: (w) => `git cat-file -p HEAD:README.md > ${w.t()}` },
  {
    id: 'git checkout commit',
    on: 'file',
    weight: 3,
    make: (w) =>
      `git checkout -q ${w.random.pick(['HEAD~1', 'HEAD^', 'main~1'])} ${w.random.pick(['-- ', ''])}${w.at(before(w.path, w.random.int(2)))}`,
  },
  {
    id: 'git restore commit',
    on: 'file',
    weight: 3,
    make: (w) =>
      `git restore ${w.random.pick(['-s HEAD~1', '--source=HEAD~1', '-s HEAD~1 -SW'])} ${w.at(before(w.path, w.random.int(2)))}`,
  },
  {
    id: 'git moves',
    on: 'file',
    weight: 3,
    make: (w) =>
      isFree(w.path)
        ? w.random.pick([
            ...[
              'git switch -q side',
              'git checkout -q side',
              'git checkout -q --detach side',
              'git switch -qc new side',
            ],
            ...[
              'git merge -q --no-edit side',
              'git cherry-pick -n side',
              'git cherry-pick side',
              'git switch -qc here',
            ],
          ])
        : w.random.pick([
            ...['git checkout -q HEAD~1', 'git switch -q --detach main~1', 'git checkout -qb old HEAD^'],
            ...['git revert -n HEAD', 'git revert --no-edit main', 'git reset -q --keep HEAD~1'],
          ]),
  },
  {
    id: 'git apply',
    on: 'file',
    weight: 2,
    make(w) {
      const patch = w.at(`build/${isFree(w.path) ? 'free' : 'rail'}${w.random.pick(['', '-git'])}.patch`)
      return `git apply ${w.random.pick(['', '--whitespace=nowarn ', '< '])}${patch}`
    },
  },
  {
    id: 'git am',
    on: 'file',
    make: (w) =>
      `git am -q ${w.random.pick(['', '< ', '-3 '])}${w.at(`build/${isFree(w.path) ? 'free' : 'rail'}.mbox`)}`,
  },
  {
    id: 'patch -p1',
    on: 'file',
    make: (w) =>
      `patch -sp1 ${w.random.pick(['< ', '-i '])}${isFree(w.path) ? w.at('build/free.patch') : w.at('build/rail.patch')}`,
  },
  {
    id: 'git checkout-index',
    on: 'into',
    make: (w) =>
      `git checkout-index -f --prefix=${single(`${w.path.startsWith('/') ? w.path : `/home/dev/shop/${w.path}`}/`)} ${w.lib}/a.ts`,
  },
  { id: 'git worktree', on: 'into', make: (w) => `git worktree add -q ${w.t()}/wt HEAD 2> /dev/null` },
  {
    id: 'git takes back',
    on: 'file',
    weight: 2,
    make: (w) =>
      isFree(w.path)
        ? `git checkout -q -- ${w.t()}`
        : w.random.pick([
            ...['git stash -q', 'git checkout -q .', 'git restore .', 'git reset -q --hard', 'git checkout -qf'],
            ...[
              `git checkout -q -- ${w.at(DIRTY.path)}`,
              `git restore ${w.at(DIRTY.path)}`,
              `git restore ${w.at('config')}`,
            ],
            ...[
              'git reset -q --hard HEAD~1',
              `git stash push -q -- ${w.at('config')}`,
              'git stash -q && git stash pop -q && git stash -q',
            ],
          ]),
  },
]
