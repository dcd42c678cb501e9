/** Builds what the rules use: the layout of the disk, compiled globs, the guard's names. */
import type { ToolCall } from '../core/call.ts'
import { once } from '../core/once.ts'
import { type Asking, ask } from '../core/question.ts'
import { compileGlob, type PathMatcher } from '../paths/glob.ts'
import { layoutOf } from '../paths/layout-kept.ts'
import { flavourOf, isInside, relativeTo } from '../paths/lexical.ts'
import { containsZone, type NearMatchers, type Zone, zonesOf } from '../paths/zones.ts'
import type { PolicyGlob } from '../policy/policy.ts'
import type { Context } from './context.ts'
import { guardNames } from './guard-names.ts'
import { isFresh, type Overlay } from './overlay.ts'
import type { Tools } from './subject.ts'

/** What tickets add to a policy: frozen paths, and what the current one may touch. */
export interface Tickets {
  readonly frozen: NearMatchers
  readonly scope: readonly PathMatcher[] | undefined
}

/** Builds the tools for one call. Asks for the temp directory of the environment only. */
export function* toolsFor(call: ToolCall, context: Context, tickets?: Tickets): Asking<Tools> {
  const tmp = yield* ask('env', { name: context.platform === 'win32' ? 'TEMP' : 'TMPDIR' })
  const layout = layoutOf({
    home: context.home,
    user: context.user,
    platform: context.platform,
    workspaces: call.workspaces,
    created: context.session.created,
    ...(typeof tmp === 'object' ? { temp: [tmp.value] } : {}),
    ...(context.foldsCase === undefined ? {} : { foldsCase: context.foldsCase }),
    ...(context.moved === undefined ? {} : { moved: context.moved }),
  })
  const sense = { flavour: flavourOf(context.platform), foldsCase: layout.foldsCase }
  const compile = (globs: readonly PolicyGlob[], closed: 'match' | 'none'): PathMatcher[] =>
    globs.map(({ glob, base }) => compileGlob(glob, base, { ...sense, closed }))
  const cache = new Map<string, ReadonlySet<Zone>>()
  const frozen = compile(context.policy.frozen, 'match')
  const rules = {
    frozen: {
      all: once(() => [...frozen, ...(tickets?.frozen.all() ?? [])]),
      near: (path: string) => [...frozen, ...(tickets?.frozen.near(path) ?? [])],
    },
    scope:
      context.policy.scope === undefined
        ? tickets?.scope
        : [...compile(context.policy.scope, 'none'), ...(tickets?.scope ?? [])],
    denyRead: compile(context.policy.denyRead, 'match'),
    disposable: compile(context.policy.disposable, 'none'),
  }
  let names: ReadonlySet<string> | undefined
  const tools: Tools = {
    context,
    sense,
    ...rules,
    zones(path) {
      let zones = cache.get(path)
      if (zones === undefined) {
        zones = zonesOf(path, layout, rules)
        cache.set(path, zones)
      }
      return zones
    },
    contains: (dir, zone) => containsZone(dir, zone, layout, rules),
    workspaces: call.workspaces,
    *guardNames() {
      names ??= yield* guardNames(context.home, call.workspaces, context.moved)
      return names
    },
    show(path) {
      for (const root of call.workspaces) {
        if (root === '/') continue
        const relative = isInside(path, root, sense) ? relativeTo(root, path, sense) : undefined
        if (relative !== undefined) return relative === '' ? '.' : relative
      }
      return isInside(path, context.home, sense) ? `~${path.slice(context.home.length)}` : path
    },
  }
  return tools
}

/** Zones of a path, with what this line made before counted as the session's own. */
export function zonesAt(tools: Tools, path: string, overlay: Overlay | undefined): ReadonlySet<Zone> {
  const zones = tools.zones(path)
  return isFresh(overlay, path) && !zones.has('created') ? new Set([...zones, 'created']) : zones
}
