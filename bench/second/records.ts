/** Logs, tables, documents and listings. */
import { file, type Make, NOUNS, needle, PLACES, picks, text, times, VERBS } from './kit.ts'

export const RECORDS: Readonly<Record<string, Make>> = {
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
}
