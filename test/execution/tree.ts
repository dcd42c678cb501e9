/**
 * The scratch repository: what lies in it, and which of it is protected. What is protected is said here by hand, path by
 * path, and shares nothing with the guard's own reading of rails.
 */
import { createHash } from 'node:crypto'

export const HOME = '/home/dev'
export const ROOT = `${HOME}/shop`

/** `rail`: a ticket freezes it; `trust`: part of the trust root; `near`: a name close to one of these; `free`: anything else. */
export type Role = 'rail' | 'trust' | 'near' | 'free'

export interface Place {
  /** Below the repository, or absolute. */
  readonly path: string
  readonly role: Role
  readonly content: string
  /** Octal. */
  readonly mode?: string
  /** The text of a symbolic link in place of content. */
  readonly link?: string
  /** Git does not track it, and ignores it. */
  readonly ignored?: true
}

const sql = (n: number) => `create table t${n} (id int);\ninsert into t${n} values (${n});\n`
const shard = (id: string, rails: readonly string[], status?: string): Place => ({
  path: `.adlc/tickets/${id.toLowerCase()}--${createHash('sha256').update(id).digest('hex')}.json`,
  role: 'trust',
  content: `${JSON.stringify({ id, title: id, scope: ['lib/**'], rails, ...(status ? { status } : {}) }, null, 2)}\n`,
})

export const PLACES: readonly Place[] = [
  // Frozen by tickets.
  { path: 'src/core/rates.ts', role: 'rail', content: 'export const rate = 7\nexport const base = 100\n' },
  { path: 'src/core/tax.ts', role: 'rail', content: 'export const tax = 19\n', mode: '755' },
  { path: 'migrations/001.sql', role: 'rail', content: sql(1) },
  { path: 'migrations/002.sql', role: 'rail', content: sql(2) },
  { path: 'migrations/meta/lock.json', role: 'rail', content: '{"at":2}\n' },
  { path: 'test/golden/a.snap', role: 'rail', content: 'a\n1\n' },
  { path: 'test/golden/deep/b.snap', role: 'rail', content: 'b\n2\n' },
  { path: 'config/prod.yml', role: 'rail', content: 'level: prod\n' },
  { path: 'config/stage.yml', role: 'rail', content: 'level: stage\n' },
  { path: 'api/v1.json', role: 'rail', content: '{"version":1}\n' },
  { path: 'docs/current.md', role: 'rail', content: '', link: 'v2/guide.md' },
  { path: 'docs/v2/guide.md', role: 'rail', content: '# Guide 2\n' },
  { path: 'vendor/pinned/lib.js', role: 'rail', content: 'module.exports = 1\n' },
  { path: 'vendor/pinned/deep/x.js', role: 'rail', content: 'module.exports = 2\n' },
  { path: 'data/price list.csv', role: 'rail', content: 'a;1\nb;2\n' },
  { path: '.tool.rules', role: 'rail', content: 'STRICT\n' },
  // The trust root.
  { path: '.git/hooks/pre-commit', role: 'trust', content: '#!/bin/sh\nexit 0\n', mode: '755' },
  { path: '.adlc/config.json', role: 'trust', content: '{"securityMode":"strict"}\n' },
  { path: '.adlc/manifest.jsonl', role: 'trust', content: '{"type":"rails-check"}\n' },
  { path: '.adlc/tickets/.store.json', role: 'trust', content: '{"format":"adlc-ticket-directory","version":1}\n' },
  shard('T1', ['src/core/rates.ts', 'src/core/tax.ts', 'migrations/**', 'test/**/*.snap', 'docs/current.md']),
  shard('T2', ['config/{prod,stage}.yml', 'api/v[0-9].json', 'vendor/pinned/', 'data/price list.csv', '.tool.rules']),
  shard('T3', ['lib/**'], 'closed'),
  { path: '.claude/settings.json', role: 'trust', content: '{"hooks":{}}\n' },
  { path: '.agents/hooks.json', role: 'trust', content: '{"hooks":[]}\n' },
  {
    path: '.github/workflows/rails.yml',
    role: 'trust',
    content: 'on: push\njobs: { rails: { run: adlc rails-guard } }\n',
  },
  { path: 'CODEOWNERS', role: 'trust', content: '* @owner\n' },
  { path: `${HOME}/.claude/settings.json`, role: 'trust', content: '{"model":"x"}\n' },
  // Names close by.
  { path: 'src/core/rates.test.ts', role: 'near', content: 'test rates\n' },
  { path: 'src/core/other.ts', role: 'near', content: 'export const other = 1\n' },
  { path: 'src/rates.ts', role: 'near', content: 'export const copy = 1\n' },
  { path: 'migrations-draft/001.sql', role: 'near', content: sql(9) },
  { path: 'test/golden/a.txt', role: 'near', content: 'a\n' },
  { path: 'test/golden/notes.md', role: 'near', content: 'n\n' },
  { path: 'config/dev.yml', role: 'near', content: 'level: dev\n' },
  { path: 'api/vx.json', role: 'near', content: '{}\n' },
  { path: 'docs/v1/guide.md', role: 'near', content: '# Guide 1\n' },
  { path: 'vendor/other/lib.js', role: 'near', content: 'module.exports = 3\n' },
  { path: 'data/prices.csv', role: 'near', content: 'c;3\n' },
  { path: '.adlc/specs/one.md', role: 'near', content: '# Spec\n' },
  { path: '.github/workflows/build.yml', role: 'near', content: 'on: push\n' },
  // Everything else.
  { path: '.gitignore', role: 'free', content: 'build/\n*.tmp\n' },
  { path: 'README.md', role: 'free', content: '# Shop\n\nText.\n' },
  { path: 'package.json', role: 'free', content: '{"name":"shop","scripts":{"build":"true"}}\n' },
  { path: 'src/app.ts', role: 'free', content: 'import "./util"\nconsole.log(1)\n' },
  { path: 'src/util.ts', role: 'free', content: 'export const util = 1\n' },
  { path: 'lib/a.ts', role: 'free', content: 'export const a = 1\n' },
  { path: 'lib/b.ts', role: 'free', content: 'export const b = 2\n' },
  { path: 'lib/inner/c.ts', role: 'free', content: 'export const c = 3\n' },
  { path: 'data/my file.txt', role: 'free', content: 'one\ntwo\n' },
  { path: 'tools/fmt.py', role: 'free', content: 'print("fmt")\n' },
  { path: 'tools/gen.sh', role: 'free', content: '#!/bin/sh\necho gen\n', mode: '755' },
  { path: 'build/out.txt', role: 'free', content: 'out\n', ignored: true },
  { path: 'build/old/log.txt', role: 'free', content: 'log\n', ignored: true },
  // Links that were there before: to a directory with a rail in it, and to a free one.
  { path: 'core', role: 'free', content: '', link: 'src/core' },
  { path: 'mylib', role: 'free', content: '', link: 'lib' },
  { path: `${HOME}/notes/todo.txt`, role: 'free', content: 'todo\n' },
]

