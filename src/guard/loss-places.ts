/** What is lost where no work tree can be asked: git's own files, temp, places outside the project, unknown ends. */
import type { Asking } from '../core/question.ts'
import type { Finding } from '../core/verdict.ts'
import { absolute, dirname, isInside } from '../paths/lexical.ts'
import { found, isNobodys, type LossTools, nestedRepo, onlyHere, type PhysicalTarget } from './loss-tools.ts'
import { takesAll } from './region.ts'

export const VERBS = { delete: 'deletes', write: 'replaces', move: 'moves away', change: 'changes' } as const

/** The target with everything below it, as people write it. */
export const said = (target: PhysicalTarget, tools: LossTools): string => {
  const path = tools.show(target.path)
  if (target.pattern) return takesAll(target.pattern) ? `everything in ${path}` : `names in ${path}`
  if (target.open) return `${path}…`
  return target.tree && target.kind === 'dir' ? `${path} and everything below (recursive)` : path
}

/** Git's own files: the history is there, and hooks and settings that nothing else holds. */
export function gitDir(target: PhysicalTarget, tools: LossTools): readonly Finding[] {
  if (target.act === 'write' || target.act === 'change') return []
  const parts = target.path.split(/[/\\]/)
  const inside = parts.slice(parts.lastIndexOf('.git') + 1)
  const [first] = inside
  if (
    /\.lock(?:\.bak)?$|\.bak$|\.orig$|^(?:COMMIT_EDITMSG|gc\.log|FETCH_HEAD)$/.test(inside.at(-1) ?? '') &&
    !target.pattern
  )
    return []
  const verb = VERBS[target.act]
  if (first === undefined || /^(?:objects|refs|logs|HEAD|packed-refs|worktrees|modules|config)$/.test(first)) {
    return [
      found(
        'loss',
        'history',
        'deny',
        `${verb} ${tools.show(target.path)}: the history of the repository, unpushed commits and stashes would be lost`,
        {
          safer: 'leave .git alone',
        },
      ),
    ]
  }
  return [
    found('loss', 'git-dir', 'ask', `${verb} ${tools.show(target.path)}, which belongs to git itself`, {
      safer: 'use a command of git',
    }),
  ]
}

/** Only the beginning is known, so what follows may be nothing: then it is the directory itself. */
export function openEnd(target: PhysicalTarget, tools: LossTools): readonly Finding[] {
  const { sense } = tools
  const dir = /[/\\]$/.test(target.path)
    ? absolute(target.path, '.', sense.flavour)
    : dirname(target.path, sense.flavour)
  const zones = tools.zones(dir)
  if (zones.has('created') || zones.has('regenerable') || isNobodys(dir, tools)) return []
  const bare = /[/\\]$/.test(target.path) || target.path === ''
  if (target.act !== 'write' && bare && target.tree && isInside(tools.home, dir, sense)) {
    return [
      found(
        'loss',
        'root',
        'deny',
        `${VERBS[target.act]} something unknown below ${tools.show(dir)}, perhaps all of it (recursive)`,
        { safer: 'write the path out' },
      ),
    ]
  }
  if (target.act === 'write' || target.act === 'move')
    return zones.has('project') || zones.has('temp')
      ? []
      : [
          found(
            'loss',
            'outside',
            'ask',
            `${VERBS[target.act]} an unknown path below ${tools.show(dir)}, outside the project`,
            { safer: 'write the path out' },
          ),
        ]
  return [
    found(
      'loss',
      'unknown',
      'ask',
      `deletes an unknown path below ${tools.show(dir)}${target.tree ? ' (recursive)' : ''}`,
      {
        safer: 'write the path out',
      },
    ),
  ]
}

export function* inTemp(target: PhysicalTarget, tools: LossTools): Asking<readonly Finding[]> {
  // Files in temp are written over by everybody; they are nobody's archive.
  if (target.act !== 'delete') return []
  const { sense } = tools
  const root = absolute(target.path, '.', sense.flavour)
  if (target.tree || target.pattern) {
    const inner = yield* nestedRepo(root, '', tools)
    if (inner !== 'none' && inner !== 'unknown') {
      const only = yield* onlyHere(inner, tools)
      if (only === 'unknown')
        return [
          found(
            'loss',
            'temp',
            'deny',
            `deletes ${tools.show(inner)}, a repository whose unpushed work could not be counted`,
            { safer: 'push or copy it first' },
          ),
        ]
      if (only !== undefined)
        return [
          found(
            'loss',
            'temp',
            'deny',
            `deletes ${tools.show(inner)}, a repository with work that exists nowhere else: ${only}`,
            { safer: 'push or copy it first' },
          ),
        ]
    }
  }
  return [
    found('loss', 'temp', 'ask', `deletes ${said(target, tools)}, which this session did not make`, {
      safer: 'leave it, or delete only what this session made',
    }),
  ]
}

export function outside(target: PhysicalTarget, tools: LossTools): readonly Finding[] {
  const where = `${said(target, tools)}, outside the project`
  const safer = 'work inside the project, or let the person do this'
  if (target.act === 'write' && !target.tree) return [found('loss', 'outside', 'ask', `replaces ${where}`, { safer })]
  const whole = (target.tree && target.kind !== 'file' && target.kind !== 'link') || target.pattern !== undefined
  if (target.act === 'delete' && whole && !tools.zones(target.path).has('regenerable')) {
    return [found('loss', 'outside', 'deny', `deletes ${where}`, { safer })]
  }
  if (target.act === 'move' && whole && tools.zones(target.path).has('system'))
    return [found('loss', 'outside', 'deny', `moves ${where}`, { safer })]
  return [found('loss', 'outside', 'ask', `${VERBS[target.act]} ${where}`, { safer })]
}
