/** Homes for the tests of migrations. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import type { MigrateOptions } from './migrate.ts'
import { BOOSTER_NAME, OWN_NAME, type Places, placesOf } from './plugin-root.ts'

/** Where all of a test file lies; gone when the file is through. */
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'migrate-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

let count = 0
/** A place that nothing stands at. */
export const fresh = (): string => join(scratch, `p${count++}`)

let clock = Date.parse('2026-11-30T00:00:00Z')
/** A time one second after the last one. */
export const now = (): Date => {
  clock += 1000
  return new Date(clock)
}

/** Writes a file of that mode, and the directories above it. */
export function write(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
  chmodSync(path, mode)
}

export const HOOKS = {
  'agb-policy-guard': { PreToolUse: [{ matcher: '*', hooks: [{ command: '/bin/sh /x/hook-runner.sh y' }] }] },
}
export const OTHER_HOOK = { mine: { PreToolUse: [{ hooks: [{ command: 'echo hi' }] }] } }

/** What a home may hold before a migration. */
export const HOMES: Readonly<Record<string, (home: string, places: Places) => void>> = {
  empty: (home) => mkdirSync(join(home, '.gemini', 'config'), { recursive: true }),
  'the published booster': (home, places) => {
    const booster = join(places.plugins, BOOSTER_NAME)
    write(join(booster, 'plugin.json'), '{"name":"antigravity-booster","version":"1.1.0"}')
    write(join(booster, 'skills/a/SKILL.md'), 'a')
    write(join(booster, 'bin/x.sh'), 'x', 0o750)
    write(join(booster, 'node_modules/z/index.js'), 'left out of the copy, not out of the way back')
    symlinkSync('skills', join(booster, 'link'))
    write(join(places.plugins, 'other', 'plugin.json'), '{"name":"other"}')
    write(places.imports, '{"imports": [{"name":"other"},\n {"name":"antigravity-booster","source":"git"}], "v": 3}')
    write(places.shim, '#!/bin/sh\nold\n', 0o700)
    for (const dir of ['.gemini/skills', '.gemini/antigravity/skills']) mkdirSync(join(home, dir), { recursive: true })
    symlinkSync(join(booster, 'skills', 'a'), join(home, '.gemini/skills/a'))
    symlinkSync('/gone/node_modules/@adlc/skills/b', join(home, '.gemini/skills/b'))
    symlinkSync('/gone/else', join(home, '.gemini/skills/c'))
    symlinkSync(join(places.plugins, 'other'), join(home, '.gemini/antigravity/skills/d'))
    write(join(home, '.gemini/skills/e/SKILL.md'), 'mine')
  },
  'hooks wired by hand': (_, places) => {
    write(places.hooks, `${JSON.stringify({ ...OTHER_HOOK, ...HOOKS })}`, 0o600)
  },
  'an older plugin of ours': (_, places) => {
    write(join(places.plugins, OWN_NAME, 'plugin.json'), `{"name":"${OWN_NAME}","version":"0.0.1"}`)
    write(join(places.plugins, OWN_NAME, 'old.txt'), 'old')
  },
}

/** A home of one of these kinds, and a whole plugin to migrate to. */
export function lay(kind: string): MigrateOptions & { readonly home: string } {
  const home = fresh()
  mkdirSync(home)
  const places = placesOf(home)
  HOMES[kind]!(home, places)
  const source = join(scratch, 'source')
  if (!existsSync(source)) {
    write(join(source, 'plugin.json'), `{"name":"${OWN_NAME}","version":"9.9.9"}`)
    write(join(source, 'hooks.json'), '{}')
    for (const name of ['hook-runner.sh', 'node-launcher.sh']) write(join(source, 'bin', name), 'x', 0o755)
    write(join(source, 'dist/hooks/pre-tool-use.bundle.mjs'), 'x')
    write(join(source, 'node_modules/n/x'), 'x')
  }
  return { home, places, source, now }
}

/** Everything below a home but the booster's data: kinds, modes, contents. */
export function everything(home: string): readonly string[] {
  const out: string[] = []
  const walk = (path: string) => {
    const stat = lstatSync(join(home, path))
    const what = stat.isSymbolicLink()
      ? `-> ${readlinkSync(join(home, path))}`
      : stat.isFile()
        ? `${(stat.mode & 0o777).toString(8)} ${readFileSync(join(home, path), 'utf8')}`
        : ''
    // Directories that only lead to something new are no matter.
    if (what !== '') out.push(`${path} ${what}`)
    if (stat.isDirectory() && !path.endsWith('plugin_data'))
      for (const name of readdirSync(join(home, path)).sort()) walk(join(path, name))
  }
  walk('')
  return out
}
