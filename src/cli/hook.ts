/** `sallyport hook <host> <event> [--unattended] [--exit-code]`: what agent hosts start for each tool call. */
import { judgeCall } from '../guard/judge.ts'
import { runHook } from './hook/run.ts'

/**
 * Answers one event of a host: its payload on stdin, one answer in its dialect on stdout. `argv` is what follows `hook`.
 * Ends the process, always with code 0: hosts ignore a hook that fails.
 */
export function hookMain(argv: string[]): void {
  runHook(argv, judgeCall)
}
