/** What a pinned environment must keep of its tree, so that its hooks run what they ran at first. */
import { posix } from 'node:path'
import type { HookWorld } from '../contract.ts'
import { EVENTS, type HookFile } from './model.ts'
import { programsOf } from './programs.ts'

/** Directories of the system, which no tool can write. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib\w*|etc|proc|sys|dev)(?:\/|$)/

/**
 * The directories `.agents` that hold the files, and the files outside of them that commands run. What a script loads
 * from elsewhere is not known.
 */
export async function pathsToFreeze(
  files: readonly HookFile[],
  tree: Pick<HookWorld['files'], 'read'>,
): Promise<readonly string[]> {
  const out = new Set(files.map(({ path }) => posix.dirname(path)))
  for (const file of files)
    for (const command of commandsOf(file))
      for (const { path: written } of programsOf(command)) {
        const path = posix.resolve(file.cwd, written)
        const within = [...out].some((one) => path === one || path.startsWith(`${one}/`))
        if (!within && !SYSTEM.test(path) && (await isFile(tree, path))) out.add(path)
      }
  return [...out]
}

const isFile = async (tree: Pick<HookWorld['files'], 'read'>, path: string): Promise<boolean> =>
  (await tree.read(path, 1).catch(() => undefined)) !== undefined

/** The command lines of a file, in order of the events. */
const commandsOf = ({ groups }: HookFile): readonly string[] =>
  groups.flatMap(({ rules }) =>
    EVENTS.flatMap((event) => rules[event])
      .flatMap(({ handlers }) => handlers)
      .flatMap((handler) => (handler.is === 'command' ? [handler.command] : [])),
  )
