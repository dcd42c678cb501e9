import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Json } from '../core/call.ts'
import { textOf } from '../core/value.ts'
import { doingsOfTool } from './tool-words.ts'

/** Server, tool, arguments → what is read from them, in short. */
const TABLE: readonly (readonly [string, string, Json, readonly string[]])[] = [
  ['shell', 'run', { command: 'rm -rf x' }, ['sh: rm -rf x']],
  ['shell', 'exec', { cmd: 'ls' }, ['sh: ls']],
  ['shell', 'run', { argv: ['rm', '-rf', 'x'] }, ['run: rm -rf x']],
  ['shell', 'run', { command: ['rm', 'x'] }, ['run: rm x']],
  ['shell', 'run', { command: 'rm', args: ['-rf', 'x'] }, ['run: rm -rf x']],
  ['shell', 'execute', { script: 'rm x' }, ['sh: rm x']],
  ['x', 'run_code', { language: 'python', code: 'print(1)' }, ['python: print(1)']],
  ['x', 'run_code', { code: 'f(1)' }, ['opaque']],
  ['ide', 'executeCode', { code: 'print(1)' }, ['python: print(1)']],
  ['puppeteer', 'evaluate', { script: 'document.title' }, []],
  ['postgres', 'execute', { query: 'DELETE FROM users' }, ['run: psql -c DELETE FROM users']],
  ['docs', 'search', { query: 'drop table' }, []],
  ['npm', 'run_script', { script: 'test' }, []],
  ['github', 'delete_repository', { owner: 'a', repo: 'b' }, ['change: github delete_repository']],
  ['k8s', 'deletePod', { name: 'x' }, ['change: k8s deletePod']],
  ['terraform', 'destroy', {}, ['change: terraform destroy']],
  ['fs', 'delete_file', { path: '/a' }, []],
  ['github', 'create_issue', { title: 'delete everything' }, []],
  ['', 'use_tool', { tool: 'run', arguments: { command: 'rm -rf x' } }, ['sh: rm -rf x']],
  [
    '',
    'call',
    { calls: [{ input: { cmd: 'rm', args: ['-rf', 'x'] } }, { input: { cmd: 'ls' } }] },
    ['run: rm -rf x', 'sh: ls'],
  ],
  ['', 'batch', { commands: ['ls', 'rm -rf x'] }, ['sh: ls', 'sh: rm -rf x']],
  ['', 'call', { args: { argv: ['rm', '-rf', 'x'] } }, ['run: rm -rf x']],
  ['shell', 'run', { command: 'rm', argv: ['-rf', 'x'] }, ['run: rm -rf x']],
  ['', 'batch', { commands: 'rm -rf x' }, ['sh: rm -rf x']],
  ['', 'batch', { steps: { commands: ['rm x', 5] } }, ['sh: rm x']],
  ['docs', 'search', { filter: { text: 'rm -rf x', tags: [null, 'cmd'] } }, []],
  ['x', 'y', null, []],
  ['x', 'y', ['command'], []],
  ['x', 'y', { command: 5 }, []],
]

const short = (doing: ReturnType<typeof doingsOfTool>[number]): string => {
  if (doing.do === 'code') return `${doing.language}: ${textOf(doing.text)}`
  if (doing.do === 'run') return `run: ${doing.argv.map((arg) => textOf(arg.value)).join(' ')}`
  if (doing.do === 'other') return `${doing.act}: ${doing.service} ${doing.what}`
  return doing.do
}

describe('words of tools', () => {
  for (const [server, tool, args, wanted] of TABLE) {
    test(`${server} ${tool} ${JSON.stringify(args)}`, () => {
      assert.deepEqual(doingsOfTool(server, tool, args).map(short), wanted)
    })
  }
})
