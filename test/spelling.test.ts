/** The same command in another spelling gets the same answer: what it does counts, never how it is written. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeCase, subjectOfWorld } from '../src/cli/check/case.ts'
import type { Decision } from '../src/core/verdict.ts'
import { parseShell } from '../src/shell/parse.ts'
import type { Simple } from '../src/shell/tree.ts'
import { frozenWorld } from '../src/world/frozen.ts'
import { everyRow, type Judged, SOAK } from './laws-support.ts'

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The line as one simple command with a plain name in front, or undefined. */
function simpleOf(line: string): Simple | undefined {
  const { script } = parseShell(line)
  const [statement] = script.statements
  if (script.statements.length !== 1 || statement?.background || statement?.node.is !== 'simple') return undefined
  return /^[a-z][a-z0-9_.-]*(?=\s)/.test(line) && statement.node.assigns.length === 0 ? statement.node : undefined
}

/** Names that are the shell's own: a prefix program cannot run them, and some of them are no command at all. */
const OWN = new Set(
  'cd pushd popd export source eval exec set unset read trap alias unalias local declare readonly typeset builtin command type hash shift exit return wait jobs bg fg if for while until case select function time coproc ulimit umask let shopt enable mapfile readarray complete'.split(
    ' ',
  ),
)

interface Spelling {
  readonly name: string
  /** The line in this spelling; undefined where it would be another command. */
  readonly of: (line: string) => string | undefined
}

const onName =
  (change: (name: string) => string) =>
  (line: string): string | undefined => {
    const name = /^[a-z][a-z0-9-]+(?=\s)/.exec(line)?.[0]
    return name === undefined || OWN.has(name) ? undefined : change(name) + line.slice(name.length)
  }

const before =
  (prefix: string) =>
  (line: string): string | undefined => {
    const name = simpleOf(line) && /^\S+/.exec(line)?.[0]
    return name === undefined || OWN.has(name) ? undefined : `${prefix} ${line}`
  }

const SPELLINGS: readonly Spelling[] = [
  { name: 'an empty quote inside the name', of: onName((name) => `${name[0]}''${name.slice(1)}`) },
  { name: 'the name in quotes', of: onName((name) => `"${name}"`) },
  { name: 'a backslash before the name', of: onName((name) => `\\${name}`) },
  { name: 'command', of: before('command') },
  { name: 'env', of: before('env') },
  { name: 'env with a variable', of: before('env LC_ALL=C') },
  { name: 'nice', of: before('nice -n 5') },
  { name: 'nohup', of: before('nohup') },
  { name: 'time', of: (line) => (simpleOf(line) ? `time ${line}` : undefined) },
  { name: 'timeout', of: before('timeout 60') },
  { name: 'sh -c', of: (line) => `bash -c ${quoted(line)}` },
  { name: 'sh -c twice', of: (line) => `bash -c ${quoted(`bash -c ${quoted(line)}`)}` },
  { name: 'eval', of: (line) => `eval ${quoted(line)}` },
  { name: 'a group', of: (line) => `{ ${line}\n}` },
  { name: 'a subshell', of: (line) => `( ${line}\n)` },
  { name: 'after another command', of: (line) => `ls; ${line}` },
  { name: 'after a command and', of: (line) => `true && { ${line}\n}` },
  { name: 'before another command', of: (line) => `${line}\necho done` },
  { name: 'through a variable', of: (line) => `c=${quoted(line)}; eval "$c"` },
  { name: 'in a function', of: (line) => `work() { ${line}\n}; work` },
  { name: 'in a branch', of: (line) => `if [ -d . ]; then ${line}\nfi` },
  { name: 'in a loop', of: (line) => `for i in 1; do ${line}\ndone` },
  { name: 'from a here document', of: (line) => (/\bEOT\b/.test(line) ? undefined : `bash <<'EOT'\n${line}\nEOT`) },
  { name: 'from a pipe', of: (line) => (line.includes('\\') ? undefined : `printf '%s\\n' ${quoted(line)} | bash`) },
]

/** More is refused of what runs with another user's rights, so this holds for refusals alone. */
const STRICTER: readonly Spelling[] = [{ name: 'sudo', of: before('sudo') }]

const judgeLine = ({ file, row }: Judged, command: string): { decision: Decision; rule: string } =>
  judgeCase(subjectOfWorld(file, { ...row, command }), frozenWorld(file)).verdict

/** Rows whose command can be put into another spelling: a shell line that is read to its end. */
const rowsOf = (decision: Decision): readonly Judged[] =>
  everyRow().filter(
    ({ row, result }) =>
      row.command !== undefined &&
      row.shell === undefined &&
      result.verdict.decision === decision &&
      result.verdict.status === 'complete',
  )

function differing(decision: Decision, spellings: readonly Spelling[]): string[] {
  const out: string[] = []
  let tried = 0
  rowsOf(decision).forEach((judged, i) => {
    spellings.forEach((spelling, j) => {
      if (!SOAK && (i + j) % 12 !== 0) return
      const line = spelling.of(judged.row.command!)
      if (line === undefined) return
      tried++
      const verdict = judgeLine(judged, line)
      const key = `${judged.row.id} ${spelling.name}`
      if (verdict.decision !== decision && !EXCEPTIONS.has(key))
        out.push(`${key}: ${verdict.decision} (${verdict.rule}) for ${JSON.stringify(line)}`)
    })
  })
  assert.ok(tried > 20, `only ${tried} were tried`)
  return out
}

/** Spellings that do mean something else, each with why. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['rm-scoped-08 from a here document', 'the answer of `rm -i` comes from the text that the shell reads'],
  ['rm-scoped-08 from a pipe', 'the answer of `rm -i` comes from the text that the shell reads'],
])

describe('spelling', () => {
  test('a refused command is refused in every spelling', () => {
    assert.deepEqual(differing('deny', [...SPELLINGS, ...STRICTER]), [])
  })

  test('a command that asks is not passed in any spelling', () => {
    const passed = differing('ask', [...SPELLINGS, ...STRICTER]).filter((line) => line.includes(': pass '))
    assert.deepEqual(passed, [])
  })

  test('a harmless command stays harmless in every spelling', () => {
    assert.deepEqual(differing('pass', SPELLINGS), [])
  })
})
