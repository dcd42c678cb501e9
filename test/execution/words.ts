/** Spellings of a path as a shell word: quotes, expansions, ways round, and links. */
import { posix } from 'node:path'
import type { Random } from './random.ts'
import { absolute, HOME, ROOT } from './tree.ts'

/** Where a statement stands: the working directory of its shell, and how deep it is nested. */
export interface Scope {
  readonly random: Random
  /** Absolute. */
  readonly cwd: string
  /** Statements that must stand before the one being made, in the same shell. */
  readonly before: string[]
  /** Links are left alone: what follows does not go through them. */
  readonly physical?: boolean
  /** Gives names that were not used before. */
  readonly fresh: (stem: string) => string
}

export const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const PLAIN = /^[\w./@%+=:,-]+$/

/** A text as one word, in any of the quotings that keep it. */
export function quote(text: string, random: Random): string {
  const plain = PLAIN.test(text)
  const ways: (() => string)[] = [
    () => single(text),
    () => `"${text.replace(/["\\$`]/g, '\\$&')}"`,
    () => text.replace(/[^\w./@%+=:,-]/g, '\\$&'),
    () => `$'${text.replace(/[\\']/g, '\\$&')}'`,
    () => {
      const at = 1 + random.int(Math.max(text.length - 1, 1))
      return `${single(text.slice(0, at))}"${text.slice(at).replace(/["\\$`]/g, '\\$&')}"`
    },
    () => {
      const at = random.int(text.length)
      const code = text.charCodeAt(at)
      const escaped = random.pick([`\\x${code.toString(16)}`, `\\${code.toString(8).padStart(3, '0')}`])
      return code < 128 ? `$'${text.slice(0, at)}${escaped}${text.slice(at + 1)}'` : single(text)
    },
  ]
  if (plain && random.chance(0.6)) return text
  // A home directory or an assignment must not come about by leaving quotes out.
  return random.pick(text.includes('\n') || text.includes("'") ? ways.slice(0, 2) : ways)()
}

/** Links to directories that were there before: what they lead to. */
const LINKS: readonly (readonly [link: string, target: string])[] = [
  ['core', 'src/core'],
  ['mylib', 'lib'],
]

/** A text for the path: relative or absolute, straight or round, through a link that is there or made for it. */
function route(path: string, scope: Scope): string {
  const { random, cwd } = scope
  let at = absolute(path)
  const viaLink = LINKS.find(([, target]) => at.startsWith(`${ROOT}/${target}/`))
  if (scope.physical) {
    // As it is.
  } else if (viaLink && random.chance(0.12))
    at = `${ROOT}/${viaLink[0]}${at.slice(ROOT.length + 1 + viaLink[1].length)}`
  else if (random.chance(0.06) && posix.dirname(at) !== ROOT && at.startsWith(`${ROOT}/`)) {
    const link = scope.fresh('lnk')
    scope.before.push(`ln -s${random.pick(['', 'n', 'f'])} ${posix.dirname(at)} /tmp/${link}`)
    at = `/tmp/${link}/${posix.basename(at)}`
  }
  const relative = posix.relative(cwd, at)
  const straight = relative === '' ? '.' : relative.startsWith('-') ? `./${relative}` : relative
  switch (random.int(14)) {
    case 0:
      return at
    case 1:
      return `./${straight}`
    case 2:
      return straight.replaceAll('/', '//')
    case 3:
      return `${posix.relative(cwd, `${ROOT}/lib`) || '.'}/${posix.relative(`${ROOT}/lib`, at) || '.'}`
    case 4:
      return straight.includes('/') ? straight.replace('/', '/./') : straight
    case 5:
      return cwd === ROOT && !scope.physical ? `../shop/${straight}` : straight
    default:
      return straight
  }
}

