/** SQL and other database commands by their first words: what is lost, what changes. A tokeniser, so prose never counts. */
import { exact } from '../core/value.ts'
import type { Doing } from './doing.ts'

/** Characters of SQL that are looked at; larger dumps are data. */
export const MOST_SQL = 512 * 1024

export interface Database {
  readonly service: string
  readonly name: string
  /** A database that only developers use. */
  readonly local: boolean
}

/** Names and addresses of databases that only developers use. */
const DEVELOPMENT =
  /(?:^|[_\-./@])(?:dev|development|test|tests|testing|local|localhost|ci|tmp|scratch)(?:$|[_\-./:\d])|127\.0\.0\.1|\[?::1\]?/i

/** Whether a name or address is that of a database that only developers use. */
export const isDevelopment = (text: string): boolean => DEVELOPMENT.test(text)

/** Statements of a text as lists of upper-case words; texts, comments and names in quotes are one word `''`. */
export function statements(text: string): readonly (readonly string[])[] {
  const out: string[][] = [[]]
  const words = () => out.at(-1)!
  const limit = Math.min(text.length, MOST_SQL)
  let i = 0
  const until = (close: string, from: number): number => {
    const at = text.indexOf(close, from)
    return at < 0 ? limit : at + close.length
  }
  while (i < limit) {
    const c = text[i]!
    if (c === ';') {
      out.push([])
      i++
    } else if (text.startsWith('--', i) || (c === '#' && words().length === 0)) i = until('\n', i)
    else if (text.startsWith('/*', i)) i = until('*/', i + 2)
    else if (c === "'" || c === '"' || c === '`') {
      i = until(c, i + 1)
      words().push("''")
    } else if (c === '$' && /^\$\w*\$/.test(text.slice(i, i + 64))) {
      const tag = /^\$\w*\$/.exec(text.slice(i, i + 64))![0]
      i = until(tag, i + tag.length)
      words().push("''")
    } else if (/\w/.test(c)) {
      let end = i
      while (end < limit && /[\w.]/.test(text[end]!)) end++
      words().push(text.slice(i, end).toUpperCase())
      i = end
    } else i++
  }
  return out.filter((list) => list.length > 0)
}

/** What SQL text does to a database. */
export function judgeSql(text: string, database: Database, mongo = false): readonly Doing[] {
  if (mongo) return judgeMongo(text, database)
  return statements(text).flatMap((words) => statement(words, database))
}

function statement(words: readonly string[], database: Database): readonly Doing[] {
  // EXPLAIN only plans, unless it is told to measure.
  if (words[0] === 'EXPLAIN' && words.includes('ANALYZE')) {
    const start = words.findIndex((word) => /^(?:DELETE|UPDATE|INSERT|WITH|MERGE|SELECT)$/.test(word))
    return start < 0 ? [] : statement(words.slice(start), database)
  }
  const [verb, second] = words
  const destroy = (what: string): readonly Doing[] => [
    {
      do: 'other',
      act: 'destroy',
      service: database.service,
      what: `${database.name}: ${what}`,
      ...(database.local ? { local: true } : {}),
    },
  ]
  const change = (what: string): readonly Doing[] => [
    {
      do: 'other',
      act: 'change',
      service: database.service,
      what: `${database.name}: ${what}`,
      note: 'sql',
      ...(database.local ? { local: true } : {}),
    },
  ]
  switch (verb) {
    case 'DROP':
      return second === 'INDEX' ||
        second === 'VIEW' ||
        second === 'FUNCTION' ||
        second === 'TRIGGER' ||
        second === 'TEMPORARY'
        ? change(`drop ${second.toLowerCase()}`)
        : destroy(`drop ${second?.toLowerCase() ?? ''}`)
    case 'TRUNCATE':
      return destroy('truncate')
    case 'DELETE':
      return words.includes('WHERE') ? change('delete rows') : destroy('delete all rows')
    case 'UPDATE':
      return words.includes('WHERE') ? change('update rows') : destroy('update all rows')
    case 'ALTER':
      return words.includes('DROP') ? destroy('alter, dropping a part') : change('alter')
    case 'INSERT':
    case 'REPLACE':
    case 'MERGE':
    case 'CREATE':
    case 'GRANT':
    case 'REVOKE':
    case 'COPY':
      return change(verb.toLowerCase())
    case 'WITH':
      return words.includes('DELETE') || words.includes('UPDATE') || words.includes('INSERT') ? change('rows') : []
    default:
      return []
  }
}

/** What a client does by itself before or beside the database. */
export interface Meta {
  /** The text without the client's own commands. */
  readonly rest: string
  readonly doings: readonly Doing[]
  /** Scripts that are read in. */
  readonly scripts: readonly string[]
}

const AT = { from: 0, to: 0 }

