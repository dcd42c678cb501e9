/**
 * The gate behind a run: what a result is, how much of it a model would read, and the same shape with a digest in place of
 * its text. Hosts check the shape of what they are given, so nothing but the text changes; a shape that is not known here
 * is not replaced. Pure.
 */
import type { Json } from '../core/call.ts'

type Fields = { readonly [key: string]: Json }

/** A result of a tool. */
export interface Whole {
  /** The text that a model reads of it, blocks joined by line ends. */
  readonly text: string
  /** It holds more than that text: images, structured content, marks of an error. */
  readonly more: boolean
  /** Its text is the output of a command. */
  readonly command?: { readonly interrupted: boolean; readonly odd: boolean }
  /** A file in which the host kept all of the output, of which `text` is the beginning. */
  readonly kept?: { readonly path: string; readonly bytes: number }
  readonly failed: boolean
  /** The same result with another text; absent where the host would not take it. */
  readonly with?: (text: string) => Json
}

/** Reads a result by its shape. Undefined where there is nothing to read. */
export function wholeOf(response: Json | undefined): Whole | undefined {
  if (response === undefined || response === null) return undefined
  if (typeof response === 'string') return { text: response, more: false, failed: false, with: (text) => text }
  if (isList(response)) return blocksOf(response)
  if (typeof response !== 'object') return undefined
  const fields = response as Fields
  if (typeof fields['stdout'] === 'string' && typeof fields['stderr'] === 'string') return commandOf(fields)
  if (isList(fields['content'])) return envelopeOf(fields, fields['content'])
  return { text: JSON.stringify(response), more: true, failed: fields['isError'] === true }
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

const textOf = (block: Json): string | undefined => {
  if (typeof block !== 'object' || block === null || isList(block)) return undefined
  const fields = block as Fields
  return fields['type'] === 'text' && typeof fields['text'] === 'string' ? fields['text'] : undefined
}

/** A resource of MCP that lies in a block, whole: its text is read like any. */
function resourceOf(
  block: Json,
): { readonly block: Fields; readonly resource: Fields; readonly text: string } | undefined {
  if (typeof block !== 'object' || block === null || isList(block)) return undefined
  const fields = block as Fields
  const resource = fields['resource']
  if (fields['type'] !== 'resource' || typeof resource !== 'object' || resource === null || isList(resource))
    return undefined
  const { text } = resource as Fields
  return typeof text === 'string' ? { block: fields, resource: resource as Fields, text } : undefined
}

/** Resources that are named beside a digest of their texts. */
const MOST_RESOURCES = 8

/** The same blocks without the texts of resources, which the text before them stands for. */
function emptied(blocks: readonly Json[]): readonly Json[] {
  let named = 0
  return blocks.flatMap((block): readonly Json[] => {
    const found = resourceOf(block)
    if (found === undefined) return [block]
    const text = `[ctx ${Buffer.byteLength(found.text)} bytes, in the text above]`
    return ++named > MOST_RESOURCES ? [] : [{ ...found.block, resource: { ...found.resource, text } }]
  })
}

/** A list of content blocks. What is no text stays where it is. */
function blocksOf(blocks: readonly Json[]): Whole | undefined {
  const texts = blocks.map((block) => textOf(block) ?? resourceOf(block)?.text)
  if (blocks.length > 0 && texts.every((text) => text === undefined) && !blocks.every(isBlock))
    return { text: JSON.stringify(blocks), more: true, failed: false }
  const others = blocks.filter((block) => textOf(block) === undefined)
  return {
    text: texts.filter((text) => text !== undefined).join('\n'),
    more: others.length > 0,
    failed: false,
    with: (text) => [{ type: 'text', text }, ...emptied(others)],
  }
}

const isBlock = (block: Json): boolean =>
  typeof block === 'object' && block !== null && !isList(block) && typeof (block as Fields)['type'] === 'string'

/** Says, in place of what was left out, that it was. */
const CONTAINED: Json = { ctxContained: true }

/** `{content: […], isError?, structuredContent?, _meta?}` and its like: a result of MCP, or of an agent. */
function envelopeOf(fields: Fields, content: readonly Json[]): Whole | undefined {
  const blocks = blocksOf(content)
  if (blocks === undefined) return undefined
  const structured = fields['structuredContent']
  const text = blocks.text === '' && structured !== undefined ? JSON.stringify(structured) : blocks.text
  const put = blocks.with
  return {
    ...{ text, more: true, failed: fields['isError'] === true },
    ...(put === undefined
      ? {}
      : {
          with: (given: string) => ({
            ...fields,
            content: put(given),
            ...(structured === undefined ? {} : { structuredContent: CONTAINED }),
            ...(fields['_meta'] === undefined ? {} : { _meta: CONTAINED }),
          }),
        }),
  }
}

/** Keys of a command's result that do not go back as they are: its texts, and where the host keeps the whole of them. */
const TEXTS = new Set(['stdout', 'stderr', 'interrupted', 'isImage', 'persistedOutputPath', 'persistedOutputSize'])

/** Bytes of JSON of a key that is not known here, and of all of them. */
const MOST_KEY = 1024
const MOST_KEYS = 4096

/** What else a command's result says (a task in the background, what its code means), where it is small. */
function marksOf(fields: Fields): Fields {
  let left = MOST_KEYS
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => {
      if (TEXTS.has(key)) return false
      const bytes = Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(value))
      if (bytes > MOST_KEY || bytes > left) return false
      left -= bytes
      return true
    }),
  )
}

/** A command of Claude Code: an object whose texts are replaced by one. */
function commandOf(fields: Fields): Whole {
  const { stdout, stderr } = fields as { readonly stdout: string; readonly stderr: string }
  const interrupted = fields['interrupted'] === true
  const isImage = fields['isImage'] === true
  const path = fields['persistedOutputPath']
  const bytes = fields['persistedOutputSize']
  const kept = typeof path === 'string' && typeof bytes === 'number' ? { path, bytes } : undefined
  return {
    text: stderr === '' ? stdout : `${stdout}${stdout === '' || stdout.endsWith('\n') ? '' : '\n'}${stderr}`,
    more: false,
    // A code that is no failure to the host is told in words beside it; then it was not 0.
    command: {
      interrupted,
      odd: fields['returnCodeInterpretation'] !== undefined || fields['backgroundTaskId'] !== undefined,
    },
    ...(kept === undefined ? {} : { kept }),
    failed: false,
    ...(isImage
      ? {}
      : { with: (text: string) => ({ ...marksOf(fields), stdout: text, stderr: '', interrupted, isImage }) }),
  }
}

/** Whether a text is more than `most` bytes as UTF-8. Looks at no more of it than it needs to. */
export function isOver(text: string, most: number): boolean {
  if (text.length > most) return true
  if (text.length * 3 <= most) return false
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3
    if (bytes > most) return true
  }
  return false
}

/** Whether a text is ours: a digest, a retrieval, or what says that something was left out. */
export const isOurText = (text: string): boolean => text.startsWith('[ctx ') || text.startsWith('densified:')

/** Whether a tool is ours, whose results are bounded: a server that is named after us. */
export const isOurTool = (tool: string): boolean => /^(?:ctx$|mcp__(?:ctx|sallyport)(?:[-_]|$))/.test(tool)

/** JSON whose keys are sorted: the same value gives the same bytes. */
export function canonical(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )
}
