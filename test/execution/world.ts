/** What the guard is told: the tree as it was before a call, as a frozen world. */
import type { World } from '../../src/core/world.ts'
import { frozenWorld } from '../../src/world/frozen.ts'
import type { FrozenFile } from '../../src/world/frozen-file.ts'
import { ENVIRONMENT, type Snapshot } from './sandbox.ts'
import { BRINGS, HOME, ROOT } from './tree.ts'

/** What git says of the tree at the start, and of the trees after the first call. */
export interface GitFacts {
  /** The tree of the last commit: contents by path below the repository. */
  readonly committed: ReadonlyMap<string, string>
}

const known = new WeakMap<Snapshot, World>()

/** A world with the files of a snapshot; the same one for the same snapshot. */
export function worldOf(snapshot: Snapshot, git: GitFacts): World {
  let world = known.get(snapshot)
  if (world === undefined) {
    world = newWorld(snapshot, git)
    known.set(snapshot, world)
  }
  return world
}

function newWorld(snapshot: Snapshot, git: GitFacts): World {
  const files: Record<string, FrozenFile> = {
    '/tmp': { type: 'dir' },
    '/usr/bin': { type: 'dir' },
    '/etc/passwd': { type: 'file', content: '' },
  }
  const modified: string[] = []
  const untracked: string[] = []
  const ignored: string[] = []
  for (const [path, { kind, mode, content, target }] of snapshot) {
    files[path] =
      kind === 'dir'
        ? { type: 'dir', mode }
        : kind === 'link'
          ? { type: 'symlink', target: target! }
          : { type: 'file', mode, content }
    const rel = path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : undefined
    if (rel === undefined || kind === 'dir' || rel.startsWith('.git/')) continue
    const was = git.committed.get(rel)
    if (was === undefined) {
      if (/^build\/|\.tmp$/.test(rel)) ignored.push(rel)
      else untracked.push(rel)
    } else if (was !== (target ?? content)) modified.push(rel)
  }
  for (const rel of git.committed.keys()) if (!snapshot.has(`${ROOT}/${rel}`)) modified.push(rel)
  const world = frozenWorld({
    ...{ platform: 'linux', user: 'dev', home: HOME, cwd: ROOT, workspaces: [ROOT], env: ENVIRONMENT, files },
    git: {
      [ROOT]: {
        ...{ branch: 'main', default_branch: 'main', upstream: null, ahead: 0, behind: 0, remotes: {} },
        ...{ modified, staged: [], untracked, ignored, stashes: 0, linked_worktree: false, worktrees: [] },
        ...{ branches: { main: { merged: true, pushed: false } }, tags: [], brings: BRINGS },
      },
    },
    programs: { node: '/opt/node/bin/node' },
  })
  return {
    now: world.now,
    // A variable that the environment does not have is unset, not unknown.
    answer(question, left) {
      const answer = world.answer(question, left)
      return question.ask === 'env' && answer === 'unknown' ? 'unset' : answer
    },
  }
}
