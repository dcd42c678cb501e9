/** Database clients: their SQL or command text decides. */
import { type Arg, exact, textOf } from '../../core/value.ts'
import type { Content, Doing, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs, type Specification, specify } from '../options.ts'
import type { Group } from '../registry.ts'
import { fromFiles } from '../row.ts'
import { isDevelopment, judgeRedis, judgeSql } from '../sql.ts'

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
      '-cmd: -init:read -separator: -nullvalue: -batch -readonly -json -csv -header -column -line -list -html -bail -echo',
    text: ['-cmd'],
    file: [],
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

const first = (parsed: Parsed, names: readonly string[]): string | undefined =>
  names.map((name) => textOf(parsed.values.get(name)?.[0]?.value)).find((text) => text !== undefined)

function clientReader(client: Client): Reader {
  let spec: Specification | undefined
  return function* (call): ReturnType<Reader> {
    spec ??= specify(client.options)
    const parsed = parseArgs(spec, call.args, client.operands === 'file text' ? { single: true } : {})
    if (parsed.flags.has('--help') || parsed.flags.has('--version') || parsed.flags.has('-version')) return []
    const doings: Doing[] = []
    const [one, two] = parsed.operands
    const name = first(parsed, client.database) ?? textOf(one?.value) ?? ''
    const host = first(parsed, client.host)
    const local = (host !== undefined && isDevelopment(host)) || (host === undefined && isDevelopment(name))
    const where = {
      service: client.names.split(' ')[0]!,
      name: [host, name].filter(Boolean).join('/') || 'the database',
      local,
    }
    const texts: Content[] = client.text.flatMap((option) =>
      (parsed.values.get(option) ?? []).map((arg): Content => ({ text: arg.value, taints: [] })),
    )
    for (const option of client.file) {
      for (const at of parsed.values.get(option) ?? []) {
        doings.push({ do: 'path', act: 'read', at })
        texts.push(fromFiles([at]))
      }
    }
    if (client.operands === 'file text') {
      if (one) doings.push({ do: 'path', act: parsed.flags.has('-readonly') ? 'read' : 'edit', at: one })
      if (two) texts.push({ text: two.value, taints: [] })
    }
    if (texts.length === 0 && call.stdin.none !== true) texts.push(call.stdin)
    for (const content of texts) doings.push(...judged(content, where, client.names.startsWith('mongo')))
    if (client.operands === 'file text' && doings.every((doing) => doing.do === 'path') && one && onlyReads(texts))
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

function judged(
  content: Content,
  where: { service: string; name: string; local: boolean },
  mongo: boolean,
): readonly Doing[] {
  const text = textOf(content.text)
  if (text === undefined)
    return content.files?.length
      ? [
          {
            do: 'code',
            language: 'sql',
            text: content.text,
            label: `sql for ${where.name}`,
            stdin: content,
            ...(where.local ? { args: [LOCAL] } : {}),
          },
        ]
      : []
  return judgeSql(text, where, mongo)
}

/** Passed on as an argument where the database is one for development. */
const LOCAL: Arg = { value: exact('local'), span: { from: 0, to: 0 } }

/** Programs that drop or make a database by name. */
function* dropdb(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify('-h|--host: -p|--port: -U|--username: -e -i|--interactive -f|--force --if-exists --maintenance-db:'),
    call.args,
  )
  if (parsed.flags.has('--help') || parsed.flags.has('--version') || parsed.flags.has('-i')) return []
  const name = textOf(parsed.operands[0]?.value) ?? 'a database'
  return [
    {
      do: 'other',
      act: 'destroy',
      service: 'postgres',
      what: name,
      ...(isDevelopment(name) ? { local: true } : {}),
    },
  ]
}

function* redis(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify('-h: -p: -s: -a: -n: -u: -r: -i: -x --scan --pattern: --raw --eval:read --tls --cacert: --user: --pass:'),
    call.args,
    { stop: true },
  )
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

export const databases: Group = {
  id: 'databases',
  rows: [
    {
      names: 'pg_dump pg_dumpall mysqldump',
      options:
        '-f|--file:write -h|--host: -U|--username: -u|--user: -p|--port? -d|--dbname: -t|--table: -n: -F|--format: -r|--result-file:write',
      why: 'reads the database, writes a copy',
    },
    { names: 'mongodump', options: '-o|--out:write -h: --uri: -d|--db: -c:', why: 'reads the database, writes a copy' },
    { names: 'createdb createuser', options: '-h: -p: -U: -O: -T: -E:', why: 'makes what was not there' },
  ],
  readers: {
    ...Object.fromEntries(CLIENTS.map((client) => [client.names, clientReader(client)])),
    dropdb,
    *'dropuser pg_restore mongorestore mysqladmin'(call) {
      const drop = call.args.some((arg) => /^(?:-c|--clean|--drop|drop)$/.test(textOf(arg.value) ?? ''))
      return drop || call.base === 'dropuser'
        ? [{ do: 'other', act: 'destroy', service: call.base, what: 'a database' }]
        : []
    },
    'redis-cli valkey-cli': redis,
  },
}