/** A path as a word of a shell. `plain`: only quotes, for places that no expansion reaches. */
export function word(path: string, scope: Scope, plain = false): string {
  const { random, cwd } = scope
  const text = route(path, scope)
  const quoted = () => quote(text, random)
  if (plain || random.chance(0.45)) return quoted()
  const at = absolute(path)
  const ways: (() => string)[] = [
    () => {
      const name = scope.fresh('v')
      scope.before.push(`${name}=${quoted()}`)
      return random.pick([`"$${name}"`, `"\${${name}}"`, `"\${${name}:-x}"`, `"\${none:-$${name}}"`])
    },
    () => {
      const name = scope.fresh('d')
      const cut = text.lastIndexOf('/') + 1
      if (cut === 0) return quoted()
      scope.before.push(
        `${random.pick(['', 'export ', 'declare ', 'readonly '])}${name}=${quote(text.slice(0, cut - 1) || '/', random)}`,
      )
      return `"$${name}/${text.slice(cut)}"`
    },
    () => (at.startsWith(`${HOME}/`) ? `~/${quote(at.slice(HOME.length + 1), random)}` : quoted()),
    () => (at.startsWith(`${HOME}/`) ? `"$HOME/${at.slice(HOME.length + 1)}"` : quoted()),
    () => (cwd === '/' ? quoted() : `"$PWD/${posix.relative(cwd, at) || '.'}"`),
    () => `"$(${random.pick(['echo', "printf '%s'", 'printf %s', 'realpath -ms'])} ${quoted()})"`,
    () => `"\`echo ${single(text)}\`"`,
    () => {
      const cut = text.lastIndexOf('/')
      return cut <= 0 ? quoted() : `"$(dirname ${quoted()})/${text.slice(cut + 1)}"`
    },
    () => brace(text, random),
    () => globbed(text, random),
    () => {
      const array = scope.fresh('a')
      scope.before.push(`${array}=(${quote('x', random)} ${quoted()})`)
      return `"\${${array}[1]}"`
    },
    () => {
      const name = scope.fresh('s')
      const end = posix.extname(text)
      if (end === '') return quoted()
      scope.before.push(`${name}=${quote(`${text}.orig`, random)}`)
      return random.pick([`"\${${name}%.orig}"`, `"\${${name}/.orig/}"`, `"\${${name}:0:${text.length}}"`])
    },
    () => {
      scope.before.push(`set -- ${quoted()}`)
      return random.pick(['"$1"', '"$@"', '"$*"', `"\${1}"`])
    },
    () => {
      const name = scope.fresh('r')
      scope.before.push(
        random.pick([
          `read -r ${name} <<< ${quoted()}`,
          `printf -v ${name} %s ${quoted()}`,
          `${name}=x; ${name}=${quoted()}`,
          `: "\${${name}:=${text.replace(/["\\$`}]/g, '\\$&')}}"`,
        ]),
      )
      return `"$${name}"`
    },
  ]
  return random.pick(ways)()
}

/** One alternative only, or a second one that is empty of meaning. */
function brace(text: string, random: Random): string {
  if (!PLAIN.test(text) || text.length < 3) return quote(text, random)
  const at = 1 + random.int(text.length - 2)
  return `${text.slice(0, at)}{${text.slice(at, at + 1)},}${text.slice(at + 1)}`.replace(
    /\{(.),\}/,
    (all, c: string) =>
      // Two words would come out: the single form `{x..x}` gives one.
      /[a-z0-9]/i.test(c) ? `{${c}..${c}}` : all.slice(1, 2),
  )
}

/** A pattern that matches this path now, where there is nothing else of the kind. */
function globbed(text: string, random: Random): string {
  const cut = text.lastIndexOf('/') + 1
  const name = text.slice(cut)
  if (!PLAIN.test(text) || name.length < 3 || name.startsWith('.')) return quote(text, random)
  const at = 1 + random.int(name.length - 2)
  const pattern = random.pick(['?', `[${name[at]}]`])
  return `${text.slice(0, cut)}${name.slice(0, at)}${/[a-z0-9]/i.test(name[at]!) ? pattern : name[at]}${name.slice(at + 1)}`
}
