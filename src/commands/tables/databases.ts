/** Database clients: their SQL or command text decides. */

import type { Asking } from '../../core/question.ts'
import { exact, textOf } from '../../core/value.ts'
import { absolute, flavourOf } from '../../paths/lexical.ts'
import type { Content, Doing, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs, type Specification, specify } from '../options.ts'
import { fileText } from '../packages/project.ts'
import type { Group } from '../registry.ts'
import { byOptions, fromFiles } from '../row.ts'
import { type Database, filesOfSql, isDevelopment, judgeRedis, judgeSql, MOST_SQL, readMeta } from '../sql.ts'

interface Client {
  readonly names: string
  readonly options: string
  /** Options whose value is SQL text, a file of it, a host, a database. */
  readonly text: readonly string[]
  readonly file: readonly string[]
  readonly host: readonly string[]
  readonly database: readonly string[]
  /** Operands: the database first, then perhaps text. */
  readonly operands: 'database' | 'database text' | 'file text' | 'url'
  /** Long options may begin with one dash. */
  readonly single?: true
  readonly why: string
}

const CLIENTS: readonly Client[] = [
  {
    names: 'psql',
    options:
      '-c|--command: -f|--file:read -h|--host: -d|--dbname: -U|--username: -p|--port: -v|--set: -o|--output:write -L: -P: -F: -R: -X -A -t -q -w -W -1 -l|--list -E -b -a',
    text: ['-c'],
    file: ['-f'],
    host: ['-h'],
    database: ['-d'],
    operands: 'database',
    why: 'PostgreSQL client',
  },
  {
    names: 'mysql mariadb',
    options:
      '-e|--execute: -h|--host: -D|--database: -u|--user: -p|--password? -P|--port: -S|--socket: -N -B -s -t -A -f|--force --protocol: --ssl-mode:',
    text: ['-e'],
    file: [],
    host: ['-h'],
    database: ['-D'],
    operands: 'database',
    why: 'MySQL client',
  },
  {
    names: 'sqlite3 sqlite duckdb',
    options:
      '-cmd: -init: -c: -s: -separator: -nullvalue: -batch -readonly -json -csv -header -column -line -list -html -bail -echo',
    text: ['-cmd', '-c', '-s'],
    file: ['-init'],
    host: [],
    database: [],
    operands: 'file text',
    why: 'embedded databases are files',
  },
  {
    names: 'mongosh mongo',
    options: '--eval: -h|--host: --port: -u|--username: -p|--password: -f|--file:read --quiet --norc',
    text: ['--eval'],
    file: ['-f'],
    host: ['-h'],
    database: [],
    operands: 'url',
    why: 'MongoDB shell',
  },
  {
    names: 'clickhouse-client',
    options: '-q|--query: -h|--host: -d|--database: -u|--user: --password? --port: --queries-file:read -n|--multiquery',
    text: ['-q'],
    file: ['--queries-file'],
    host: ['-h'],
    database: ['-d'],
    operands: 'database',
    why: 'ClickHouse client',
  },
  {
    names: 'sqlcmd',
    options: '-Q: -q: -S: -d: -U: -P: -i:read -o:write',
    text: ['-Q', '-q'],
    file: ['-i'],
    host: ['-S'],
    database: ['-d'],
    operands: 'database',
    why: 'SQL Server client',
  },
]

/** More clients that take a text with one option and a file with another: names, text, file. */
const MORE: readonly (readonly [names: string, text: string, file: string])[] = [
  ['influx', '-execute', '-path'],
  ['cqlsh', '-e', '-f'],
  ['snowsql', '-q', '-f'],
  ['impala-shell', '-q', '-f'],
  ['presto trino', '--execute', '-f'],
  ['usql', '-c', '-f'],
  ['mycli litecli', '-e', '-f'],
  ['beeline hive', '-e', '-f'],
  ['ysqlsh isql-fb', '-c', '-f'],
  ['ksql', '-e', '-f'],
]

const ofMore = ([names, text, file]: (typeof MORE)[number]): Client => ({
  names,
  options: `${text}${text.startsWith('--') || text.length > 2 ? '' : '|--execute|--query'}: ${file}|--file: -h|--host|--server: -d|--database|--dbname: -u|--user|--username: -p|--password?: -P|--port: -o|--output:write`,
  text: [text],
  file: [file],
  host: ['-h'],
  database: ['-d'],
  operands: 'database',
  ...(text.startsWith('-') && !text.startsWith('--') && text.length > 2 ? { single: true } : {}),
  why: 'a client of a database',
})

const first = (parsed: Parsed, names: readonly string[]): string | undefined =>
  names.map((name) => textOf(parsed.values.get(name)?.[0]?.value)).find((text) => text !== undefined)

