import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lab } from './sandbox.testing.ts'

test('an environment runs a program and the six tools', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, tool } = one
  const { id } = await environments.create({
    sources: [
      { type: 'inline', target: 'workspace/a.txt', content: 'one\ntwo\nthree\n' },
      { type: 'inline', target: '/data/b.bin', content: 'AAEC', encoding: 'base64' },
    ],
    env: { GREETING: 'hello', TOKEN: { credential: 'known' } },
  })
  const end = await environments.run(id, {
    argv: [
      '/bin/sh',
      '-c',
      'cat /dev/stdin; pwd; echo $GREETING $TOKEN > /dev/stdout; echo oops > /dev/stderr; exit 3',
    ],
    cwd: '/data',
    stdin: 'in\n',
    timeout: 10_000,
    outputLimit: 1024,
  })
  assert.equal(Buffer.from(end.stdout).toString(), 'in\n/data\nhello __GEMINI_CRED_known__\n')
  assert.equal(Buffer.from(end.stderr).toString(), 'oops\n')
  assert.deepEqual([end.started, end.exit, end.killedBy, end.timedOut], [true, 3, null, false])

  const rows: readonly [string, Parameters<typeof tool>[1], Record<string, unknown>, object][] = [
    ['bash', 'code_execution', { code: 'cat a.txt | wc -l', language: 'bash' }, { output: '3\n', isError: false }],
    ['python', 'code_execution', { code: 'print(1+1)', language: 'python' }, { output: '2\n', isError: false }],
    ['node', 'code_execution', { code: 'console.log(6*7)', language: 'node' }, { output: '42\n', isError: false }],
    [
      'stderr of a success is an error of the post event',
      'code_execution',
      { code: 'echo x >&2', language: 'bash' },
      { output: '[stderr]\nx\n', isError: false, error: 'x' },
    ],
    [
      'a silent failure',
      'code_execution',
      { code: 'exit 3', language: 'bash' },
      { output: '[exit status 3]', isError: true, error: 'exit status 3' },
    ],
    ['view', 'view_file', { path: '/workspace/a.txt' }, { output: 'one\ntwo\nthree\n', isError: false }],
    [
      'view part',
      'view_file',
      { AbsolutePath: '/workspace/a.txt', StartLine: 2, EndLine: 2 },
      { output: 'two\n', isError: false },
    ],
    [
      'view missing',
      'view_file',
      { path: '/nowhere/a' },
      { output: 'view_file: /nowhere/a does not exist', isError: true, error: '/nowhere/a does not exist' },
    ],
    [
      'write',
      'write_to_file',
      { path: 'sub/c.txt', content: 'x=1\n' },
      { output: 'Created /workspace/sub/c.txt (4 bytes).', isError: false },
    ],
    [
      'replace',
      'replace_file_content',
      { TargetFile: '/workspace/sub/c.txt', TargetContent: 'x=1', ReplacementContent: 'x=2' },
      { output: 'Replaced 1 occurrence in /workspace/sub/c.txt.', isError: false },
    ],
    ['it was replaced', 'code_execution', { code: 'cat sub/c.txt' }, { output: 'x=2\n', isError: false }],
    ['list', 'list_dir', { path: '/workspace' }, { output: 'a.txt (14 bytes)\nsub/', isError: false }],
    ['delete', 'delete_file', { path: 'sub/c.txt' }, { output: 'Deleted /workspace/sub/c.txt.', isError: false }],
    ['deleted', 'list_dir', { DirectoryPath: 'sub' }, { output: '/workspace/sub is empty.', isError: false }],
    [
      'delete missing',
      'delete_file',
      { path: 'sub/c.txt' },
      {
        output: 'delete_file: /workspace/sub/c.txt does not exist',
        isError: true,
        error: '/workspace/sub/c.txt does not exist',
      },
    ],
  ]
  for (const [name, which, args, expected] of rows) assert.deepEqual(await tool(id, which, args), expected, name)

  const record = await environments.get(id)
  assert.deepEqual([record?.fileCount, record?.sizeBytes, record?.status], [2, 17, 'active'])
  await environments.remove(id)
  assert.equal(await environments.get(id), undefined)
})

test('a program that nests directories without end neither stops others nor breaks what tells of its environment', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments } = one
  const { id } = await environments.create({})
  const nest = (count: number, length: number) =>
    `import os; os.chdir("/workspace"); n = "d" * ${length}; [(os.mkdir(n), os.chdir(n)) for _ in range(${count})]`
  for (const code of [nest(25, 200), nest(200, 1)]) {
    const end = await environments.run(id, {
      ...{ argv: ['python3', '-c', `${code}; open("leaf", "w").write("x")`], cwd: '/' },
      ...{ timeout: 30_000, outputLimit: 1024 },
    })
    assert.equal(end.exit, 0, Buffer.from(end.stderr).toString())
  }

  let turns = 0
  let over = false
  const others = () => {
    turns++
    if (!over) setImmediate(others)
  }
  setImmediate(others)
  const record = await environments.get(id)
  over = true
  // The leaf beyond the longest path is not seen, the other one is.
  assert.equal(record?.fileCount, 1)
  assert.ok(turns > 200, `others had ${turns} turns`)

  const files = await environments.files(id)
  const seen: string[] = []
  for await (const { path } of files.list('/workspace', true)) seen.push(path)
  assert.ok(seen.includes(`workspace/${'d/'.repeat(200)}leaf`))
  for (const long of [`/${'n'.repeat(256)}`, `/workspace/${'é'.repeat(128)}/x`])
    await assert.rejects(files.stat(long), { status: 400 })
})

test('words and variables that no program can be started with are refused in one sentence', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash } = one
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`V${n}`, 'x'.repeat(100_000)]))
  for (const [env, says] of [
    [{ BIG: 'x'.repeat(131_068) }, /^env: the variable BIG has 131072 bytes, and the system takes up to 131071$/],
    [many, /^env: command and variables have 20\d+ bytes together, and the system takes up to \d+$/],
  ] as const)
    await assert.rejects(environments.create({ env }), { status: 400, message: says })
  const { id } = await environments.create({ env: { BIG: 'x'.repeat(131_067) } })
  assert.equal((await bash(id, 'echo ${#BIG}')).output, '131067\n')
  const end = await environments.run(id, {
    ...{ argv: ['/bin/sh', '-c', `: ${'x'.repeat(140_000)}`], cwd: '/', timeout: 10_000, outputLimit: 100 },
  })
  assert.deepEqual(
    [end.started, end.why],
    [false, 'word 3 of the command has 140002 bytes, and the system takes up to 131071'],
  )
})
