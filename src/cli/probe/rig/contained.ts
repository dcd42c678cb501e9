/** Scenarios of containment, which hosts share as far as their tools are alike: what floods, and where it is kept. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../../containment/store/store.ts'
import { PROJECT } from './scenario.ts'
import { quote } from './scratch.ts'

/** Prints 4,000 lines with one that is unlike them, leaves a mark, and ends with 3. */
const CODE =
  'for (let i = 1; i <= 4000; i++) console.log(i === 2718 ? "the odd one out" : `line ${i} of 4000`); require("fs").writeFileSync("marker", "ran"); process.exitCode = 3'
const ARGV = ['node', '-e', CODE]
export const FAILING_FLOOD = `node -e '${CODE}'`

const lineOf = (n: number) => (n === 2718 ? 'the odd one out' : `line ${n} of 4000`)
const FAILING_OUTPUT = Array.from({ length: 4000 }, (_, at) => `${lineOf(at + 1)}\n`).join('')

/** Prints 1,500 lines, leaves a mark, and succeeds; no table knows it. */
export const UNKNOWN_FLOOD = './flood.sh'
export const FLOOD_SCRIPT =
  '#!/bin/sh\ni=0\nwhile [ $i -lt 1500 ]; do i=$((i+1)); echo "line $i of 1500"; done\ntouch marker\n'
const UNKNOWN_OUTPUT = Array.from({ length: 1500 }, (_, at) => `line ${at + 1} of 1500\n`).join('')

/** Our program, as a host's shell starts it: its PATH may lead to another Node. */
export const CTX = [process.execPath, join(PROJECT, 'bin/ctx.js')].map(quote).join(' ')

/** The address that a store gives to a run: it depends on nothing but the run. */
function handleOf(argv: readonly string[], output: string, exit: number | undefined): string {
  const home = mkdtempSync(join(tmpdir(), 'drive-'))
  try {
    const store = openStore({ env: {}, home })
    const sealed = store.putBytes(Buffer.from(output), { argv, ...(exit === undefined ? {} : { exit }) })
    if (sealed.handle === undefined) throw new Error('nothing is kept')
    return sealed.handle
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

export const failingHandle = (): string => handleOf(ARGV, FAILING_OUTPUT, 3)
/** `exit`: where the host tells how it ended. */
export const unknownHandle = (output: (text: string) => string, exit?: number): string =>
  handleOf([UNKNOWN_FLOOD], output(UNKNOWN_OUTPUT), exit)

/** Twice that, which Claude Code cuts, and keeps in a file. */
export const KEPT_FLOOD = `${UNKNOWN_FLOOD} && ${UNKNOWN_FLOOD}`
export const keptHandle = (): string => handleOf(['sh', '-c', KEPT_FLOOD], UNKNOWN_OUTPUT.repeat(2), 0)
