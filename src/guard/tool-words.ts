/** What the names and arguments of tools that we do not know say beyond paths: commands, code, queries, destroying verbs. */
import type { Doing, Language } from '../commands/doing.ts'
import type { Json } from '../core/call.ts'
import { type Arg, exact } from '../core/value.ts'

const HERE = { from: 0, to: 0 }

/** Words of a tool's name: `deletePod`, `delete_pod` and `delete-pod` are the same. */
export const wordsOfName = (tool: string): readonly string[] =>
  tool
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** Keys that hold a command line wherever they stand. */
const COMMAND_KEY = /^(?:command|cmd|command_?line|shell_?command|bash)$/i

/** Keys that hold several. */
const COMMANDS_KEY = /^(?:commands|cmds|command_?lines)$/i

/** Keys that hold code; which language, the tool or another key says. */
const CODE_KEY = /^(?:code|script|source_?code|program|snippet|python|javascript|js)$/i

/** Keys that hold a query. */
const QUERY_KEY = /^(?:sql|query|statement|queries|statements)$/i

const LANGUAGES: readonly (readonly [RegExp, Language])[] = [
  [/^(?:shell|bash|sh|zsh|terminal|console|cmd|ssh|exec)$/, 'sh'],
  [/^(?:python|python3|py|ipython|jupyter|notebook|ide)$/, 'python'],
  [/^(?:javascript|js|node|nodejs|typescript|ts|deno|bun)$/, 'javascript'],
  [/^ruby$/, 'ruby'],
  [/^perl$/, 'perl'],
  [/^php$/, 'php'],
  [/^lua$/, 'lua'],
  [/^(?:powershell|pwsh)$/, 'powershell'],
  [/^applescript|osascript$/, 'applescript'],
]

const DATABASES =
  /^(?:sql|db|database|postgres|postgresql|pg|mysql|mariadb|sqlite|supabase|bigquery|snowflake|clickhouse|duckdb|neon|mssql|oracle|cockroach|redshift)$/

/** Pages of a browser are no part of this machine. */
const BROWSERS = /^(?:browser|puppeteer|playwright|chrome|devtools|selenium|webdriver)$/

const DESTROYS = /^(?:delete|destroy|drop|terminate|purge|truncate|wipe|uninstall|deprovision)$/
const PUBLISHES = /^(?:merge|publish|deploy|release|promote|transfer)$/

const languageOf = (words: readonly string[]): Language | undefined =>
  words.flatMap((word) => LANGUAGES.find(([pattern]) => pattern.test(word))?.[1] ?? [])[0]

/** What a tool does by its name and arguments; paths are read apart. Pure. */
export function doingsOfTool(server: string, tool: string, args: Json): readonly Doing[] {
  const name = [...wordsOfName(server), ...wordsOfName(tool)]
  const browser = name.some((word) => BROWSERS.test(word))
  const fields = typeof args === 'object' && args !== null && !Array.isArray(args) ? Object.entries(args) : []
  const language =
    languageOf(
      fields.flatMap(([key, value]) => (/^lang(?:uage)?$|^runtime$|^kernel$/i.test(key) ? [text(value)] : [])),
    ) ?? languageOf(name)
  const doings: Doing[] = nestedIn(fields).flatMap((inner) =>
    inner.flatMap(([key, value]) => commandsOf(key, value, inner)),
  )
  for (const [key, value] of fields) {
    const commands = commandsOf(key, value, fields)
    if (commands.length > 0) doings.push(...commands)
    else if (CODE_KEY.test(key) && typeof value === 'string' && !browser) {
      const own = languageOf([key.toLowerCase()]) ?? language
      if (own !== undefined) doings.push({ do: 'code', language: own, text: exact(value), label: `${tool} ${key}` })
      else if (name.some((one) => /^(?:run|exec|execute|eval|evaluate)$/.test(one)) && /[\n(;]/.test(value))
        doings.push({ do: 'opaque', what: `${tool} ${key}`, note: 'tool-code' })
    } else if (QUERY_KEY.test(key) && typeof value === 'string' && name.some((one) => DATABASES.test(one)))
      // The client is the one that is read as such everywhere else.
      doings.push({ do: 'run', argv: ['psql', '-c', value].map(word) })
  }
  const verb = wordsOfName(tool).find((one) => DESTROYS.test(one) || PUBLISHES.test(one))
  const paths = fields.some(
    ([key, value]) => /path|file|dir|folder|uri|source|target/i.test(key) || /^[/~.]/.test(text(value)),
  )
  if (verb !== undefined && server !== '' && !paths && !browser)
    doings.push({ do: 'other', act: 'change', service: server, what: tool, note: 'verb' })
  return doings
}

const text = (value: Json): string => (typeof value === 'string' ? value.toLowerCase() : '')

const word = (value: Json): Arg => ({ value: exact(typeof value === 'string' ? value : String(value)), span: HERE })

type Entries = readonly (readonly [string, Json])[]

/** Tools that call others hold the arguments of these deeper down. */
const MOST_LEVELS = 6
const MOST_OBJECTS = 256

/** The entries of each object below. */
function nestedIn(fields: Entries): readonly Entries[] {
  const out: Entries[] = []
  let level: readonly Json[] = fields.map(([, value]) => value)
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth++) {
    const below: Json[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null || out.length >= MOST_OBJECTS) continue
      const entries = Array.isArray(value) ? [] : Object.entries(value)
      if (entries.length > 0) out.push(entries)
      for (const inner of Object.values(value) as Json[]) if (typeof inner === 'object') below.push(inner)
    }
    level = below
  }
  return out
}

/** The command lines under a key. Of several in a list each text is one. */
function commandsOf(key: string, value: Json, fields: Entries): readonly Doing[] {
  if (COMMAND_KEY.test(key)) return command(value, fields)
  // Beside a command it is the rest of it.
  if (/^argv$/i.test(key) && Array.isArray(value) && !fields.some(([other]) => COMMAND_KEY.test(other)))
    return value.length > 0 ? [{ do: 'run', argv: value.map(word) }] : []
  if (!COMMANDS_KEY.test(key)) return []
  return (Array.isArray(value) ? value : [value]).flatMap((one) => (typeof one === 'string' ? command(one, []) : []))
}

/** A command line, or a program with its arguments beside it. */
function command(value: Json, fields: readonly (readonly [string, Json])[]): readonly Doing[] {
  if (Array.isArray(value)) return value.length > 0 ? [{ do: 'run', argv: value.map(word) }] : []
  if (typeof value !== 'string') return []
  const args = fields.find(([key]) => /^(?:args|arguments|argv|parameters)$/i.test(key))?.[1]
  if (Array.isArray(args) && !/\s/.test(value.trim())) return [{ do: 'run', argv: [value.trim(), ...args].map(word) }]
  return [{ do: 'code', language: 'sh', text: exact(value), label: 'command' }]
}
