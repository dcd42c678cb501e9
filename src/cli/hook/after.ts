/** The gate behind a run: a result over budget is kept whole, and a digest in the host's own shape stands in its place. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { constantOf } from '../../containment/birth/words.ts'
import { quoted, startedAs } from '../../containment/birth.ts'
import { contain, type Output } from '../../containment/contain.ts'
import { canonical, isOurText, isOurTool, isOver, type Whole, wholeOf } from '../../containment/output.ts'
import { commandsOfLine } from '../../containment/run/commands.ts'
import type { Env } from '../../containment/store/types.ts'
import type { ToolCall, ToolResult } from '../../core/call.ts'
import type { Host } from '../../hosts/host.ts'
import type { Settings } from '../../policy/policy.ts'
import { parseShell } from '../../shell/parse.ts'

export interface After {
  readonly host: Host
  readonly env: Env
  readonly home: string
  /** Bytes of a result that stays as it is. */
  readonly most: number
  readonly settings: Settings | undefined
  /** The words that start our program, where `ctx` of the PATH is not ours. */
  readonly launcher: readonly string[] | undefined
}

export interface AfterRun {
  /** The exact bytes for stdout; undefined where the result stays as it is. */
  readonly stdout?: string
  /** What went wrong, as a clause. */
  readonly problem?: string
}

/** Bytes of an output that is read from where the host kept it. The host shows a few lines of a longer one. */
const MOST_KEPT = 64 * 1024 * 1024

/** What the host is told of a result. Never throws. */
export function afterRun(result: ToolResult, at: After): AfterRun {
  const { call, response } = result
  const whole = wholeOf(response)
  if (whole === undefined || response === undefined || isOurTool(call.tool) || isOurText(whole.text)) return {}
  const large = whole.kept !== undefined || isOver(whole.text, at.most)
  // An image is no text, but it is kept where the result as a whole is over.
  if (!large && !(whole.more && isOver(JSON.stringify(response), at.most))) return {}
  const line = lineOf(call)
  const commands = line === undefined ? [] : commandsOfLine(line)
  if (commands.length > 0 && commands.every(isOurCommand)) return {}
  const bytes = bytesOf(whole)
  if (bytes === undefined) return {}
  const answer = encoderOf(result, whole, large, at.host)
  const exit = whole.command === undefined || whole.command.interrupted || whole.command.odd ? undefined : 0
  const argv = line === undefined ? undefined : (argvOf(line) ?? ['sh', '-c', line])
  const output: Output = {
    bytes,
    ...(whole.more ? { json: canonical(response) } : {}),
    commands,
    label: line ?? call.tool,
    facts: {
      ...(argv === undefined ? {} : { argv }),
      ...(call.cwd === undefined ? {} : { cwd: call.cwd }),
      ...(exit === undefined ? {} : { exit }),
    },
    family: line === undefined ? call.tool.toLowerCase() : commands.length === 1 ? commands[0]!.program : 'shell',
    replaceable: answer !== undefined,
    ...(large ? {} : { binary: true }),
    method: 'replace',
    // Addresses are printed as commands of `ctx`: they have to work.
    closing: (text) =>
      at.launcher !== undefined && text.includes('ctx get ') ? startedAs(at.launcher.map(quoted).join(' ')) : undefined,
  }
  const { env, home, settings = {} } = at
  const session = { host: at.host.id, session: call.session }
  const { text, problem } = contain(output, {
    env,
    home,
    ...session,
    budget: settings.budgets?.digest,
    store: settings.store,
  })
  return {
    ...(text === undefined || answer === undefined ? {} : { stdout: answer(text) }),
    ...(problem === undefined ? {} : { problem }),
  }
}

/** How the host is given another text; undefined where it takes none. */
function encoderOf(
  result: ToolResult,
  whole: Whole,
  large: boolean,
  host: Host,
): ((text: string) => string) | undefined {
  const put = whole.with
  const encode = host.encodeResult
  if (put === undefined || encode === undefined || !large || result.fixed) return undefined
  // A host may take a text alone.
  return encode(put('')) === undefined ? undefined : (text) => encode(put(text)) ?? ''
}

/** The text of the one shell line that a call runs. */
function lineOf({ actions }: ToolCall): string | undefined {
  const lines = actions.flatMap((action) => (action.is === 'shell' ? [action.text] : []))
  return lines.length === 1 ? lines[0] : undefined
}

/** The words of a line that is one simple command and nothing else: `ctx run` of it is the same run. */
function argvOf(line: string): readonly string[] | undefined {
  const { script, status } = parseShell(line)
  const node = script.statements.length === 1 ? script.statements[0]!.node : undefined
  if (status !== 'complete' || node?.is !== 'simple' || node.assigns.length > 0 || node.redirects.length > 0)
    return undefined
  const words = node.words.map(constantOf)
  return words.length > 0 && words.every((word) => word !== undefined) ? words : undefined
}

const OURS = /^(?:ctx|sallyport)(?:\.js)?$/

/** What our own program prints is bounded, or was asked for raw. A `run` that prints much could not keep its output. */
function isOurCommand({ program, args }: { readonly program: string; readonly args: readonly string[] }): boolean {
  const rest = OURS.test(program)
    ? args
    : OURS.test(args[0]?.split('/').at(-1) ?? '') && program === 'node'
      ? args.slice(1)
      : []
  const dashes = rest.indexOf('--')
  return rest.length > 0 && (rest[0] !== 'run' || rest.slice(0, dashes < 0 ? rest.length : dashes).includes('--raw'))
}

/** The bytes of the output: the file where the host kept all of them, else the text. Undefined: too many. */
function bytesOf({ text, kept }: Whole): Uint8Array | undefined {
  if (kept === undefined) return Buffer.from(text)
  if (kept.bytes > MOST_KEPT) return undefined
  return fileOf(kept.path, kept.bytes, Buffer.from(text.slice(0, 4096))) ?? Buffer.from(text)
}

/** The whole of a file that is a user's own, that has so many bytes, and that begins as the host's text does. */
function fileOf(path: string, size: number, head: Buffer): Uint8Array | undefined {
  let handle: number | undefined
  try {
    handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const found = fstatSync(handle)
    if (!found.isFile() || found.size !== size || (process.getuid !== undefined && found.uid !== process.getuid()))
      return undefined
    const bytes = Buffer.allocUnsafe(size)
    let at = 0
    for (let got = 1; got > 0 && at < size; at += got) got = readSync(handle, bytes, at, size - at, at)
    return at === size && bytes.subarray(0, head.length).equals(head) ? bytes : undefined
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
