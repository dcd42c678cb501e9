/** Git and the programs around it. */
import { readGh, readGlab, readHub } from '../git/gh.ts'
import { readGit } from '../git/main.ts'
import type { Group } from '../registry.ts'

export const git: Group = {
  id: 'git',
  rows: [],
  readers: { git: readGit, gh: readGh, glab: readGlab, hub: readHub },
}