/** The file that differs from its last commit, so that git can take its content back. */
export const DIRTY = { path: 'config/stage.yml', content: 'level: stage, not committed\n' }

/** Contents of the commit before the last one: `HEAD~1` differs from now in a rail, in a near name and in a free file. */
export const BEFORE: Readonly<Record<string, string>> = {
  'src/core/rates.ts': 'export const rate = 6\n',
  'src/core/other.ts': 'export const other = 0\n',
  'migrations/002.sql': '-- none\n',
  'lib/b.ts': 'export const b = 1\n',
}

/** What the branch `side`, and the commit before, would bring, as a frozen world has it. */
export const BRINGS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['to', 'of', 'since'].map((how) => [`${how} side`, ['lib/b.ts']])),
  ...Object.fromEntries(
    ['to HEAD~1', 'to HEAD^', 'to main~1', 'of HEAD', 'of main'].map((name) => [name, Object.keys(BEFORE)]),
  ),
}

export const absolute = (path: string): string => (path.startsWith('/') ? path : `${ROOT}/${path}`)

/** Patterns of absolute paths that nobody may change. */
const PROTECTED: readonly RegExp[] = [
  /^src\/core\/(?:rates|tax)\.ts$/,
  /^migrations(?:\/|$)/,
  /^test\/(?:.*\/)?[^/]*\.snap$/,
  /^config\/(?:prod|stage)\.yml$/,
  /^api\/v[0-9]\.json$/,
  /^docs\/(?:current\.md|v2\/guide\.md)$/,
  /^vendor\/pinned(?:\/|$)/,
  /^data\/price list\.csv$/,
  /^\.tool\.rules$/,
  /^\.git\/hooks(?:\/|$)/,
  /^\.adlc\/(?:config\.json|manifest\.jsonl)$/,
  /^\.adlc\/tickets(?:\/(?!.*--[0-9a-f]{64}\.json$)|$)/,
  /^\.claude\/settings(?:\.local)?\.json$/,
  /^\.claude\/hooks(?:\/|$)/,
  /^\.agents\/hooks\.json$/,
  /^\.github\/workflows\/rails\.yml$/,
  /^CODEOWNERS$/,
  // A work tree that git made brings its own.
  /^(?!.*\/wt\/).+\/\.adlc(?:\/|$)/,
]

const TICKETS = new Set(PLACES.filter(({ path }) => path.startsWith('.adlc/tickets/')).map(({ path }) => path))

/** Whether an absolute path is frozen or belongs to the trust root. */
export function isProtected(path: string): boolean {
  if (path === `${HOME}/.claude/settings.json` || path.startsWith(`${HOME}/.claude/hooks`)) return true
  if (!path.startsWith(`${ROOT}/`)) return false
  const rel = path.slice(ROOT.length + 1)
  return TICKETS.has(rel) || PROTECTED.some((pattern) => pattern.test(rel))
}
