/** The tools that read and change files: they work on the files themselves, no program is started. */
import { isUtf8 } from 'node:buffer'
import { type EnvironmentFiles, ManagedError, type SandboxTool, type ToolOutcome } from '../contract.ts'
import { WORKSPACE } from './layout.ts'
import { MIB } from './limits.ts'
import { ArgumentError, flag, line, path, text } from './tool-args.ts'
import { insidePath } from './tree.ts'

type Args = Readonly<Record<string, unknown>>
export type FileTool = Exclude<SandboxTool, 'code_execution'>

/** Bytes of a file that a tool works on, and of what it shows. */
const MOST_BYTES = 16 * MIB
const MOST_SHOWN = MIB
const MOST_ENTRIES = 2000

/** An operation that failed, in words for the model; the post event gets the same. */
class Failed extends Error {}

/** Runs one of the file tools. Never rejects for what a caller can cause. */
export async function fileTool(name: FileTool, args: Args, files: EnvironmentFiles): Promise<ToolOutcome> {
  try {
    return { output: await TOOLS[name](args, files), isError: false }
  } catch (error) {
    const why = reason(error)
    if (why === undefined) throw error
    return { output: `${name}: ${why}`, isError: true, error: why }
  }
}

function reason(error: unknown): string | undefined {
  if (error instanceof ArgumentError || error instanceof Failed || error instanceof ManagedError) return error.message
  const code = (error as NodeJS.ErrnoException).code
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? `the file system refused it (${code})` : undefined
}

const TOOLS: Readonly<Record<FileTool, (args: Args, files: EnvironmentFiles) => Promise<string>>> = {
  async view_file(args, files) {
    const at = place(args)
    const start = line(args, 'start')
    const end = line(args, 'end')
    if (start !== undefined && end !== undefined && end < start)
      throw new ArgumentError(`end_line ${end} lies before start_line ${start}`)
    const content = await readText(files, at)
    if (start === undefined && end === undefined) return shown(content)
    const lines = content.split(/(?<=\n)/)
    if ((start ?? 1) > Math.max(lines.length, 1))
      throw new Failed(`${at} has ${count(lines.length, 'line')}; line ${start} does not exist`)
    return shown(lines.slice((start ?? 1) - 1, end).join(''))
  },

  async write_to_file(args, files) {
    const at = place(args)
    const content = Buffer.from(text(args, 'content'))
    const before = await files.stat(at)
    if (before?.type === 'DIRECTORY') throw new Failed(`${at} is a directory`)
    if (before !== undefined && !flag(args, 'overwrite', true)) throw new Failed(`${at} exists, and overwrite is false`)
    await files.write(at, content, flag(args, 'overwrite', true))
    return `${before === undefined ? 'Created' : 'Wrote'} ${at} (${count(content.length, 'byte')}).`
  },

  async replace_file_content(args, files) {
    const at = place(args)
    const target = text(args, 'target')
    const replacement = text(args, 'replacement')
    if (target === '') throw new ArgumentError('target_content must not be empty')
    const content = await readText(files, at, true)
    const lines = content.split(/(?<=\n)/)
    const from = line(args, 'start') ?? 1
    const to = line(args, 'end') ?? lines.length
    const before = lines.slice(0, from - 1).join('')
    const range = lines.slice(from - 1, to).join('')
    const found = range.split(target).length - 1
    if (found === 0) throw new Failed(`target_content is not in ${at}${within(args, from, to)}`)
    if (found > 1 && !flag(args, 'multiple', false))
      throw new Failed(
        `target_content is ${found} times in ${at}${within(args, from, to)}; more of its surroundings or allow_multiple says which`,
      )
    const after = lines.slice(to).join('')
    await files.write(at, Buffer.from(before + range.split(target).join(replacement) + after), true)
    return `Replaced ${count(found, 'occurrence')} in ${at}.`
  },

  async list_dir(args, files) {
    const at = place(args)
    const directory = await files.stat(at)
    if (directory === undefined) throw new Failed(`${at} does not exist`)
    if (directory.type !== 'DIRECTORY') throw new Failed(`${at} is not a directory`)
    const out: string[] = []
    let more = 0
    for await (const item of files.list(at, false)) {
      if (out.length >= MOST_ENTRIES) more++
      else out.push(item.type === 'DIRECTORY' ? `${item.name}/` : `${item.name} (${count(item.size, 'byte')})`)
    }
    if (more > 0) out.push(`… and ${count(more, 'more entry', 'more entries')}`)
    return out.length === 0 ? `${at} is empty.` : out.join('\n')
  },

  async delete_file(args, files) {
    const at = place(args)
    const there = await files.stat(at)
    if (there?.type === 'DIRECTORY') throw new Failed(`${at} is a directory; delete_file deletes files`)
    // Of a link the link itself goes, also where it leads nowhere.
    await files.remove(at)
    return `Deleted ${at}.`
  },
}

const place = (args: Args): string => insidePath(path(args), WORKSPACE)

const within = (args: Args, from: number, to: number): string =>
  line(args, 'start') === undefined && line(args, 'end') === undefined ? '' : ` between lines ${from} and ${to}`

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`

/** The text of a file. What is to be written back must be UTF-8, or bytes would be lost. */
async function readText(files: EnvironmentFiles, at: string, exact = false): Promise<string> {
  const there = await files.stat(at)
  if (there === undefined) throw new Failed(`${at} does not exist`)
  if (there.size > MOST_BYTES) throw new Failed(`${at} has ${there.size} bytes; this tool takes up to ${MOST_BYTES}`)
  const bytes = await files.read(at, MOST_BYTES)
  if (bytes === undefined) throw new Failed(`${at} does not exist`)
  if (bytes.subarray(0, 8192).includes(0)) throw new Failed(`${at} is not a text (${count(bytes.length, 'byte')})`)
  if (exact && !isUtf8(bytes)) throw new Failed(`${at} is not encoded in UTF-8`)
  return Buffer.from(bytes).toString('utf8')
}

function shown(content: string): string {
  const bytes = Buffer.from(content)
  if (bytes.length <= MOST_SHOWN) return content
  return `${bytes.toString('utf8', 0, MOST_SHOWN)}\n… ${bytes.length - MOST_SHOWN} more bytes; start_line and end_line choose a part.`
}
