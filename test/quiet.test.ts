/** The program among other programs: a reader that goes, a full disk, no home, no git. One sentence at most, no stack. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'

const PROGRAM = join(import.meta.dirname, '../bin/sallyport.js')
const scratch = mkdtempSync(join(tmpdir(), 'quiet-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

interface Row {
  readonly what: string
  /** A line of sh in which `$P` is the program; the code of `$P` goes to descriptor 3. */
  readonly line: string
  readonly code: number
  readonly out?: string | RegExp
  readonly err?: RegExp
  readonly env?: Readonly<Record<string, string>>
  readonly needs?: string
}

const FULL = '/dev/full'
const ROWS: readonly Row[] = [
  { what: 'a reader that has seen enough', line: '{ $P wrap detect; echo $? >&3; } | head -n 1', code: 0 },
  { what: 'a reader that goes at once', line: '{ $P --help; echo $? >&3; } | true', code: 0, out: '' },
  { what: 'nobody reads what is wrong', line: '{ $P nope 2>&1; echo $? >&3; } | true', code: 2, out: '' },
  {
    what: 'a full disk',
    line: `$P --help > ${FULL}; echo $? >&3`,
    code: 1,
    out: '',
    err: /^sallyport --help: the output cannot be written \(ENOSPC\)\n$/,
    needs: FULL,
  },
  ...(
    [
      ['a small output', 'echo one', 125],
      ['a flood', 'seq 9999', 125],
      ['a flood that is passed on', '--raw seq 9999', 125],
      ['an output of a run that failed', "--shell 'echo one; exit 3'", 3],
    ] as const
  ).map(([what, run, code]) => ({
    what: `a full disk behind ctx run: ${what}`,
    line: `$P run ${run.replace(/^(--\w+ )?/, '$1-- ')} > ${FULL}; echo $? >&3`,
    code,
    out: '',
    err: /^(?:sallyport run: the output was digested; .*\n)?sallyport run: the output cannot be written \(ENOSPC\)\n$/,
    needs: FULL,
  })),
  {
    what: 'a run whose reader has seen enough',
    line: '{ $P run --raw -- seq 99999999; echo $? >&3; } | head -n 1',
    code: 141,
    out: '1\n',
  },
  { what: 'a closed stdout', line: '$P --help >&-; echo $? >&3', code: 0, out: '' },
  { what: 'no git repository', line: '$P check -- ls; echo $? >&3', code: 0, out: 'pass\n' },
  { what: 'no home', line: 'unset HOME; $P check -- ls; echo $? >&3', code: 0, out: 'pass\n' },
  {
    what: 'a directory that is gone',
    line: 'mkdir gone; cd gone; rmdir ../gone; $P check -- ls; echo $? >&3',
    code: 2,
    err: /^sallyport check: there is no directory \S+gone\n$/,
  },
  { what: 'a narrow terminal', line: 'COLUMNS=20 $P check --help; echo $? >&3', code: 0, out: /^Say what/ },
  {
    what: 'no colour',
    line: '$P explain -- "rm -rf x"; echo $? >&3',
    code: 0,
    out: /^[^\u001b]*$/,
    env: { NO_COLOR: '1' },
  },
]

describe('quiet and right', () => {
  for (const { what, line, code, out, err, env, needs } of ROWS)
    test(what, { skip: needs !== undefined && !existsSync(needs) ? `${needs} is absent` : false }, () => {
      const program = `"${process.execPath}" "${PROGRAM}"`
      const state = { HOME: scratch, XDG_STATE_HOME: join(scratch, 'state'), PATH: process.env['PATH'] }
      const ran = spawnSync('/bin/sh', ['-c', line.replaceAll('$P', program)], {
        cwd: scratch,
        env: { ...state, ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      })
      assert.equal(ran.output[3], `${code}\n`, ran.stderr)
      if (typeof out === 'string') assert.equal(ran.stdout, out)
      else if (out !== undefined) assert.match(ran.stdout, out)
      if (err === undefined) assert.equal(ran.stderr, '')
      else assert.match(ran.stderr, err)
    })
})
