/** The digest of a run. */
import { parseAddress } from '../../containment/address.ts'
import { type DigestInput, digestOf, RUN_WINDOWS } from '../../containment/digest/digest.ts'
import { FAMILIES } from '../../containment/digest/families/index.ts'
import { userFamilies } from '../../containment/profiles/profiles.ts'
import { commandOf, commandOfArgv, commandsOfLine } from '../../containment/run/commands.ts'
import { lineOf } from '../../containment/run/line.ts'
import { notesOf, withNotes } from '../../containment/run/output.ts'
import type { Digested, Shown } from '../../containment/run/services.ts'
import type { Env } from '../../containment/store/types.ts'

/** Makes it. Each address in it is answered by the store, or none is printed. */
export async function digestRun(
  shown: Shown,
  { mask, maskSlice }: Pick<DigestInput, 'mask' | 'maskSlice'>,
  env: Env,
  home: string,
): Promise<Digested> {
  const { sealed, verdict, earlier, command, budget, focus, cwd } = shown
  const line = command.line ?? commandOfArgv(command.argv).line
  const input: DigestInput = {
    bytes: sealed.stream('merged'),
    sha256: sealed.streams.merged.sha256,
    commands: line === undefined ? [commandOf(command.argv)] : commandsOfLine(line),
    label: mask(command.line ?? lineOf(command.argv)).text,
    ...(verdict.exit === undefined ? {} : { exit: verdict.exit }),
    ...(verdict.signal === undefined ? {} : { signal: verdict.signal }),
    budget,
    ...(focus === undefined ? {} : { focus }),
    ...(earlier === undefined ? {} : { earlier }),
    windows: RUN_WINDOWS,
    mask,
    ...(maskSlice === undefined ? {} : { maskSlice }),
    ...(sealed.stopped === undefined ? {} : { stopped: sealed.stopped.at }),
  }
  const options = { families: [...(await userFamilies(env, home, cwd)), ...FAMILIES] }
  const addressed = sealed.handle === undefined ? undefined : digestOf({ ...input, handle: sealed.handle }, options)
  const all = addressed?.addresses.every((text) => {
    const address = parseAddress(text)
    return 'handle' in address && shown.answers(address)
  })
  const digest = addressed !== undefined && all ? addressed : digestOf(input, options)
  const { family, rawTokens, priced } = digest
  return { text: withNotes(digest.text, notesOf(verdict)), family, rawTokens: priced ? rawTokens : 0 }
}
