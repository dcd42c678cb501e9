/**
 * `apply_patch` in a shell: some hosts put a program of that name on the path of what they run, or take such a line for a
 * call of their tool. The patch is the one operand, or stdin.
 */
import type { Asking } from '../core/question.ts'
import { exact, textsOf } from '../core/value.ts'
import { patchActions } from './agent-patch.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { stdinText, word } from './parts.ts'

/** A patch whose text is not known may change any file here. */
const anyFile = (call: Invocation): Doing => ({
  do: 'path',
  act: 'edit',
  at: word(call, '.'),
  tree: true,
  note: 'unpack',
})

export const applyPatch: Reader = function* (call): Asking<readonly Doing[]> {
  const [operand] = call.args
  const texts = operand === undefined ? (call.stdin.none ? [] : yield* stdinText(call)) : textsOf(operand.value)
  return texts === undefined ? [anyFile(call)] : texts.flatMap((text) => doingsOf(call, text))
}

function doingsOf(call: Invocation, text: string): readonly Doing[] {
  return patchActions(text).flatMap((action): readonly Doing[] => {
    switch (action.is) {
      case 'write': {
        const content = action.content === undefined ? {} : { content: { text: exact(action.content), taints: [] } }
        return [{ do: 'path', act: 'write', at: word(call, action.path), ...content }]
      }
      case 'edit':
      case 'delete':
        return [{ do: 'path', act: action.is, at: word(call, action.path) }]
      case 'move':
        return [{ do: 'move', from: [word(call, action.from)], to: word(call, action.to), into: 'no' }]
      case 'malformed':
        // What says of itself that it is a patch may be one to a reader that is more lenient.
        return text.includes('*** Begin Patch') ? [anyFile(call)] : []
      default:
        return []
    }
  })
}
