/**
 * Nothing that lies on the disk, and nothing that a command says, keeps a host waiting: the hook answers by its deadline,
 * with an answer that the host can read, whatever it met.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { need } from './need.ts'

/** The deadline of the hook is 5 s; starting it on a busy machine takes a while, too. */
const MOST_MS = 5_000 + 5_000
const MIB = 1 << 20
/** Below what is refused for its length alone, with room for the quotes around it. */
const NEARLY = MIB - 1024

const PROGRAM = join(import.meta.dirname, '../bin/sallyport.js')
let scratch: string
let project: string

before(() => {
  scratch = mkdtempSync(join(tmpdir(), 'deadline-'))
  project = join(scratch, 'home', 'shop')
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'src', 'only.ts'), 'the only copy\n')
})

after(() => rmSync(scratch, { recursive: true, force: true }))

type Decision = 'deny' | 'ask' | 'pass'

/** What the hook answers to a command, which is judged and never run. */
function answer(command: string): { decision: Decision; ms: number } {
  const payload = {
    ...{ session_id: 's', cwd: project, permission_mode: 'default', hook_event_name: 'PreToolUse' },
    ...{ tool_name: 'Bash', tool_input: { command } },
  }
  const start = performance.now()
  const done = spawnSync(process.execPath, [PROGRAM, 'hook', 'claude', 'PreToolUse'], {
    input: JSON.stringify(payload),
    env: { PATH: process.env['PATH'], HOME: join(scratch, 'home'), USER: 'ana' },
    cwd: project,
    timeout: 60_000,
  })
  const ms = performance.now() - start
  assert.equal(done.status, 0, String(done.stderr).slice(0, 500))
  const out = String(done.stdout)
  if (out === '') return { decision: 'pass', ms }
  const said = JSON.parse(out).hookSpecificOutput
  // A new input without a decision: the call goes on.
  if (said.permissionDecision === undefined) return { decision: 'pass', ms }
  assert.equal(said.hookEventName, 'PreToolUse')
  assert.ok(said.permissionDecisionReason.length <= 600)
  return { decision: said.permissionDecision, ms }
}

function inTime(command: string, decisions: readonly Decision[]): void {
  const { decision, ms } = answer(command)
  assert.ok(decisions.includes(decision), `${decision} after ${Math.round(ms)} ms`)
  assert.ok(ms < MOST_MS, `${decision} after ${Math.round(ms)} ms`)
}

test('what is judged here is judged', () => {
  assert.equal(answer('rm -rf ~').decision, 'deny')
  assert.equal(answer('ls src').decision, 'pass')
})

describe('the disk', () => {
  test('a script that is a pipe nobody writes to', (t) => {
    if (!need(t, 'mkfifo')) return
    spawnSync('mkfifo', [join(project, 'pipe.sh')])
    for (const command of [
      'sh pipe.sh',
      '. ./pipe.sh',
      'python3 pipe.sh',
      './pipe.sh',
      'bash < pipe.sh',
      'make -f pipe.sh',
    ])
      inTime(command, ['ask', 'deny', 'pass'])
  })

  test('links that lead to each other', () => {
    symlinkSync('b', join(project, 'a'))
    symlinkSync('a', join(project, 'b'))
    symlinkSync('.', join(project, 'here'))
    inTime('sh a && rm -rf a/x && cat b/', ['ask', 'deny', 'pass'])
    // More links than the system follows: it fails by itself.
    inTime(`rm -rf ${'here/'.repeat(100)}src`, ['ask', 'deny', 'pass'])
    inTime(`rm -rf ${'here/'.repeat(30)}src`, ['ask', 'deny'])
    inTime('find -L . -name "*.ts" -delete; rm -rf */*/*/*/*/*', ['ask', 'deny'])
  })

  test('a path of 200,000 steps', () => {
    inTime(`rm -rf ${'src/../'.repeat(100_000)}src`, ['ask', 'deny'])
    inTime(`cat ${'./'.repeat(200_000)}src`, ['ask', 'deny', 'pass'])
    inTime(`cd ${'src/../'.repeat(30_000)} && rm -rf ${'../shop/'.repeat(30_000)}`, ['ask', 'deny'])
  })

  test('directories with many names, and many below each other', () => {
    for (let i = 0; i < 3_000; i++) writeFileSync(join(project, 'src', `file-${i}.ts`), '')
    const deep = join(project, 'deep', ...Array.from({ length: 200 }, (_, i) => `d${i}`))
    mkdirSync(deep, { recursive: true })
    inTime('rm -f src/*.ts; rm -rf **/*.ts; cp -r src deep/copy; rm -rf deep', ['ask', 'deny'])
  })

  test('a script that starts itself and its like', () => {
    const names = Array.from({ length: 20 }, (_, i) => `s${i}.sh`)
    for (const name of names) writeFileSync(join(project, name), names.map((other) => `sh ${other}\n`).join(''))
    inTime('sh s0.sh', ['ask', 'deny', 'pass'])
  })

  test('a script as long as scripts are read', () => {
    writeFileSync(join(project, 'long.sh'), 'rm -f "$1/x" && cd src && cd ..\n'.repeat(8_000))
    inTime('bash long.sh /tmp', ['ask', 'deny'])
  })
})

