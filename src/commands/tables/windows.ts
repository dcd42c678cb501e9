/** Programs of Windows that change the machine, or fetch and run what lies elsewhere. */
import { type Arg, showValue, textOf } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import type { Group } from '../registry.ts'
import { readUnlisted } from '../unlisted.ts'

interface Tool {
  readonly names: string
  readonly note: string
  /** Words, in lower case, of which one must be among the arguments; absent: any call counts. */
  readonly words?: string
  readonly why: string
}

/** The first row that fits holds; a call that fits none only tells something. */
const TOOLS: readonly Tool[] = [
  { names: 'format diskpart', note: 'format', why: 'makes empty volumes' },
  { names: 'vssadmin wbadmin', note: 'format', words: 'delete resize', why: 'takes the copies of volumes away' },
  {
    names: 'bcdedit bootsect',
    note: 'kernel',
    words: '/set /delete /deletevalue /import /nt60',
    why: 'what the machine starts',
  },
  { names: 'reg', note: 'service', words: 'add delete import restore load unload copy', why: 'the registry' },
  { names: 'schtasks', note: 'schedule', words: '/create /change /delete /run', why: 'runs something later' },
  { names: 'taskkill tskill', note: 'service', why: 'ends processes of others' },
  { names: 'net net1', note: 'account', words: 'user localgroup group accounts', why: 'accounts' },
  { names: 'net net1', note: 'service', words: 'stop start pause share use', why: 'services and shares' },
  { names: 'netsh', note: 'service', words: 'set add delete reset', why: 'the network' },
  { names: 'wevtutil', note: 'service', words: 'cl clear-log sl', why: 'the logs' },
  { names: 'fsutil', note: 'service', words: 'deletejournal setzerodata set', why: 'the file system' },
  { names: 'mountvol', note: 'format', words: '/d /r', why: 'volumes' },
]

const lower = (arg: Arg): string => (textOf(arg.value) ?? '').toLowerCase()

const isHelp = (call: Invocation): boolean => call.args.some((arg) => /^(?:\/\?|-\?|--help)$/.test(lower(arg)))

const toolReader = (name: string): Reader =>
  function* (call): ReturnType<Reader> {
    if (isHelp(call) || call.args.length === 0) return []
    const given = new Set(call.args.map(lower))
    // A word alone lists: `net user` shows the accounts.
    const tool = TOOLS.find(
      (row) =>
        row.names.split(' ').includes(name) &&
        (row.words === undefined || (call.args.length > 1 && row.words.split(' ').some((word) => given.has(word)))),
    )
    if (tool === undefined) return []
    const what = call.args.map((arg) => showValue(arg.value)).join(' ')
    return [{ do: 'other', act: 'system', service: name, what, note: tool.note }]
  }

/** `icacls C:\x /grant … /t`, `takeown /f C:\x /r`, `cipher /w:C:\x`. */
function* rights(call: Invocation): ReturnType<Reader> {
  if (isHelp(call)) return []
  const flag = (name: string) => call.args.some((arg) => lower(arg) === name)
  if (call.base === 'takeown') {
    const at = call.args[call.args.findIndex((arg) => lower(arg) === '/f') + 1]
    return at === undefined ? [] : [{ do: 'path', act: 'mode', at, ...(flag('/r') ? { tree: true } : {}) }]
  }
  const [at, ...rest] = call.args
  const changes = rest.some((arg) => /^\/(?:grant|deny|remove|setowner|reset|inheritance|restore)/.test(lower(arg)))
  return at !== undefined && changes ? [{ do: 'path', act: 'mode', at, ...(flag('/t') ? { tree: true } : {}) }] : []
}

function* cipher(call: Invocation): ReturnType<Reader> {
  const wiped = call.args.find((arg) => /^\/w:/.test(lower(arg)))
  return wiped === undefined
    ? []
    : [{ do: 'other', act: 'system', service: 'cipher', what: showValue(wiped.value), note: 'format' }]
}

const ADDRESS = /https?:\/\/[^\s"']+/i

/** Programs that run what lies at an address: `mshta URL`, `regsvr32 /i:URL`, `rundll32 url.dll,…`, `msiexec /i URL`. */
function* runsAddress(call: Invocation): ReturnType<Reader> {
  const url = call.args.map((arg) => ADDRESS.exec(textOf(arg.value) ?? '')?.[0]).find((found) => found !== undefined)
  return url === undefined ? [] : [{ do: 'other', act: 'run-remote', service: call.base, what: url, note: 'address' }]
}

/** `certutil -decode IN OUT`, `makecab IN OUT`: the last word is written. */
const lastWritten = (call: Invocation): readonly Doing[] => {
  const words = call.args.filter((arg) => !/^[-/]/.test(textOf(arg.value) ?? ''))
  const out = words.at(-1)
  return words.length > 1 && out ? [{ do: 'path', act: 'write', at: out }] : []
}

const MAKES = /^[-/](?:encode|decode|encodehex|decodehex|exportpfx|split|dump)$/i

/** `certutil -urlcache -f URL FILE`, `bitsadmin /transfer NAME URL FILE`. */
function* downloads(call: Invocation): ReturnType<Reader> {
  const at = call.args.findIndex((arg) => ADDRESS.test(textOf(arg.value) ?? ''))
  const into = call.args[at + 1]
  if (at < 0 && call.args.some((arg) => MAKES.test(textOf(arg.value) ?? ''))) return lastWritten(call)
  if (at < 0 || into === undefined) return []
  const doings: readonly Doing[] = [
    { do: 'other', act: 'fetch', service: 'url', what: textOf(call.args[at]!.value) ?? '?' },
    {
      do: 'path',
      act: 'write',
      at: into,
      content: { text: { is: 'unknown', why: 'input', taints: ['remote'] }, taints: ['remote'] },
    },
  ]
  return doings
}

function* written(call: Invocation): ReturnType<Reader> {
  return lastWritten(call)
}

/** Elsewhere these are other programs. */
const onWindows = (reader: Reader): Reader =>
  function* (call): ReturnType<Reader> {
    return call.platform === 'win32' ? yield* reader(call) : readUnlisted(call)
  }

const names = [...new Set(TOOLS.flatMap((row) => row.names.split(' ')))]

export const windows: Group = {
  id: 'windows',
  rows: [],
  readers: {
    ...Object.fromEntries(names.map((name) => [name, onWindows(toolReader(name))])),
    'icacls takeown': onWindows(rights),
    cipher: onWindows(cipher),
    'mshta regsvr32 rundll32 msiexec': onWindows(runsAddress),
    'certutil bitsadmin': onWindows(downloads),
    makecab: onWindows(written),
  },
}
