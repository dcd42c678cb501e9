/** Outputs of tests, builds and installers. */
import { file, type Make, NOUNS, name, needle, PLACES, picks, text, times, VERBS } from './kit.ts'

export const RUNS: Readonly<Record<string, Make>> = {
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