/** Takes the commands of psql, mysql and sqlite out of a text: `\!`, `\i`, `system`, `source`, `.shell`, `.output` … */
export function readMeta(text: string, client: string): Meta {
  const pattern = META[client]
  if (pattern === undefined || text.length > MOST_SQL) return { rest: text, doings: [], scripts: [] }
  const doings: Doing[] = []
  const scripts: string[] = []
  const shell = (command: string) => {
    if (command !== '') doings.push({ do: 'code', language: 'sh', text: exact(command), label: `${client} shell` })
  }
  const file = (act: 'read' | 'write' | 'edit', name: string) => {
    if (name !== '' && name !== 'stdout' && name !== 'pstdout' && name !== 'stdin')
      doings.push({ do: 'path', act, at: { value: exact(name), span: AT } })
  }
  const rest = text.replace(pattern, (_, ...groups: string[]) => {
    const [name, argument] = client === 'mysql' ? [groups[0] ?? groups[1]!, groups[2]!] : [groups[0]!, groups[1]!]
    const word = argument.trim().replace(/;$/, '')
    const bare = word.replace(/^(['"])(.*)\1$/s, '$2')
    if (/^(?:!|system|shell|pager)$/i.test(name) || (client === 'mysql' && name === 'P')) shell(word)
    else if (/^(?:i|ir|include|include_relative|source|\.|read)$/i.test(name))
      if (bare.startsWith('|')) shell(bare.slice(1))
      else scripts.push(bare)
    else if (/^(?:o|out|g|w|write|output|once|excel|tee|T)$/.test(name))
      if (bare.startsWith('|')) shell(bare.slice(1).trim())
      else file('write', bare)
    else if (name === 'copy') {
      const program = /\bprogram\s+'((?:[^']|'')*)'/i.exec(word)
      const to = /\bto\s+(?:'([^']*)'|(\S+))/i.exec(word)
      if (program) shell(program[1]!.replaceAll("''", "'"))
      else if (to) file('write', to[1] ?? to[2]!)
    } else if (/^(?:backup|save|clone)$/.test(name)) file('write', bare.split(/\s+/).at(-1)!)
    else if (name === 'import') file('read', bare.split(/\s+/)[0]!)
    else if (name === 'restore')
      doings.push({ do: 'other', act: 'destroy', service: client, what: 'the database, from a backup', local: true })
    return ''
  })
  return { rest, doings, scripts }
}

/** Commands of clients at the beginning of a line: a name and the rest of the line. */
const META: Readonly<Record<string, RegExp>> = {
  psql: /^[ \t]*\\(!|[A-Za-z_]+)([^\n]*)/gm,
  mysql: /^[ \t]*(?:\\(!|\.|[A-Za-z])|(system|source|tee|pager)(?=[ \t]))([^\n]*)/gim,
  sqlite3: /^[ \t]*\.([a-z]+)([^\n]*)/gm,
}

/** Functions and statements of embedded databases that write files, or load a program. */
const WRITES_FILE =
  /\bwritefile\s*\(\s*'([^']*)'|\bvacuum\s+(?:\w+\s+)?into\s+'([^']*)'|\bcopy\b[^;']*\bto\s+'([^']*)'|\bexport\s+database\s+'([^']*)'/gi
const LOADS_PROGRAM = /\bload_extension\s*\(\s*'([^']*)'/gi

/** What the SQL of an embedded database does to files of this machine. */
export function filesOfSql(text: string): readonly Doing[] {
  const at = (name: string) => ({ value: exact(name), span: AT })
  const whole = text.slice(0, MOST_SQL)
  return [
    ...[...whole.matchAll(WRITES_FILE)].map(
      ([, ...names]): Doing => ({ do: 'path', act: 'write', at: at(names.find((name) => name !== undefined) ?? '') }),
    ),
    ...[...whole.matchAll(LOADS_PROGRAM)].map(([, name]): Doing => ({ do: 'path', act: 'run', at: at(name ?? '') })),
  ]
}

/** Methods of the MongoDB shell that lose data; `deleteMany({})` loses a collection. */
function judgeMongo(text: string, database: Database): readonly Doing[] {
  const bare = text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, "''")
  const local = database.local ? { local: true } : {}
  const destroy = /\.(?:dropDatabase|drop|remove\(\s*\{\s*\}|deleteMany\(\s*\{\s*\}|dropCollection)\s*[()]?/.exec(bare)
  if (destroy)
    return [
      {
        do: 'other',
        act: 'destroy',
        service: database.service,
        what: `${database.name}: ${destroy[0].replace(/[.()\s{}]/g, '')}`,
        ...local,
      },
    ]
  const change =
    /\.(?:deleteOne|deleteMany|updateOne|updateMany|insertOne|insertMany|replaceOne|bulkWrite|createIndex|dropIndex|remove|save)\s*\(/.exec(
      bare,
    )
  return change
    ? [
        {
          do: 'other',
          act: 'change',
          service: database.service,
          what: `${database.name}: ${change[0].replace(/[.()\s]/g, '')}`,
          ...local,
        },
      ]
    : []
}

/** One command of redis. */
export function judgeRedis(words: readonly string[], database: Database): readonly Doing[] {
  const verb = words[0]?.toUpperCase() ?? ''
  const local = database.local ? { local: true } : {}
  if (verb === 'FLUSHALL' || verb === 'FLUSHDB' || verb === 'SHUTDOWN')
    return [
      {
        do: 'other',
        act: 'destroy',
        service: database.service,
        what: `${database.name}: ${verb.toLowerCase()}`,
        ...local,
      },
    ]
  if (
    /^(?:SET|DEL|UNLINK|EXPIRE|HSET|HDEL|LPUSH|RPUSH|SADD|SREM|ZADD|ZREM|RENAME|CONFIG|EVAL|MSET|INCR|DECR|APPEND)$/.test(
      verb,
    )
  ) {
    if (verb === 'CONFIG' && words[1]?.toUpperCase() !== 'SET') return []
    return [
      {
        do: 'other',
        act: 'change',
        service: database.service,
        what: `${database.name}: ${verb.toLowerCase()}`,
        ...local,
      },
    ]
  }
  return []
}
