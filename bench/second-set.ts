/**
 * A second set of outputs: other tools, other seeds. Each is generated with the facts that a digest must not lose, which
 * are written down before any digest exists. The same seed gives the same set.
 */

export interface Needle {
  readonly class: string
  readonly any: readonly string[]
}

export interface Corpus {
  readonly id: string
  readonly exit: number
  readonly text: Buffer
  readonly needles: readonly Needle[]
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function randomOf(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return { int, of: <T>(list: readonly T[]): T => list[int(0, list.length - 1)]!, hex: (n: number) => hexOf(int, n) }
}

const hexOf = (int: (a: number, b: number) => number, n: number) =>
  Array.from({ length: n }, () => int(0, 15).toString(16)).join('')

type Random = ReturnType<typeof randomOf>
type Make = (r: Random) => Omit<Corpus, 'id' | 'text'> & { readonly text: string }

const NOUNS =
  'order invoice shard ledger parcel basket tenant quota widget cursor bucket replica lease voucher segment'.split(' ')
const VERBS = 'load store merge split route parse render rotate drain settle fetch index publish encode verify'.split(
  ' ',
)
const PLACES = 'core api web jobs billing search auth sync edge report'.split(' ')
const name = (r: Random) => `${r.of(VERBS)}_${r.of(NOUNS)}_${r.int(1, 999)}`
const file = (r: Random, ext: string) => `${r.of(PLACES)}/${r.of(NOUNS)}_${r.of(VERBS)}${r.int(1, 40)}.${ext}`
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const needle = (kind: string, ...any: string[]): Needle => ({ class: kind, any })
const text = (lines: readonly (string | readonly string[])[]) => `${lines.flat().join('\n')}\n`
/** Different whole numbers below `n`. */
const picks = (r: Random, count: number, n: number) => {
  const found = new Set<number>()
  while (found.size < count) found.add(r.int(0, n - 1))
  return [...found].sort((a, b) => a - b)
}

const MAKERS: Readonly<Record<string, Make>> = {
  goTest: (r) => {
    const bad = picks(r, 7, 400)
    const names = times(400, (i) => `Test${r.of(VERBS)}${r.of(NOUNS)}${i}`)
    const lines = names.map((n, i) =>
      bad.includes(i)
        ? [
            `=== RUN   ${n}`,
            `    ${r.of(NOUNS)}_test.go:${r.int(10, 900)}: got ${i}, want ${i + 1}`,
            `--- FAIL: ${n} (0.0${i % 10}s)`,
          ]
        : [`=== RUN   ${n}`, `--- PASS: ${n} (0.0${i % 10}s)`],
    )
    return {
      exit: 1,
      text: text([
        ...lines,
        'FAIL',
        'FAIL\texample.org/shop/core\t1.204s',
        'ok  \texample.org/shop/api\t0.310s',
        'FAIL',
      ]),
      needles: [...bad.map((i) => needle('failure', names[i]!)), needle('tail', 'example.org/shop/core')],
    }
  },
  goBuild: (r) => {
    const where = `${r.of(NOUNS)}.go:${r.int(20, 90)}:${r.int(2, 30)}`
    return {
      exit: 1,
      text: text([
        '# example.org/shop/billing',
        `./${where}: undefined: newLedgerClient`,
        ...times(300, (i) => `ok  \texample.org/shop/p${i}\t0.${r.int(100, 999)}s`),
        'FAIL\texample.org/shop/billing [build failed]',
        'FAIL',
      ]),
      needles: [needle('cause', 'newLedgerClient'), needle('file', where), needle('verdict', '[build failed]')],
    }
  },
  vitest: (r) => {
    const bad = picks(r, 9, 160)
    const names = times(160, (i) => `${r.of(PLACES)} > ${r.of(VERBS)}s the ${r.of(NOUNS)} ${i}`)
    return {
      exit: 1,
      text: text([
        ' RUN  v2.1.4 /srv/app',
        '',
        ...names.map((n, i) => (bad.includes(i) ? ` × ${n} ${r.int(1, 40)}ms` : ` ✓ ${n} ${r.int(1, 40)}ms`)),
        '',
        '⎯⎯⎯⎯⎯ Failed Tests 9 ⎯⎯⎯⎯⎯',
        '',
        ...bad.flatMap((i) => [
          ` FAIL  test/all.test.ts > ${names[i]}`,
          `AssertionError: expected ${i} to be ${i + 2} // Object.is equality`,
          ` ❯ test/all.test.ts:${i + 3}:18`,
          '',
        ]),
        ' Test Files  1 failed (1)',
        `      Tests  9 failed | 151 passed (160)`,
        '   Duration  2.11s',
      ]),
      needles: [...bad.map((i) => needle('failure', names[i]!)), needle('count', '9 failed | 151 passed')],
    }
  },
  rspec: (r) => {
    const where = `./spec/${r.of(NOUNS)}_spec.rb:${r.int(10, 99)}`
    return {
      exit: 1,
      text: text([
        ...times(90, () => '.'.repeat(100)),
        'F',
        '',
        'Failures:',
        '',
        '  1) Cart totals the basket with vouchers',
        '     Failure/Error: expect(cart.total).to eq(1290)',
        '',
        '       expected: 1290',
        '            got: 1190',
        '',
        '       (compared using ==)',
        `     # ${where}:in 'block (2 levels) in <top (required)>'`,
        '',
        'Finished in 4.2 seconds (files took 1.1 seconds to load)',
        '9001 examples, 1 failure',
        '',
        'Failed examples:',
        '',
        `rspec ${where} # Cart totals the basket with vouchers`,
      ]),
      needles: [
        needle('failure', 'Cart totals the basket'),
        needle('cause', 'got: 1190'),
        needle('count', '9001 examples, 1 failure'),
        needle('file', where),
      ],
    }
  },
  mypy: (r) => {
    const odd = `${file(r, 'py')}:${r.int(1, 400)}: error: "Voucher" has no attribute "settled_at"  [attr-defined]`
    const at = r.int(30, 200)
    const lines = times(
      240,
      () => `${file(r, 'py')}:${r.int(1, 400)}: error: Function is missing a type annotation  [no-untyped-def]`,
    )
    lines.splice(at, 0, odd)
    return {
      exit: 1,
      text: text([...lines, 'Found 241 errors in 88 files (checked 120 source files)']),
      needles: [needle('cause', 'settled_at'), needle('count', '241 errors'), needle('shape', 'no-untyped-def')],
    }
  },
  linker: (r) => {
    const symbol = `${r.of(VERBS)}_${r.of(NOUNS)}_v2`
    return {
      exit: 2,
      text: text([
        ...times(
          260,
          (i) =>
            `[${String(Math.floor((i * 100) / 262)).padStart(3)}%] Building CXX object src/CMakeFiles/app.dir/${file(r, 'cpp')}.o`,
        ),
        '[100%] Linking CXX executable app',
        `/usr/bin/ld: CMakeFiles/app.dir/main.cpp.o: in function \`main':`,
        `main.cpp:(.text+0x1d): undefined reference to \`${symbol}(int)'`,
        'collect2: error: ld returned 1 exit status',
        'gmake[2]: *** [src/CMakeFiles/app.dir/build.make:1204: src/app] Error 1',
        'gmake[1]: *** [CMakeFiles/Makefile2:98: src/CMakeFiles/app.dir/all] Error 2',
        'gmake: *** [Makefile:91: all] Error 2',
      ]),
      needles: [needle('cause', symbol), needle('verdict', 'ld returned 1 exit status'), needle('tail', 'Error 2')],
    }
  },
  docker: (r) => {
    const layer = r.hex(12)
    return {
      exit: 1,
      text: text([
        ...times(14, (i) => [
          `#${i + 1} [${i + 1}/14] RUN step-${i}`,
          ...times(
            40,
            (j) =>
              `#${i + 1} ${(j / 10).toFixed(3)} Get:${j} http://mirror.example/pool ${r.of(NOUNS)} amd64 ${r.int(1, 9)}.${r.int(0, 20)} [${r.int(10, 900)} kB]`,
          ),
          `#${i + 1} DONE ${r.int(1, 9)}.${r.int(0, 9)}s`,
        ]).flat(),
        `#15 [15/15] COPY --from=build /out/${layer} /srv`,
        `#15 ERROR: failed to calculate checksum of ref ${layer}: "/out": not found`,
        '------',
        ` > [15/15] COPY --from=build /out/${layer} /srv:`,
        '------',
        'ERROR: failed to solve: failed to compute cache key',
      ]),
      needles: [needle('cause', 'failed to calculate checksum', layer), needle('tail', 'failed to solve')],
    }
  },
  pods: (r) => {
    const bad = picks(r, 3, 220)
    const states = ['CrashLoopBackOff', 'ImagePullBackOff', 'Pending']
    const rows = times(220, (i) => {
      const at = bad.indexOf(i)
      const state = at < 0 ? 'Running' : states[at]!
      return `${`${r.of(PLACES)}-${r.of(NOUNS)}-${r.hex(9)}-${r.hex(5)}`.padEnd(44)} ${at < 0 ? '1/1' : '0/1'}   ${state.padEnd(18)} ${r.int(0, 4)}    ${r.int(1, 60)}d`
    })
    return {
      exit: 0,
      text: text([`${'NAME'.padEnd(44)} READY STATUS             RESTARTS AGE`, ...rows]),
      needles: states.map((state) => needle('quiet', state)),
    }
  },
  terraform: (r) => {
    const odd = `aws_db_instance.${r.of(NOUNS)}_main`
    const blocks = times(60, (i) => [
      `  # aws_route53_record.${r.of(NOUNS)}_${i} will be created`,
      `  + resource "aws_route53_record" "${r.of(NOUNS)}_${i}" {`,
      `      + name    = "${r.of(NOUNS)}${i}.example.org"`,
      '      + ttl     = 300',
      '      + type    = "CNAME"',
      '    }',
      '',
    ])
    blocks.splice(r.int(10, 50), 0, [
      `  # ${odd} must be replaced`,
      `-/+ resource "aws_db_instance" "main" {`,
      '      ~ engine_version = "13.4" -> "16.1" # forces replacement',
      '    }',
      '',
    ])
    return {
      exit: 0,
      text: text([
        'Terraform will perform the following actions:',
        '',
        ...blocks.flat(),
        'Plan: 61 to add, 0 to change, 1 to destroy.',
      ]),
      needles: [
        needle('quiet', odd),
        needle('quiet', 'forces replacement'),
        needle('count', '61 to add, 0 to change, 1 to destroy'),
      ],
    }
  },
  access: (r) => {
    const at = r.int(2000, 6000)
    const id = r.int(100000, 999999)
    return {
      exit: 0,
      text: text(
        times(
          8000,
          (i) =>
            `10.${r.int(0, 9)}.${r.int(0, 250)}.${r.int(1, 250)} - - [0${r.int(1, 9)}/May/2026:10:${String(i % 60).padStart(2, '0')}:07 +0000] "GET /api/${r.of(NOUNS)}/${i === at ? `${id}?debug=heapdump` : r.int(1, 9999)} HTTP/1.1" ${i === at ? 507 : 200} ${r.int(200, 9000)} "-" "curl/8.5"`,
        ),
      ),
      needles: [needle('quiet', 'heapdump')],
    }
  },
  javaLog: (r) => {
    const pool = `${r.of(NOUNS)}-pool-${r.int(2, 9)}`
    const line = (i: number) =>
      `2026-05-0${r.int(1, 9)} 11:${String(i % 60).padStart(2, '0')}:0${r.int(0, 9)},${r.int(100, 999)} INFO  [http-${r.int(1, 30)}] o.e.s.${r.of(PLACES)}.Handler - ${r.of(VERBS)} ${r.of(NOUNS)} ${r.int(1, 99999)} took ${r.int(1, 400)} ms`
    const trace = [
      `2026-05-04 11:14:09,118 ERROR [http-7] o.e.s.billing.Handler - request failed`,
      'java.lang.IllegalStateException: settle aborted',
      ...times(24, (i) => `\tat org.example.shop.Layer${i}.call(Layer${i}.java:${r.int(10, 300)})`),
      `Caused by: java.sql.SQLTransientConnectionException: ${pool} - Connection is not available`,
      ...times(12, (i) => `\tat com.pool.Pool${i}.get(Pool${i}.java:${r.int(10, 300)})`),
      '\t... 22 more',
    ]
    return {
      exit: 1,
      text: text([...times(3000, line), ...trace, ...times(1500, line)]),
      needles: [needle('cause', pool), needle('cause', 'settle aborted')],
    }
  },
  syslog: (r) => {
    const dev = `sd${r.of(['b', 'c', 'd'])}`
    const lines = times(
      4000,
      (i) =>
        `May  4 0${r.int(0, 9)}:${String(i % 60).padStart(2, '0')}:11 host${r.int(1, 4)} ${r.of(['sshd', 'cron', 'systemd', 'dhclient'])}[${r.int(300, 30000)}]: ${r.of(['session opened for user deploy', 'session closed for user deploy', 'Started Daily cleanup', 'renewal in 1800 seconds'])}`,
    )
    lines.splice(
      r.int(500, 3500),
      0,
      `May  4 03:14:15 host2 kernel: [91823.11] EXT4-fs (${dev}1): remounting filesystem read-only`,
    )
    return { exit: 0, text: text(lines), needles: [needle('quiet', `(${dev}1): remounting`)] }
  },
  jsonl: (r) => {
    const at = r.int(300, 2500)
    const id = r.hex(8)
    return {
      exit: 0,
      text: text(
        times(3000, (i) =>
          JSON.stringify({
            id: i === at ? id : r.hex(8),
            type: i === at ? 'chargeback' : 'payment',
            amount: r.int(1, 90000),
            ok: i !== at,
          }),
        ),
      ),
      needles: [needle('quiet', 'chargeback'), needle('quiet', id), needle('count', '3000', '3,000')],
    }
  },
  sqlTable: (r) => {
    const at = r.int(100, 1800)
    return {
      exit: 0,
      text: text([
        ' id   | customer      | state    | balance',
        '------+---------------+----------+---------',
        ...times(
          2000,
          (i) =>
            ` ${String(i).padStart(4)} | ${`c${r.hex(8)}`.padEnd(13)} | ${i === at ? 'disputed' : 'settled '} | ${String(r.int(1, 9999)).padStart(7)}`,
        ),
        '(2000 rows)',
      ]),
      needles: [needle('quiet', 'disputed'), needle('count', '2000 rows')],
    }
  },
  junit: (r) => {
    const bad = picks(r, 4, 300)
    return {
      exit: 1,
      text: text([
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuite name="shop" tests="300" failures="4" errors="0">',
        ...times(300, (i) =>
          bad.includes(i)
            ? [
                `  <testcase classname="shop.Cart" name="case_${i}_total">`,
                `    <failure message="expected ${i} but was ${i - 1}">at Cart.java:${i}</failure>`,
                '  </testcase>',
              ]
            : [`  <testcase classname="shop.Cart" name="case_${i}_total" time="0.0${r.int(1, 9)}"/>`],
        ).flat(),
        '</testsuite>',
      ]),
      needles: [
        ...bad.map((i) => needle('failure', `expected ${i} but was`, `case_${i}_total`)),
        needle('count', 'failures="4"'),
      ],
    }
  },
  minified: (r) => {
    const code = r.int(4000, 9000)
    const parts = times(
      1500,
      (i) => `{"sku":"${r.hex(6)}","name":"${r.of(NOUNS)} ${i}","stock":${r.int(0, 50)},"tags":["a","b"]}`,
    )
    parts.splice(r.int(200, 1300), 0, `{"sku":null,"name":"withdrawn lot ${code}","stock":-1,"tags":[]}`)
    return {
      exit: 0,
      text: `{"items":[${parts.join(',')}],"next":null}`,
      needles: [needle('quiet', `withdrawn lot ${code}`)],
    }
  },
  pipResolve: (r) => ({
    exit: 1,
    text: text([
      ...times(70, (i) => [
        `Collecting ${r.of(NOUNS)}-${r.of(VERBS)}==${r.int(1, 9)}.${i}`,
        `  Downloading ${r.of(NOUNS)}-${i}.tar.gz (${r.int(10, 900)} kB)`,
        '  Preparing metadata (setup.py): started',
        "  Preparing metadata (setup.py): finished with status 'done'",
      ]).flat(),
      'ERROR: Cannot install ledger-sync==4.1 and basket-core==2.0 because these package versions have conflicting dependencies.',
      '',
      'The conflict is caused by:',
      '    ledger-sync 4.1 depends on protoshim>=3',
      '    basket-core 2.0 depends on protoshim<3',
      '',
      'ERROR: ResolutionImpossible: for help visit the documentation',
    ]),
    needles: [
      needle('cause', 'ledger-sync==4.1'),
      needle('cause', 'protoshim<3'),
      needle('tail', 'ResolutionImpossible'),
    ],
  }),
  strace: (r) => {
    const lines = times(5000, () =>
      r.of([
        `read(${r.int(3, 9)}, "${r.hex(16)}"..., 8192) = ${r.int(1, 8192)}`,
        `write(${r.int(3, 9)}, "${r.hex(16)}"..., ${r.int(1, 900)}) = ${r.int(1, 900)}`,
        `lseek(${r.int(3, 9)}, ${r.int(0, 99999)}, SEEK_SET) = ${r.int(0, 99999)}`,
      ]),
    )
    lines.splice(
      r.int(1000, 4500),
      0,
      `openat(AT_FDCWD, "/etc/shop/${r.of(NOUNS)}.toml", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)`,
    )
    return {
      exit: 1,
      text: text([...lines, '+++ exited with 1 +++']),
      needles: [needle('quiet', 'ENOENT'), needle('tail', 'exited with 1')],
    }
  },
  gradle: (r) => ({
    exit: 1,
    text: text([
      ...times(180, (i) => `> Task :${r.of(PLACES)}${i}:compileJava UP-TO-DATE`),
      '> Task :billing:compileKotlin FAILED',
      `e: file:///srv/app/billing/Ledger.kt:${r.int(10, 90)}:14 Unresolved reference: settleAll`,
      '',
      'FAILURE: Build failed with an exception.',
      '',
      '* What went wrong:',
      "Execution failed for task ':billing:compileKotlin'.",
      '> Compilation error. See log for more details',
      '',
      '* Try:',
      '> Run with --stacktrace option to get the stack trace.',
      '',
      'BUILD FAILED in 41s',
      '181 actionable tasks: 1 executed, 180 up-to-date',
    ]),
    needles: [
      needle('cause', 'settleAll'),
      needle('verdict', 'BUILD FAILED'),
      needle('failure', ':billing:compileKotlin'),
    ],
  }),
  ansible: (r) => {
    const host = `node-${r.int(10, 99)}.example.org`
    return {
      exit: 2,
      text: text([
        ...times(30, (i) => [
          `TASK [${r.of(PLACES)} : ${r.of(VERBS)} ${r.of(NOUNS)} ${i}] ${'*'.repeat(40)}`,
          ...times(12, (j) => `${i % 3 === 0 ? 'changed' : 'ok'}: [node-${j}.example.org]`),
          '',
        ]).flat(),
        `fatal: [${host}]: UNREACHABLE! => {"changed": false, "msg": "Failed to connect to the host via ssh", "unreachable": true}`,
        `PLAY RECAP ${'*'.repeat(60)}`,
        ...times(12, (j) => `node-${j}.example.org : ok=30 changed=10 unreachable=0 failed=0`),
        `${host} : ok=2 changed=0 unreachable=1 failed=0`,
      ]),
      needles: [needle('cause', host), needle('cause', 'UNREACHABLE')],
    }
  },
  rsync: (r) => ({
    exit: 23,
    text: `sending incremental file list\n${times(2500, (i) => `\r${String(i * 32768).padStart(14)} ${String(Math.floor(i / 25)).padStart(3)}% ${r.int(1, 90)}.${r.int(10, 99)}MB/s 0:00:${String(i % 60).padStart(2, '0')}`).join('')}\nrsync: [sender] send_files failed to open "/srv/${r.of(NOUNS)}/key": Permission denied (13)\nrsync error: some files could not be transferred (code 23)\n`,
    needles: [needle('cause', 'Permission denied (13)'), needle('verdict', 'code 23')],
  }),
  colours: (r) => {
    const id = r.hex(6)
    const lines = times(
      1800,
      (i) =>
        `\u001b[2m${i}\u001b[0m \u001b[32minfo\u001b[39m  \u001b[1m${r.of(PLACES)}\u001b[22m ${r.of(VERBS)} ${r.of(NOUNS)} done in ${r.int(1, 90)}ms`,
    )
    lines.splice(
      r.int(300, 1500),
      0,
      `\u001b[2m77\u001b[0m \u001b[33mwarn\u001b[39m  \u001b[1mapi\u001b[22m certificate ${id} expires tomorrow`,
    )
    return { exit: 0, text: text(lines), needles: [needle('quiet', `certificate ${id} expires`)] }
  },
  yaml: (r) => {
    const at = r.int(40, 260)
    return {
      exit: 0,
      text: text(
        times(300, (i) => [
          '- kind: Service',
          `  name: ${r.of(NOUNS)}-${i}`,
          `  replicas: ${r.int(1, 5)}`,
          `  policy: ${i === at ? 'Orphaned' : 'Managed'}`,
          '  ports:',
          `    - ${r.int(3000, 9999)}`,
        ]).flat(),
      ),
      needles: [needle('quiet', 'Orphaned')],
    }
  },
  tarList: (r) => {
    const lines = times(
      3500,
      () =>
        `-rw-r--r-- dev/dev ${String(r.int(10, 99999)).padStart(9)} 2026-05-04 10:1${r.int(0, 9)} pkg/${file(r, 'rb')}`,
    )
    lines.splice(r.int(500, 3000), 0, '-rwsr-xr-x root/root     88120 2026-05-04 10:11 pkg/bin/helper')
    return { exit: 0, text: text(lines), needles: [needle('quiet', '-rwsr-xr-x')] }
  },
  manyFailures: (r) => {
    const names = times(40, () => `tests/${r.of(PLACES)}/test_${r.of(NOUNS)}.py::test_${name(r)}`)
    return {
      exit: 1,
      text: text([
        ...times(60, (i) => `tests/test_part${i}.py ${'.'.repeat(r.int(20, 60))} [ ${i}%]`),
        '=================================== FAILURES ===================================',
        ...names.flatMap((n, i) => [
          `____________ ${n.split('::')[1]} ____________`,
          '',
          '    def check():',
          `>       assert total(${i}) == ${i + 1}`,
          `E       assert ${i} == ${i + 1}`,
          '',
          `tests/x.py:${i + 9}: AssertionError`,
        ]),
        '=========================== short test summary info ============================',
        ...names.map((n, i) => `FAILED ${n} - assert ${i} == ${i + 1}`),
        '====================== 40 failed, 2310 passed in 12.41s =======================',
      ]),
      needles: [
        needle('failure', names[0]!.split('::')[1]!),
        needle('failure', names[21]!.split('::')[1]!, 'more failures'),
        needle('count', '40 failed, 2310 passed'),
      ],
    }
  },
  twoRuns: (r) => ({
    exit: 134,
    text: text([
      ...times(900, (i) => `frame ${i} rendered in ${r.int(4, 30)}.${r.int(0, 9)} ms`),
      `scene.cpp:${r.int(100, 900)}: void Scene::attach(Node*): Assertion \`node->parent == nullptr' failed.`,
      'Aborted (core dumped)',
    ]),
    needles: [needle('cause', 'Scene::attach'), needle('verdict', 'Aborted', 'SIGABRT')],
  }),
}

/** The whole set for a seed. Throws where a needle is not in its own output: a fault of the generator. */
export function secondSet(seed: number): Corpus[] {
  return Object.entries(MAKERS).map(([id, make], at) => {
    const made = make(randomOf(seed * 1000 + at))
    for (const { class: kind, any } of made.needles)
      if (kind !== 'count' && !any.some((spelling) => made.text.includes(spelling)))
        throw new Error(`${id}: ${any[0]} is not in the output`)
    return { ...made, id, text: Buffer.from(made.text) }
  })
}
