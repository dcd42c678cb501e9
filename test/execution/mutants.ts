/**
 * Faults that the test must find: each changes the text of one file of the guard as it is loaded, in a process of its own.
 * No file on the disk changes.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Mutant {
  readonly id: string
  /** Below the project. */
  readonly file: string
  /** A text that stands in the file once. */
  readonly from: string
  readonly to: string
}

/** In place of a mutant: the guard as it is, which must find nothing. */
export const UNCHANGED = 'unchanged'

export const MUTANTS: readonly Mutant[] = [
  { id: 'tee is not known', file: 'src/commands/tables/files.ts', from: "'tee gtee': tee,", to: '' },
  {
    id: 'truncate reads',
    file: 'src/commands/tables/files.ts',
    from: "o|--io-blocks -r|--reference:names -s|--size:',\n      operands: 'write…'",
    to: "o|--io-blocks -r|--reference:names -s|--size:',\n      operands: 'read…'",
  },
  { id: '>> reads', file: 'src/guard/redirect.ts', from: "engine,\n        'append',", to: "engine,\n        'read'," },
  {
    id: 'links are not followed',
    file: 'src/paths/resolve.ts',
    from: "if (found.kind !== 'link') {",
    to: 'if (true) {',
  },
  {
    id: 'links of the same line are forgotten',
    file: 'src/guard/perform-files.ts',
    from: 'if (doing.symbolic) m.overlay = withChange(',
    to: 'if (doing.symbolic) withChange(',
  },
  {
    id: 'a rail that is a link freezes only the link',
    file: 'src/adlc/linked.ts',
    from: 'if (linked.size === 0) return []',
    to: 'return []',
  },
  {
    id: 'rails with patterns do not count',
    file: 'src/adlc/rails.ts',
    from: 'for (const text of ticket.rails) {',
    to: 'for (const text of ticket.rails.filter((one) => !/[*?{[]/.test(one))) {',
  },
  {
    id: 'the source of mv stays',
    file: 'src/guard/perform-files.ts',
    from: "yield* affect(engine, 'delete', from, m, frame, by, { tree: true, ...(swallowed ? {} : { note: 'move' }) })",
    to: '',
  },
  {
    id: 'the destination of cp is read',
    file: 'src/guard/perform-files.ts',
    from: "const act = doing.keeps ? 'create' : 'write'\n",
    to: "const act = 'read'\n",
  },
  {
    id: 'process substitution does not run',
    file: 'src/guard/shell-env.ts',
    from: 'const outcome = yield* engine.script(script, child, { ...frame, source, stdin, forked: true })',
    to: 'const outcome = { out: stdin }',
  },
  {
    id: 'command substitution does not run',
    file: 'src/guard/shell-env.ts',
    from: 'const outcome = yield* engine.script(script, child, { ...frame, source, stdin: NO_STDIN })',
    to: 'const outcome = { out: NO_STDIN }',
  },
  { id: 'sed -i reads', file: 'src/commands/sed.ts', from: "onEach(inPlace ? 'edit' : 'read'", to: "onEach('read'" },
  {
    id: 'find -delete finds only',
    file: 'src/commands/find.ts',
    from: "state.doings.push(onPath('delete', at, tree))",
    to: '{}',
  },
  { id: 'chmod looks', file: 'src/commands/mode.ts', from: "act: 'mode',\n  at,", to: "act: 'names',\n  at," },
  {
    id: 'a program on standard input does not run',
    file: 'src/commands/interpreters/common.ts',
    from: 'if (stdin.none) return []',
    to: 'return []',
  },
  { id: 'eval does nothing', file: 'src/guard/builtins.ts', from: "['eval', evaluate],", to: "['eval', fixed(OK)]," },
  {
    id: 'cd goes nowhere',
    file: 'src/guard/builtins-place.ts',
    from: "m.cwd = status === 'fail' ? from :",
    to: 'm.cwd = true ? from :',
  },
  {
    id: 'functions are not called',
    file: 'src/guard/run-simple.ts',
    from: 'return yield* runFunction(engine, name, body, args.slice(1), m, frame, span)',
    to: 'return EITHER',
  },
  {
    id: 'settings of Claude Code in a project are no trust root',
    file: 'src/paths/tables/trust-root.ts',
    from: "'./.claude/settings*.json',",
    to: '',
  },
  {
    id: 'what a directory holds goes unseen',
    file: 'src/adlc/rails.ts',
    from: "if (plainInside(lead, plain)) best ??= 'ancestor'",
    to: '',
  },
]

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** How often the text of a mutant stands in its file: once, or the mutant is out of date. */
export const placesOf = ({ file, from }: Mutant): number =>
  readFileSync(join(ROOT, file), 'utf8').split(from).length - 1

/** Plants a mutant into what this process loads from now on. */
export function plant({ file, from, to }: Mutant): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.startsWith('file:') || fileURLToPath(url) !== join(ROOT, file)) return loaded
      const text = String(loaded.source)
      if (!text.includes(from)) throw new Error(`${file} does not hold the text of the mutant`)
      return { ...loaded, source: text.replace(from, () => to) }
    },
  })
}