describe('commands of nearly a mebibyte', () => {
  const fill = (piece: string, around = (text: string) => text) =>
    around(piece.repeat(Math.floor(NEARLY / piece.length)))
  const HOSTILE: readonly (readonly [name: string, line: string])[] = [
    ['one word', `rm -rf ${fill('a')}`],
    ['many words', `rm -rf ${fill('a ')}`],
    ['many commands', fill('rm -f a;')],
    ['many commands that change things', fill('echo x>a;')],
    ['many directories', fill('cd a;')],
    ['many pipes', `cat a ${fill('|cat')}`],
    ['conditions', `true ${fill('&&rm a||rm b')}`],
    ['open substitutions', fill('$(')],
    ['open groups', fill('(')],
    ['nested quotes', fill(`"$(echo '`)],
    ['backquotes', fill('`a`')],
    ['open here documents', fill('cat <<a;')],
    ['here documents', fill('cat <<a\nx\na\n')],
    ['braces', `rm ${fill('{a,b}')}`],
    ['nested braces', `rm ${fill('{a,')}`],
    ['ranges', `rm ${fill('{1..99999}')}`],
    ['a variable that doubles', `x=aa;${'x=$x$x;'.repeat(2_000)}rm -rf $x`],
    ['many variables', fill('a=$a/b;', (text) => `${text}rm -rf $a`)],
    ['defaults of defaults', fill('${a:-')],
    ['patterns', `rm ${fill('*?[a]')}`],
    ['deep patterns', `rm ${fill('**/')}a`],
    ['replacements', `x=${'a'.repeat(1000)};${'x=${x//a/aa};'.repeat(1000)}rm $x`],
    ['functions', fill('f(){ f|f& };f;')],
    ['aliases', fill("alias a='a;a';a;")],
    ['loops in loops', `${'for i in a b c d e f g h;do '.repeat(60)}rm $i;${'done;'.repeat(60)}`],
    ['loops that change directory', `${'while cd a;do '.repeat(60)}rm -rf x;${'done;'.repeat(60)}`],
    ['branches', fill('if a;then x=a;else x=b;fi;', (text) => `${text}rm $x`)],
    ['evaluated text', `${'eval '.repeat(5_000)}rm -rf a`],
    [
      'text in text',
      Array.from({ length: 14 }).reduce<string>((text) => `bash -c ${JSON.stringify(text)}`, 'rm -rf a'),
    ],
    ['arithmetic', `echo $((${fill('1+')}1))`],
    ['nested arithmetic', fill('$((1+')],
    ['a test', `[[ ${fill('! ')} a ]]`],
    ['an expression', `[[ a =~ ${fill('(a*)*')} ]] && rm a`],
    ['a program text', `python3 -c ${JSON.stringify(fill('f(').slice(0, MIB / 2))}`],
    ['a program of many calls', `python3 -c '${'import os;os.remove("a");'.repeat(20_000)}'`],
    ['a program of one expression', `node -e '${'a.b['.repeat(100_000)}'`],
    ['options', `git ${fill('-c a=b ')} push`],
    ['arguments for xargs', `echo ${fill('a ')} | xargs rm`],
    ['a sed script', `sed -i '${fill('s/a/b/;')}' a`],
    ['secrets', `echo ${fill('password=a ')}`],
    ['zero bytes and escapes', fill("$'\\x41\\0'")],
    ['letters beyond ASCII', `rm ${fill('é\u202e😀')}`],
  ]
  // All of them take minutes: a part runs here, the rest with SALLYPORT_SOAK=1.
  const every = process.env['SALLYPORT_SOAK'] === '1' ? 1 : 4
  for (const [name, line] of HOSTILE.filter((_, i) => i % every === 0)) {
    test(name, () => {
      assert.ok(line.length <= MIB)
      inTime(line, ['ask', 'deny', 'pass'])
    })
  }
})
