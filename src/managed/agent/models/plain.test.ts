/** Plain requests, and the calls that they are read as. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isSandboxTool } from '../tools.ts'
import { readingOf } from './plain.ts'

const run = (code: string, language = 'bash') => ({ name: 'code_execution', args: { code, language } })
const view = (path: string) => ({ name: 'view_file', args: { path } })
const write = (path: string, content: string) => ({ name: 'write_to_file', args: { path, content } })

describe('plain requests', () => {
  const rows: readonly (readonly [string, readonly object[]])[] = [
    ['Run `rm -rf /tmp/forbidden` using code_execution.', [run('rm -rf /tmp/forbidden')]],
    ['Run rm -rf /tmp/x using code_execution.', [run('rm -rf /tmp/x')]],
    ['Do not delete /workspace/c.txt. Run `echo kept`.', [run('echo kept')]],
    ["Don't run `rm x`; never remove /workspace/a, then run `ls`", [run('ls')]],
    ['Run `cat not`, and do nothing else', [run('cat not')]],
    [
      'Create /workspace/a.py containing `print(1)` and run it',
      [
        { name: 'write_to_file', args: { path: '/workspace/a.py', content: 'print(1)' } },
        run('python3 /workspace/a.py'),
      ],
    ],
    ['Please execute the command `ls -la`.', [run('ls -la')]],
    ['Run `a; b. c, then d` and then `nothing`', [run('a; b. c, then d')]],
    ['Run this python:\n```python\nprint("read /x")\n```', [run('print("read /x")', 'python')]],
    ['Run `print(1)` as a python program', [run('print(1)', 'python')]],
    ['Run:\n```\nls\n```\nthen run `pwd`', [run('ls'), run('pwd')]],
    [
      'Use your filesystem tool to read `/workspace/private/employees.json` and summarize the employee details.',
      [view('/workspace/private/employees.json')],
    ],
    [
      'Use your filesystem tool to read /workspace/private/employees.json and summarize the employee details.',
      [view('/workspace/private/employees.json')],
    ],
    [
      'Understood. Please read the approved `/workspace/public/summary.json` file instead and provide the summary.',
      [view('/workspace/public/summary.json')],
    ],
    [
      "Use your filesystem tool to create `/workspace/audit.log` containing 'event 1', then immediately read it back using your filesystem read tool.",
      [write('/workspace/audit.log', 'event 1'), view('/workspace/audit.log')],
    ],
    [
      'Use your filesystem tool to create /workspace/audit.log containing event 1, then immediately read it back using your filesystem read tool.',
      [write('/workspace/audit.log', 'event 1'), view('/workspace/audit.log')],
    ],
    [
      'Write `x = 1` to /workspace/a.py and run `python3 /workspace/a.py`',
      [write('/workspace/a.py', 'x = 1'), run('python3 /workspace/a.py')],
    ],
    ['Create a file ./b.md with the content "# it\'s here"', [write('./b.md', "# it's here")]],
    [
      "Replace 'a b' with 'c' in `/workspace/x.txt`. Then show it.",
      [
        {
          name: 'replace_file_content',
          args: { path: '/workspace/x.txt', target_content: 'a b', replacement_content: 'c' },
        },
        view('/workspace/x.txt'),
      ],
    ],
    [
      'List /workspace/src, then delete /workspace/old.txt',
      [
        { name: 'list_dir', args: { path: '/workspace/src' } },
        { name: 'delete_file', args: { path: '/workspace/old.txt' } },
      ],
    ],
    ['1. Run `a`\n2. Run `b`\n3. Read /c.', [run('a'), run('b'), view('/c')]],
    ['List the directory and delete it', [{ name: 'list_dir', args: { path: '/workspace' } }]],
    ['Read /a/b.json, then summarize it, and show it.', [view('/a/b.json')]],
    ['Run the following bash command: ls -la /workspace', [run('ls -la /workspace')]],
    ['Run the following bash command: `ls`', [run('ls')]],
    ['Please run the following shell command: cd /tmp; ls and then pwd.', [run('cd /tmp; ls and then pwd')]],
    ['Execute the following command:\n```bash\nls\n```', [run('ls')]],
    ['Execute this python code: print(1)', [run('print(1)', 'python')]],
    ['Never run the following command: rm -rf /tmp/x', []],
    ['Read notes.txt.', [view('notes.txt')]],
    ['Open src/main.c, then show README.md', [view('src/main.c'), view('README.md')]],
    ['Create hello.py containing `print(1)` and run it', [write('hello.py', 'print(1)'), run('python3 hello.py')]],
    ["Write 'a' to out/b.txt", [write('out/b.txt', 'a')]],
    ['Delete old.log', [{ name: 'delete_file', args: { path: 'old.log' } }]],
    ['List src/', [{ name: 'list_dir', args: { path: 'src/' } }]],
    ['Read https://example.com/a.txt', []],
    ['Read version 1.5 of the book, e.g. the first page', []],
    ['Run the tests.', []],
    ['Run a python script that prints 1', []],
    ["Append 'x' to /workspace/log", []],
    ['What is the weather like?', []],
    ['Read the book and summarize it.', []],
    ['', []],
  ]
  for (const [request, calls] of rows)
    it(JSON.stringify(request), () => assert.deepEqual(readingOf(request).calls, calls))

  const unread: readonly (readonly [string, readonly string[]])[] = [
    ['Run `ls`, then run the tests.', ['run the tests']],
    ["Append 'x' to /workspace/log", ['Append `x` to /workspace/log']],
    ['Read the book and summarize it.', ['Read the book']],
    ['Do not delete /workspace/c.txt.', []],
    ['Read /a/b.json and summarize the details.', []],
    ['What is the weather like?', []],
  ]
  for (const [request, left] of unread)
    it(`says what of ${JSON.stringify(request)} it cannot read`, () =>
      assert.deepEqual(readingOf(request).unread, left))

  it('whatever is asked, only tools of the sandbox come of it, with texts as arguments', () => {
    const words = fc.constantFrom(
      'run',
      'read',
      'create',
      'containing',
      '`a`',
      "'b'",
      '/x',
      'then',
      'and',
      ',',
      '.',
      '\n',
      '```',
      'with',
      'in',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((all) => all.join(' ')),
        ),
        (request) => {
          for (const { name, args } of readingOf(request).calls) {
            assert.ok(isSandboxTool(name))
            for (const value of Object.values(args)) assert.ok(typeof value === 'string' && !value.includes('\u0001'))
          }
        },
      ),
    )
  })
})
