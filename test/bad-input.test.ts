/** Input that is not what a verb takes: one sentence that names it, the documented code, and no stack. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { runProgram } from '../src/cli/program.ts'

const cwd = mkdtempSync(join(tmpdir(), 'bad-input-'))
after(() => rmSync(cwd, { recursive: true, force: true }))
mkdirSync(join(cwd, 'dir'))
const FILES = {
  empty: '',
  binary: '\u0000\u0001\ufffd',
  broken: '{"a":',
  list: '[]\n',
  text: '"x"\n',
  huge: ' '.repeat(8_000_000),
}
for (const [name, content] of Object.entries(FILES)) writeFileSync(join(cwd, name), content)
const ALL = ['missing', 'dir', ...Object.keys(FILES)]
const NO_DIRECTORY = ALL.filter((name) => name !== 'dir')

/** A command line in which `@` is the input, the inputs that it must refuse, and with which code. */
const ROWS: readonly (readonly [line: string, inputs: readonly string[], code: number])[] = [
  ['check --world @ -- ls', ALL, 2],
  ['check --reports @', ALL, 2],
  ['check --cases @ --worlds dir', ALL, 2],
  ['check --cwd @ -- ls', NO_DIRECTORY, 2],
  ['explain --world @ -- ls', ALL, 2],
  ['explain --cwd @ -- ls', NO_DIRECTORY, 2],
  ['policy check --cwd @', NO_DIRECTORY, 2],
  ['adlc lint --cwd @', ALL, 2],
  ['adlc status --cwd @', ALL, 2],
  ['rails check --base HEAD --cwd @', ALL, 1],
  ['replay @', ALL, 1],
  ['gain --prices @', ALL, 2],
  ['get repo:@', ['missing', 'dir'], 2],
  ['stats repo:@', ['missing'], 2],
  ['search repo:@ x', ['missing'], 2],
  ['digest @', ['missing', 'dir'], 2],
  ['hooks lint @', ['missing', 'dir'], 2],
  ['hooks test --tool code_execution @', ['missing', 'dir'], 2],
  ['run --cwd @ -- true', NO_DIRECTORY, 125],
  ['probe --program @ claude', ALL, 2],
  ['serve --key-file @', ['missing', 'dir', 'empty', 'binary', 'huge'], 2],
  ['serve --upstreams @', ALL, 2],
]

describe('bad input', () => {
  for (const [line, inputs, code] of ROWS)
    for (const input of inputs)
      test(line.replace('@', input), async () => {
        let out = ''
        let err = ''
        const io = {
          out: (text: string) => {
            out += text
          },
          err: (text: string) => {
            err += text
          },
          cwd,
          env: { HOME: cwd, XDG_STATE_HOME: join(cwd, 'state'), PATH: process.env['PATH'] },
          colour: false,
        }
        const before = process.cwd()
        process.chdir(cwd)
        try {
          assert.equal(await runProgram('sallyport', line.replace('@', input).split(' '), io), code, out + err)
        } finally {
          process.chdir(before)
        }
        const verb = line.split(' ')[0]!
        const sentences = err.split('\n').filter(Boolean)
        assert.equal(sentences.length, 1, err)
        assert.ok(sentences[0]!.startsWith(`sallyport ${verb}`), err)
        assert.ok(!/\n\s+at |Error:/.test(err), err)
      })
})
