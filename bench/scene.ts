/** Where benches start programs. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A small repository and a home of its own, so that neither the cases nor the person's files decide how long it takes. */
export function layScene(scratch: string): { home: string; project: string } {
  const home = join(scratch, 'home')
  const project = join(home, 'proj')
  const files: Readonly<Record<string, string>> = {
    'package.json': '{"name":"proj","scripts":{"test":"node --test","build":"node build.js"}}\n',
    'src/a.ts': 'export const a = 1\n',
    'README.md': '# proj\n',
    '.gitignore': 'node_modules\ndist\n',
  }
  for (const [name, text] of Object.entries(files)) {
    const path = join(project, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  mkdirSync(join(home, '.claude'), { recursive: true })
  writeFileSync(join(home, '.claude/settings.json'), '{}\n')
  const git = (...words: string[]) =>
    spawnSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...words], {
      cwd: project,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  return { home, project }
}
