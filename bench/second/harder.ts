/** Outputs in which what matters is hidden well: behind prefixes, among other failures, in other scripts. */
import { type Make, NOUNS, needle, PLACES, picks, text, times, VERBS } from './kit.ts'

const stamp = (i: number) =>
  `2026-05-04T10:${String(Math.floor(i / 60) % 60).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}.1234567Z `

export const HARDER: Readonly<Record<string, Make>> = {
  ciLog: (r) => {
    const bad = `tests/test_${r.of(NOUNS)}.py::test_${r.of(VERBS)}_${r.int(1, 99)}`
    const lines = [
      '##[group]Run pip install -r requirements.txt',
      ...times(
        200,
        (i) =>
          `Requirement already satisfied: ${r.of(NOUNS)}-${i} in /opt/python (from -r requirements.txt (line ${i})) (${r.int(1, 9)}.${i})`,
      ),
      '##[endgroup]',
      '##[group]Run pytest',
      ...times(150, (i) => `tests/test_${r.of(PLACES)}${i}.py ${'.'.repeat(r.int(3, 30))} [ ${i}%]`),
      '=================================== FAILURES ===================================',
      '    def test_total():',
      '>       assert total == 12',
      `E       AssertionError: assert ${r.int(13, 90)} == 12`,
      '=========================== short test summary info ============================',
      `FAILED ${bad} - AssertionError`,
      '========================= 1 failed, 2044 passed in 31.20s ======================',
      '##[error]Process completed with exit code 1.',
      'Post job cleanup.',
      ...times(40, () => `[command]/usr/bin/git config --local --unset-all ${r.of(NOUNS)}.extraheader`),
    ]
    return {
      exit: 1,
      text: text(lines.map((line, i) => stamp(i) + line)),
      needles: [needle('failure', bad), needle('count', '1 failed, 2044 passed'), needle('cause', '== 12')],
    }
  },
  compose: (r) => {
    const services = ['web-1   ', 'db-1    ', 'queue-1 ']
    const broken = `${r.of(NOUNS)}_schema_v${r.int(3, 9)}`
    const trace = [
      'Traceback (most recent call last):',
      '  File "/srv/app/boot.py", line 41, in <module>',
      '    migrate()',
      `LookupError: no migration named ${broken}`,
    ].map((line) => `web-1    | ${line}`)
    const lines = times(
      1200,
      (i) =>
        `${r.of(services)} | ${r.of(['checkpoint complete', 'connection received', 'heartbeat', 'job taken'])} ${i}`,
    )
    lines.splice(r.int(200, 1000), 0, ...trace)
    return { exit: 1, text: text(lines), needles: [needle('cause', broken)] }
  },
  cascade: (r) => {
    const first = `src/${r.of(NOUNS)}.hpp:${r.int(10, 90)}:7: error: 'span_t' does not name a type`
    return {
      exit: 1,
      text: text([
        first,
        ...times(300, (i) => [
          `src/${r.of(PLACES)}${i % 30}.cpp:${r.int(1, 400)}:${r.int(1, 60)}: error: 'view${i % 40}' was not declared in this scope`,
          `   12 |   view${i % 40}.size();`,
          '      |   ^~~~~~',
        ]).flat(),
        'compilation terminated due to -fmax-errors=300.',
      ]),
      needles: [
        needle('cause', 'span_t'),
        needle('file', first.split(':').slice(0, 2).join(':')),
        needle('tail', 'compilation terminated'),
      ],
    }
  },
  fatalAmongErrors: (r) => {
    const kinds = [
      'retry of upload failed',
      'cache miss for key',
      'slow query detected',
      'lost connection to peer',
      'invalid session token',
    ]
    const lines = times(2500, (i) => `${stamp(i)}ERROR ${r.of(PLACES)} ${r.of(kinds)} id=${r.hex(8)} n=${i}`)
    const shard = `shard-${r.int(10, 99)}`
    lines.splice(r.int(400, 2000), 0, `${stamp(7)}FATAL storage journal of ${shard} is truncated, refusing writes`)
    return { exit: 1, text: text(lines), needles: [needle('cause', `journal of ${shard}`)] }
  },
  deprecations: (r) => {
    const lines = times(350, (i) => [
      `/srv/app/${r.of(PLACES)}_${i}.py:${r.int(1, 300)}: DeprecationWarning: ${r.of(VERBS)}_${r.of(NOUNS)} is deprecated, use v2`,
      `  ${r.of(VERBS)}(${i})`,
    ]).flat()
    lines.splice(
      2 * r.int(40, 300),
      0,
      '/srv/app/pay.py:88: RuntimeWarning: divide by zero encountered in scalar divide',
      '  rate = paid / due',
    )
    return { exit: 0, text: text(lines), needles: [needle('quiet', 'divide by zero')] }
  },
  msbuild: (r) => {
    const where = `Ledger.cs(${r.int(10, 300)},${r.int(1, 60)})`
    const warn = () =>
      `/srv/app/${r.of(NOUNS)}.cs(${r.int(1, 400)},${r.int(1, 80)}): warning CS8618: Non-nullable property '${r.of(NOUNS)}' must contain a non-null value [/srv/app/app.csproj]`
    const lines = times(240, warn)
    lines.splice(
      r.int(20, 200),
      0,
      `/srv/app/${where}: error CS1061: 'Ledger' does not contain a definition for 'Settle' [/srv/app/app.csproj]`,
    )
    return {
      exit: 1,
      text: `${['MSBuild version 17.9', ...lines, '', 'Build FAILED.', '    240 Warning(s)', '    1 Error(s)', '', 'Time Elapsed 00:00:09.41'].join('\r\n')}\r\n`,
      needles: [
        needle('cause', "definition for 'Settle'"),
        needle('file', where),
        needle('count', '1 Error(s)'),
        needle('verdict', 'Build FAILED'),
      ],
    }
  },
  merge: (r) => {
    const bad = picks(r, 2, 140)
    const files = times(140, (i) => `${r.of(PLACES)}/${r.of(NOUNS)}_${i}.ts`)
    return {
      exit: 1,
      text: text([
        ...files.flatMap((file, i) =>
          bad.includes(i)
            ? [`Auto-merging ${file}`, `CONFLICT (content): Merge conflict in ${file}`]
            : [`Auto-merging ${file}`],
        ),
        'Automatic merge failed; fix conflicts and then commit the result.',
      ]),
      needles: [
        ...bad.map((i) => needle('failure', `Merge conflict in ${files[i]}`)),
        needle('tail', 'Automatic merge failed'),
      ],
    }
  },
  planError: (r) => {
    const what = `aws_lb.${r.of(NOUNS)}_public`
    return {
      exit: 1,
      text: text([
        ...times(160, (i) => `aws_instance.${r.of(NOUNS)}[${i}]: Refreshing state... [id=i-${r.hex(17)}]`),
        '╷',
        '│ Error: creating load balancer: DuplicateLoadBalancerName',
        '│ ',
        `│   with ${what},`,
        `│   on main.tf line ${r.int(10, 90)}, in resource "aws_lb" "public":`,
        '│   12: resource "aws_lb" "public" {',
        '╵',
      ]),
      needles: [needle('cause', 'DuplicateLoadBalancerName'), needle('file', what)],
    }
  },
  otherScript: (r) => {
    const id = r.int(1000, 9999)
    const lines = times(
      1500,
      (i) => `2026年5月4日 ${i % 24}時 情報: 注文${r.int(1, 9999)}を処理しました (${r.int(1, 90)}ミリ秒)`,
    )
    lines.splice(r.int(200, 1300), 0, `2026年5月4日 3時 情報: 在庫${id}を破棄しました`)
    return { exit: 0, text: text(lines), needles: [needle('quiet', `在庫${id}を破棄`)] }
  },
  kernel: (r) => {
    const lines = times(
      1400,
      (i) =>
        `[${String(i).padStart(5)}.${r.int(100000, 999999)}] ${r.of(['usb 1-1: new high-speed device number', 'e1000e: eth0 link is up at', 'audit: type=1400 pid='])} ${r.int(1, 900)}`,
    )
    const proc = `${r.of(VERBS)}d`
    lines.splice(
      r.int(300, 1200),
      0,
      `[ 4711.118202] Out of memory: Killed process ${r.int(100, 9999)} (${proc}) total-vm:8123456kB, anon-rss:7012345kB`,
    )
    return { exit: 0, text: text(lines), needles: [needle('cause', `(${proc}) total-vm`)] }
  },
  coverage: (r) => {
    const odd = `src/${r.of(NOUNS)}/${r.of(VERBS)}_gateway.ts`
    const rows = times(
      180,
      (i) =>
        `${`src/${r.of(PLACES)}/${r.of(NOUNS)}_${i}.ts`.padEnd(44)} |  9${r.int(0, 9)}.${r.int(10, 99)} |   9${r.int(0, 9)}.1 |   100 |`,
    )
    return {
      exit: 1,
      text: text([
        'File                                         | % Stmts | % Branch | % Funcs | Uncovered',
        ...rows,
        `ERROR: Coverage for lines (78.2%) does not meet global threshold (80%)`,
        `ERROR: Coverage for branches of ${odd} does not meet threshold`,
      ]),
      needles: [needle('cause', '78.2%'), needle('file', odd)],
    }
  },
  config: (r) => {
    const at = r.int(30, 380)
    const id = r.int(100, 999)
    return {
      exit: 0,
      text: text([
        '<config>',
        ...times(400, (i) => [
          '  <route>',
          `    <path>/v1/${r.of(NOUNS)}/${i}</path>`,
          `    <auth>${i === at ? `anonymous-${id}` : 'required'}</auth>`,
          '  </route>',
        ]).flat(),
        '</config>',
      ]),
      needles: [needle('quiet', `anonymous-${id}`)],
    }
  },
}
