/** `ctx diff`: the command line's side of it. */
import { handleText, parseHandle } from '../../containment/address.ts'
import { diffAnswer } from '../../containment/query/diff.ts'
import { type Opened, openHandle } from '../../containment/query/source.ts'
import { commandOf, commandOfArgv, commandsOfLine } from '../../containment/run/commands.ts'
import type { Manifest } from '../../containment/store/types.ts'
import { EXIT, type Io } from '../io.ts'
import { askingOf, bookAnswer, budgetOf, type Refusal, refuse } from './asking.ts'

export interface DiffFlags {
  readonly budget?: string
  readonly json?: boolean
}

/** Prints what differs. Exit code 0, or 2 where one of the two is no run. */
export async function diffVerb(flags: DiffFlags, before: string, after: string, io: Io): Promise<number> {
  const asking = await askingOf(io)
  const budget = budgetOf(flags.budget, asking.result)
  if (typeof budget !== 'number') return refuse(io, 'diff', budget)
  const { mask } = asking
  const open = (text: string): Opened | Refusal => {
    const handle = parseHandle(text)
    return 'refused' in handle ? handle : openHandle(handle, asking)
  }
  const [a, b] = [open(before), open(after)]
  if ('refused' in a) return refuse(io, 'diff', a)
  if ('refused' in b) return refuse(io, 'diff', b)
  const commandsOf = ({ argv }: Manifest) => {
    const { line } = commandOfArgv(argv)
    return line === undefined ? [commandOf(argv)] : commandsOfLine(line)
  }
  const told = diffAnswer(a, b, { budget, mask, commandsOf })
  if ('refused' in told) return refuse(io, 'diff', told)
  io.out(flags.json ? `${JSON.stringify({ v: 1, text: told.text })}\n` : told.text)
  bookAnswer(io, 'diff', handleText(b.handle), told.text)
  return EXIT.ok
}
