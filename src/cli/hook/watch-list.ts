/** Which files of a project are watched: looked up once a session, and where directories changed. */
import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { type AdlcRepo, newAdlc, readRepo } from '../../adlc/adlc.ts'
import { type Rail, splitLead } from '../../adlc/rails.ts'
import { answer } from '../../core/driver.ts'
import type { Asking } from '../../core/question.ts'
import { usuallyFolds } from '../../paths/layout.ts'
import { flavourOf } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import { newPathBudget } from '../../paths/resolve.ts'
import { TRUST_ROOT } from '../../paths/tables/trust-root.ts'
import { diskWorld } from '../../world/disk.ts'
import type { WatchList } from './watch.ts'

/** Files of one project: each costs a look at every event, and a place in the session's file. */
const MOST_FILES = 128
/** Files that rails name. */
const MOST_RAILED = 64
/** Entries of directories that are looked through for files that rails name. */
const MOST_ENTRIES = 4000
/** Levels below the place where a pattern begins. */
const MOST_DEPTH = 24
/** What it may cost to find out which files these are. */
const BUDGET = { ms: 500, questions: 20_000 }

/** Directories that are made anew by tools; rails that mean files in them are rare, and walks through them long. */
const SKIPPED = new Set(['.git', 'node_modules', '.venv', 'target'])

/** Settings below the root that have one name. Those that agents write as part of their work are left out. */
const SETTINGS: readonly string[] = [
  ...TRUST_ROOT.flatMap(({ at }) => at)
    .filter((place) => place.startsWith('./') && !place.endsWith('/') && !place.includes('*'))
    .map((place) => place.slice(2)),
  '.claude/settings.json',
  '.sallyport/policy.jsonc',
]
const OWN = ['config.json', 'admin.pub', 'tickets.json', 'current-ticket.json'].map((name) => `.adlc/${name}`)
const REVIEW = ['CODEOWNERS', '.github/CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS']

/** What is to be watched around `base`. `env` and `home` as the hook knows them; nothing where that cannot be told. */
export function listOf(base: string, env: Readonly<Record<string, string | undefined>>, home: string): WatchList {
  try {
    const platform = process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
    const sense = { flavour: flavourOf(platform), foldsCase: usuallyFolds(platform) }
    const paths = newPathBudget(sense.flavour, sense.foldsCase)
    const adlc = newAdlc({ home, sense, paths, anchors: [base] })
    function* asking(): Asking<WatchList> {
      const repo = yield* readRepo(base, adlc)
      if (repo !== 'none') return yield* repoFiles(repo)
      const git = yield* repoOf(base, sense.flavour)
      const root = typeof git === 'string' ? base : git.root
      const files = [...SETTINGS, ...REVIEW].map((name) => join(root, name))
      return { files: [...files, ...hooksIn(root)], dirs: [join(root, '.adlc'), join(root, HOOKS)] }
    }
    const world = diskWorld({ env, cwd: base })
    const { files, dirs } = answer(asking(), world, { ...BUDGET, start: world.now() }).value
    return { files: [...new Set(files)].slice(0, MOST_FILES), dirs: [...new Set(dirs)].slice(0, MOST_FILES) }
  } catch {
    return { files: [], dirs: [] }
  }
}

function* repoFiles(repo: AdlcRepo): Asking<WatchList> {
  const { root } = repo
  const at = (name: string) => join(root, name)
  const dirs = [at('.adlc/tickets'), at('.github/workflows'), at(HOOKS)]
  const workflows: string[] = []
  for (const name of namesIn(at('.github/workflows'))) {
    const path = at(`.github/workflows/${name}`)
    if ((yield* repo.protects(path)) !== 'none') workflows.push(path)
  }
  const scripts = namesIn(at('scripts')).filter((name) => name.startsWith('rails-guard-ci.'))
  const walk = new Walk()
  for (const each of [repo, ...repo.outer]) for (const rail of each.rails) walk.rail(rail, each.root)
  const shards = repo.tickets.filter(({ active, rails }) => active && rails.length > 0).map(({ file }) => file)
  return {
    files: [
      ...OWN.map(at),
      ...workflows,
      ...scripts.map((name) => at(`scripts/${name}`)),
      ...hooksIn(root),
      ...walk.files,
      ...REVIEW.map(at),
      ...SETTINGS.map(at),
      ...shards,
    ],
    dirs: [...dirs, ...walk.dirs],
  }
}

/** Programs that git runs by itself; samples do nothing. */
const hooksIn = (root: string): readonly string[] =>
  namesIn(join(root, HOOKS))
    .filter((name) => !name.endsWith('.sample'))
    .map((name) => join(root, HOOKS, name))

const HOOKS = join('.git', 'hooks')

function namesIn(dir: string, most = MOST_FILES): readonly string[] {
  try {
    return readdirSync(dir).slice(0, most)
  } catch {
    return []
  }
}

function kindOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Finds the files that rails name, within one bound for all of them. */
class Walk {
  readonly files: string[] = []
  readonly dirs: string[] = []
  private entries = 0

  rail(rail: Rail, root: string): void {
    if (rail.problem !== undefined) return
    for (const glob of rail.globs) {
      const { lead, rest } = splitLead(glob)
      const place = join(root, ...lead)
      const whole = lead.length > 0 && (rest.length === 0 || (rest.length === 1 && rest[0] === '**'))
      this.visit(place, whole ? undefined : rail, 0)
      if (whole && rest.length === 0 && !this.files.includes(place) && !this.dirs.includes(place)) this.add(place)
    }
  }

  /** `rail`: only what its pattern names counts; undefined: everything. */
  private visit(path: string, rail: Rail | undefined, depth: number): void {
    if (this.files.length >= MOST_RAILED || depth > MOST_DEPTH) return
    const found = kindOf(path)
    if (found === undefined) return
    if (!found.isDirectory()) {
      if (rail !== undefined && !NAMED.has(rail.meets(path) ?? '')) return
      this.add(path)
      if (found.isSymbolicLink()) this.behind(path)
      return
    }
    if (rail === undefined) this.dirs.push(path)
    for (const name of namesIn(path, MOST_ENTRIES)) {
      if (SKIPPED.has(name)) continue
      if (++this.entries > MOST_ENTRIES) return
      this.visit(join(path, name), rail, depth + 1)
    }
  }

  private behind(link: string): void {
    try {
      const target = realpathSync(link)
      if (lstatSync(target).isFile()) this.add(target)
    } catch {
      // It leads nowhere.
    }
  }

  private add(path: string): void {
    if (this.files.length < MOST_RAILED) this.files.push(path)
  }
}

const NAMED: ReadonlySet<string> = new Set(['exact', 'inside', 'glob'])
