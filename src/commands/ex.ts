/** Commands of ed, ex and vim, as far as they touch files or run something. Everything else changes a buffer only. */
import { type Arg, exact } from '../core/value.ts'
import type { Doing } from './doing.ts'

/** Commands of one script that are looked at. */
const MOST_COMMANDS = 500

/** What an editor's commands act on: the files it was started with. */
export interface Buffer {
  readonly files: readonly Arg[]
  /** The place that new arguments get. */
  readonly at: Arg
  /** Inside a global command, which holds no further one. */
  readonly nested?: boolean
}

const named = (buffer: Buffer, text: string): Arg => ({
  value: exact(text),
  span: buffer.at.span,
  provenance: 'constant',
})

/** Address in front of a command: `%`, `1,$`, `'<,'>`, `/x/`, `.+1`. */
const ADDRESS = /^(?:[\s:%$.,;+\-\d]|'[a-z<>[\]]|\/(?:\\.|[^/\\\n])*\/|\?(?:\\.|[^?\\\n])*\?)*/

/** Reads the commands of ed in order: an inserted text ends with a single dot. */
export function edDoings(text: string, buffer: Buffer): readonly Doing[] {
  const doings: Doing[] = []
  let files = buffer.files
  let inserting = false
  for (const row of text.split('\n').slice(0, MOST_COMMANDS * 20)) {
    if (inserting) {
      inserting = row !== '.'
      continue
    }
    const command = row.replace(ADDRESS, '')
    if (/^[aic]\s*$/.test(command)) inserting = true
    else if (command.startsWith('!')) doings.push({ do: 'code', language: 'sh', text: exact(command.slice(1)) })
    else if (/^[gGvV](\W)/.test(command)) doings.push(...globalDoings(command, { ...buffer, files }))
    else {
      const match = /^(w|W|wq|e|E|f|r)\b\s*(.*)$/.exec(command)
      if (!match) continue
      const [, verb = '', rest = ''] = match
      if (rest.startsWith('!')) doings.push({ do: 'code', language: 'sh', text: exact(rest.slice(1)) })
      else if (verb === 'r') doings.push(...(rest === '' ? [] : [read(named(buffer, rest))]))
      else if (verb === 'e' || verb === 'E' || verb === 'f') {
        if (rest !== '') files = [named(buffer, rest)]
      } else doings.push(...writes(rest, { ...buffer, files }, verb === 'W'))
    }
  }
  return doings
}

const read = (at: Arg): Doing => ({ do: 'path', act: 'read', at })

function writes(rest: string, buffer: Buffer, append = false): readonly Doing[] {
  if (rest !== '') return [{ do: 'path', act: append ? 'append' : 'write', at: named(buffer, rest) }]
  return buffer.files.map((at) => ({ do: 'path', act: 'edit', at }))
}

/** `g/x/w` runs its command on lines that match. */
function globalDoings(command: string, buffer: Buffer): readonly Doing[] {
  const delimiter = command[1]!
  const end = command.indexOf(delimiter, 2)
  const rest = end < 0 ? '' : command.slice(end + 1)
  if (buffer.nested) return [{ do: 'opaque', what: 'a global command in a global command' }]
  return exDoings(rest, { ...buffer, nested: true })
}

const WRITES =
  /^(?:w(?:rite|q(?:a(?:ll)?)?|a(?:ll)?|n(?:ext)?)?|wqa(?:ll)?|up(?:date)?|x(?:it|a(?:ll)?)?|exi(?:t)?)(!?)(?:\s+(.*))?$/
const HARMLESS =
  /^(?:q(?:uit)?(?:a(?:ll)?)?!?|cq!?|se(?:t(?:l(?:ocal)?)?)?|s|&|g|v|d(?:elete)?|j(?:oin)?|m(?:ove)?|t|co(?:py)?|k|p(?:rint)?|nu(?:mber)?|u(?:ndo)?|red(?:o)?|y(?:ank)?|pu(?:t)?|>|<|=|norm(?:al)?!?|sil(?:ent)?!?|let|echo(?:m|n)?|sy(?:ntax)?|colo(?:rscheme)?|noh(?:lsearch)?|filet(?:ype)?|n(?:ext)?|bn(?:ext)?|bp(?:revious)?|b(?:uffer)?|ls|tabn?(?:ew)?|sp(?:lit)?|vs(?:plit)?|only?|help|ve(?:rsion)?|map|nmap|imap|nnoremap|inoremap|noremap|ret(?:ab)?!?|sor(?:t)?|fix(?:del)?|a(?:ppend)?|i(?:nsert)?|c(?:hange)?|reg(?:isters)?|marks|ju(?:mps)?|his(?:tory)?|mes(?:sages)?|sleep|redr(?:aw)?!?|pw(?:d)?|diffthis|windo|z|\d+|\$|#)(?![a-z])/

/** What one line of ex (vim `-c`) does. `|` separates commands, but not behind `!` and `:g`. */
export function exDoings(text: string, buffer: Buffer): readonly Doing[] {
  const doings: Doing[] = []
  let current = buffer
  for (const part of commandsOf(text).slice(0, MOST_COMMANDS)) {
    let command = part.replace(ADDRESS, '').trim()
    command = command
      .replace(
        /^(?:sil(?:ent)?!?|noa(?:utocmd)?|keepj(?:umps)?|keepp(?:atterns)?|exe(?:cute)?\s+['"](?=\w|!|%)|(?:arg|buf|tab|win)do!?)\s*/,
        '',
      )
      .replace(ADDRESS, '')
    const write = WRITES.exec(command)
    if (command === '') continue
    if (command.startsWith('!'))
      doings.push({ do: 'code', language: 'sh', text: exact(command.slice(1).replace(/["']$/, '')) })
    else if (write) {
      const rest = (write[2] ?? '').replace(/^\+\+\S+\s*/, '')
      if (rest.startsWith('!')) doings.push({ do: 'code', language: 'sh', text: exact(rest.slice(1)) })
      else if (rest.startsWith('>>')) doings.push(...writes(rest.slice(2).trim(), current, true))
      else doings.push(...writes(rest === '%' ? '' : rest, current))
    } else {
      const other = /^([a-zA-Z]+)!?\s*(.*)$/s.exec(command)
      const verb = other?.[1] ?? ''
      const rest = other?.[2] ?? ''
      if (/^sav(?:eas)?$/.test(verb)) doings.push(...writes(rest, current))
      else if (/^r(?:ead?)?$/.test(verb)) {
        if (rest.startsWith('!')) doings.push({ do: 'code', language: 'sh', text: exact(rest.slice(1)) })
        else if (rest !== '') doings.push(read(named(current, rest)))
      } else if (/^(?:e(?:dit)?|tabe(?:dit)?|f(?:ile)?|vie?w?)$/.test(verb)) {
        if (rest !== '' && !rest.startsWith('#')) current = { ...current, files: [named(current, rest)] }
      } else if (/^so(?:urce)?$|^ru(?:ntime)?$/.test(verb)) {
        if (rest !== '') doings.push({ do: 'script', path: named(current, rest), language: 'vim', args: [] })
      } else if (/^(?:g(?:lobal)?|v(?:global)?)$/.test(verb) && /^[^\w\s]/.test(rest)) {
        doings.push(...globalDoings(`g${rest}`, current))
      } else if (
        /^(?:call|lua|luado|py\w*|perl\w*|ruby\w*|tcl\w*|mz\w*|exe\w*|if|au\w*|fu\w*|term\w*|ter|grep|mak\w*|lmak\w*|mks\w*|cs\w*)$/.test(
          verb,
        )
      ) {
        doings.push(...called(verb, rest, current))
      } else if (!HARMLESS.test(command))
        doings.push({ do: 'opaque', what: `vim command ${verb || command.slice(0, 20)}` })
    }
  }
  return doings
}

/** `:call system('…')`, `:call delete('f')`, `:call writefile([], 'f')`; other code of editors cannot be read. */
function called(verb: string, rest: string, buffer: Buffer): readonly Doing[] {
  if (/^(?:mak|lmak)/.test(verb))
    return [
      {
        do: 'run',
        argv: [
          named(buffer, 'make'),
          ...rest
            .split(/\s+/)
            .filter(Boolean)
            .map((word) => named(buffer, word)),
        ],
      },
    ]
  if (/^mks/.test(verb)) return [{ do: 'path', act: 'write', at: named(buffer, rest === '' ? 'Session.vim' : rest) }]
  if (verb === 'grep') return []
  const shell = /^(?:system|systemlist|termopen|job_start)\((?:'([^']*)'|"([^"\\]*)")\)$/.exec(rest)
  if (verb === 'call' && shell) return [{ do: 'code', language: 'sh', text: exact(shell[1] ?? shell[2] ?? '') }]
  const gone = /^delete\((?:'([^']*)'|"([^"\\]*)")(?:,\s*['"](\w*)['"])?\)$/.exec(rest)
  if (verb === 'call' && gone)
    return [
      {
        do: 'path',
        act: 'delete',
        at: named(buffer, gone[1] ?? gone[2] ?? ''),
        ...(gone[3] === 'rf' ? { tree: true } : {}),
      },
    ]
  if (verb === 'call' && /^(?:setline|append|cursor|search|feedkeys\(['"]\w*['"])\(/.test(rest)) return []
  return [{ do: 'opaque', what: `vim ${verb}`, note: 'editor-code' }]
}

/** Splits at `|`, but a shell command and a global command take the rest of the line. */
function commandsOf(text: string): readonly string[] {
  const all: string[] = []
  for (const row of text.split('\n')) {
    let rest = row
    for (let i = 0; i < MOST_COMMANDS && rest !== ''; i++) {
      const bare = rest.replace(ADDRESS, '')
      if (/^(?:!|r(?:ead)?\s*!|w(?:rite)?\s+!|g|v|norm)/.test(bare) || !rest.includes('|')) {
        all.push(rest)
        break
      }
      const cut = barOf(rest)
      all.push(rest.slice(0, cut))
      rest = rest.slice(cut + 1)
    }
  }
  return all
}

function barOf(text: string): number {
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '\\') i++
    else if (quote !== '') quote = char === quote ? '' : quote
    else if (char === "'" || char === '"') quote = text.indexOf(char, i + 1) > 0 ? char : ''
    else if (char === '|') return i
  }
  return text.length
}
