/** A conversation parted as providers want it: what the user gave, what the model said and called, what came of the calls. */
import { type Call, type Content, callOf, resultOf, type Step } from '../steps.ts'

export interface Outcome {
  readonly call: Pick<Call, 'id' | 'name'>
  readonly text: string
  readonly isError: boolean
}

export type Part =
  | { readonly role: 'user'; readonly content: readonly Content[] }
  | { readonly role: 'model'; readonly text: string; readonly calls: readonly Call[] }
  | { readonly role: 'results'; readonly results: readonly Outcome[] }

/** Parts in order; neighbours of one role are one part. */
export function partsOf(steps: readonly Step[]): readonly Part[] {
  const out: Part[] = []
  const names = new Map<string, string>()
  for (const step of steps) {
    const last = out.at(-1)
    const call = callOf(step)
    const result = resultOf(step)
    if (step.type === 'user_input') {
      if (last?.role === 'user') out[out.length - 1] = { role: 'user', content: [...last.content, ...step.content] }
      else out.push({ role: 'user', content: step.content })
    } else if (step.type === 'model_output' || call !== undefined) {
      const text = step.type === 'model_output' ? step.content.map((piece) => piece.text).join('') : ''
      if (call !== undefined) names.set(call.id, call.name)
      const calls = call === undefined ? [] : [call]
      if (last?.role === 'model')
        out[out.length - 1] = { role: 'model', text: last.text + text, calls: [...last.calls, ...calls] }
      else out.push({ role: 'model', text, calls })
    } else if (result !== undefined) {
      const { callId, text, isError } = result
      const outcome = { call: { id: callId, name: names.get(callId) ?? 'unknown' }, text, isError }
      if (last?.role === 'results') out[out.length - 1] = { role: 'results', results: [...last.results, outcome] }
      else out.push({ role: 'results', results: [outcome] })
    }
  }
  return out
}

/** Data of a picture or the like that came with the request, as base64; undefined for anything else. */
export function dataOf(content: Content): { readonly data: string; readonly mime: string } | undefined {
  const { data, mime_type } = content as { readonly data?: unknown; readonly mime_type?: unknown }
  return typeof data === 'string' && typeof mime_type === 'string' ? { data, mime: mime_type } : undefined
}

/** What a provider said went wrong: one line, without what was sent to it. */
export function sentenceOf(error: unknown, secret: string | undefined): string {
  const text = (error instanceof Error ? error.message : String(error)).split('\n')[0]!.slice(0, 300)
  return secret === undefined || secret === '' ? text : text.replaceAll(secret, '[hidden]')
}