function clientReader(client: Client): Reader {
  let spec: Specification | undefined
  return function* (call): ReturnType<Reader> {
    spec ??= specify(client.options)
    const parsed = parseArgs(spec, call.args, client.operands === 'file text' || client.single ? { single: true } : {})
    if (parsed.flags.has('--help') || parsed.flags.has('--version') || parsed.flags.has('-version')) return []
    const doings: Doing[] = []
    const scripts =
      client.operands === 'url' ? parsed.operands.filter((arg) => /\.m?js$/.test(textOf(arg.value) ?? '')) : []
    const [one, two] = parsed.operands.filter((arg) => !scripts.includes(arg))
    const name = first(parsed, client.database) ?? textOf(one?.value) ?? ''
    const host = first(parsed, client.host)
    // An embedded database is a file of somebody's own.
    const embedded = client.operands === 'file text'
    const local =
      (embedded && !/prod/i.test(name)) ||
      (host !== undefined && isDevelopment(host)) ||
      (host === undefined && isDevelopment(name))
    const where = {
      service: client.names.split(' ')[0]!,
      name: [host, name].filter(Boolean).join('/') || 'the database',
      local,
    }
    const texts: Content[] = client.text.flatMap((option) =>
      (parsed.values.get(option) ?? []).map((arg): Content => ({ text: arg.value, taints: [] })),
    )
    for (const option of client.file) {
      for (const at of parsed.values.get(option) ?? [])
        texts.push(textOf(at.value) === '-' ? call.stdin : fromFiles([at]))
    }
    // Output behind a bar goes to a command.
    for (const doing of byOptions(spec, parsed)) {
      const command = doing.do === 'path' ? /^\|(.*)$/s.exec(textOf(doing.at.value) ?? '')?.[1] : undefined
      if (command === undefined) doings.push(doing)
      else doings.push({ do: 'code', language: 'sh', text: exact(command), label: `${call.base} output` })
    }
    for (const at of scripts) {
      doings.push({ do: 'path', act: 'read', at })
      texts.push(fromFiles([at]))
    }
    if (embedded) {
      if (one && name !== ':memory:')
        doings.push({ do: 'path', act: parsed.flags.has('-readonly') ? 'read' : 'edit', at: one })
      if (two) texts.push({ text: two.value, taints: [] })
    }
    if (texts.length === 0 && call.stdin.none !== true) texts.push(call.stdin)
    // What is only in memory is gone with the program anyway.
    const gone = embedded && name === ':memory:'
    for (const content of texts)
      doings.push(...(yield* judged(content, where, client, call)).filter((doing) => !(gone && doing.do === 'other')))
    if (
      embedded &&
      name !== ':memory:' &&
      doings.every((doing) => doing.do === 'path' && doing.act !== 'write' && doing.act !== 'run') &&
      one &&
      onlyReads(texts)
    )
      return [{ do: 'path', act: 'read', at: one }]
    return doings
  }
}

const onlyReads = (texts: readonly Content[]): boolean =>
  texts.length > 0 &&
  texts.every((content) =>
    /^\s*(?:select|explain|pragma|\.(?:tables|schema|dump|headers|mode|databases|indexes))\b/i.test(
      textOf(content.text) ?? '',
    ),
  )

/** Scripts that include each other. */
const MOST_SCRIPTS = 16

/** What a text does to a database, and what its client does by itself on the way: files, shell commands, other scripts. */
function* judged(content: Content, where: Database, client: Client, call: Invocation): Asking<readonly Doing[]> {
  const dialect = client.names.split(' ')[0]!
  const out: Doing[] = []
  const seen = new Set((content.files ?? []).map((file) => textOf(file.value) ?? ''))
  const queue: Content[] = [content]
  for (let at = 0; at < queue.length && at < MOST_SCRIPTS; at++) {
    const text = yield* textOfContent(queue[at]!, call)
    if (text === 'absent') continue
    if (text === 'unknown') {
      out.push(...unread(queue[at]!, where))
      continue
    }
    const meta = readMeta(text, dialect)
    out.push(...judgeSql(meta.rest, where, dialect.startsWith('mongo')), ...meta.doings)
    if (client.operands === 'file text') out.push(...filesOfSql(meta.rest))
    for (const name of meta.scripts) {
      if (seen.has(name)) continue
      seen.add(name)
      queue.push(fromFiles([{ ...call.command, value: exact(name) }]))
    }
  }
  return out
}

/** The text of a stream; of a partly known one what is known, since the rest is nearly always a value in it. */
function* textOfContent(content: Content, call: Invocation): Asking<string | 'absent' | 'unknown'> {
  const { text } = content
  if (text.is === 'exact') return text.text
  if (text.is === 'partly' && text.prefix.trim() !== '') return `${text.prefix}''${text.suffix}`
  const file = content.files?.length === 1 ? textOf(content.files[0]!.value) : undefined
  if (file === undefined || file === '-' || call.cwd === undefined) return 'unknown'
  const found = yield* fileText(absolute(call.cwd, file, flavourOf(call.platform)), MOST_SQL)
  return typeof found === 'string' ? found : found.text
}

/** A text that nobody knows: for a database of development it does not matter. */
const unread = (content: Content, where: Database): readonly Doing[] =>
  where.local
    ? []
    : [
        {
          do: 'code',
          language: 'sql',
          text: content.text,
          taints: content.taints,
          label: `sql for ${where.name}`,
        },
      ]

/** Programs that drop or make a database by name. */
function* dropdb(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify('-h|--host: -p|--port: -U|--username: -e -i|--interactive -f|--force --if-exists --maintenance-db:'),
    call.args,
  )
  if (parsed.flags.has('--help') || parsed.flags.has('--version') || parsed.flags.has('-i')) return []
  const name = textOf(parsed.operands[0]?.value) ?? 'a database'
  const host = textOf(parsed.values.get('-h')?.[0]?.value)
  return [
    {
      do: 'other',
      act: 'destroy',
      service: 'postgres',
      what: name,
      ...(isDevelopment(host ?? name) ? { local: true } : {}),
    },
  ]
}

function* redis(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify(
      '-h: -p: -s: -a: -n: -u: -r: -i: -x --scan --pattern: --raw --eval:read --tls --cacert: --user: --pass: --rdb:write --functions-rdb:write',
    ),
    call.args,
    { stop: true },
  )
  const copies = (parsed.values.get('--rdb') ?? parsed.values.get('--functions-rdb') ?? []).map(
    (at): Doing => ({ do: 'path', act: 'write', at }),
  )
  if (copies.length > 0) return copies
  const host = textOf(parsed.values.get('-h')?.[0]?.value) ?? textOf(parsed.values.get('-u')?.[0]?.value)
  const where = { service: 'redis', name: host ?? 'localhost', local: host === undefined || isDevelopment(host) }
  if (parsed.operands.length > 0)
    return judgeRedis(
      parsed.operands.map((arg) => textOf(arg.value) ?? ''),
      where,
    )
  const text = textOf(call.stdin.text)
  return text === undefined || call.stdin.none
    ? []
    : text.split('\n').flatMap((line) => judgeRedis(line.trim().split(/\s+/), where))
}

const RESTORE = specify(
  '--clean|-c -h|--host: -d|--dbname|--db: -U|--username: -u|--user: -p|--port: -P: -t: -n: -j: -F: --uri: --drop -e -v',
)

export const databases: Group = {
  id: 'databases',
  rows: [
    {
      names: 'pg_dump pg_dumpall mysqldump',
      options:
        '-f|--file:write -h|--host: -U|--username: -u|--user: -p|--port? -d|--dbname: -t|--table: -n: -F|--format: -r|--result-file:write',
      why: 'reads the database, writes a copy',
    },
    {
      names: 'mongodump',
      options: '-o|--out:into --archive:write -h: --uri: -d|--db: -c:',
      why: 'reads the database, writes a copy',
    },
    { names: 'createdb createuser', options: '-h: -p: -U: -O: -T: -E:', why: 'makes what was not there' },
  ],
  readers: {
    ...Object.fromEntries([...CLIENTS, ...MORE.map(ofMore)].map((client) => [client.names, clientReader(client)])),
    dropdb,
    *'dropuser pg_restore mongorestore mysqladmin'(call) {
      const parsed = parseArgs(RESTORE, call.args)
      const drop =
        call.base === 'dropuser' ||
        (call.base === 'pg_restore' && parsed.flags.has('--clean')) ||
        (call.base === 'mongorestore' && parsed.flags.has('--drop')) ||
        (call.base === 'mysqladmin' && textOf(parsed.operands[0]?.value) === 'drop')
      if (!drop || parsed.flags.has('--help')) return []
      const said =
        parsed.values.get('-d')?.[0] ?? (call.base === 'mysqladmin' ? parsed.operands[1] : parsed.operands[0])
      const name = textOf(said?.value) ?? 'a database'
      const host = textOf(parsed.values.get('-h')?.[0]?.value)
      return [
        {
          do: 'other',
          act: 'destroy',
          service: call.base,
          what: name,
          ...(call.base !== 'dropuser' && isDevelopment(host ?? name) ? { local: true } : {}),
        },
      ]
    },
    'redis-cli valkey-cli': redis,
  },
}
