/**
 * Ways to write the same line otherwise. Each gives the new text, or undefined where it does not apply. That each keeps
 * the meaning is proven in `proof.ts`, by running samples of both spellings.
 */
import { type Command, quoted, replaced, type Text } from './text.ts'

export interface Respelling {
  readonly id: string
  respell(line: Text, exists: (path: string) => boolean): string | undefined
}

/** Changes every plain name of a command; `programs`: only those that are programs of the machine. */
const names =
  (by: (name: string) => string, programs = false) =>
  (line: Text): string | undefined => {
    const fit = line.commands.filter((one) => !programs || (!one.builtin && !line.defined.has(one.name)))
    return changed(
      line,
      fit.map((one) => ({ span: one.nameSpan, by: by(one.name) })),
    )
  }

const args =
  (by: (text: string) => string | undefined) =>
  (line: Text): string | undefined =>
    changed(
      line,
      line.commands.flatMap((one) =>
        one.plain.flatMap(({ text, span }) => {
          const next = by(text)
          return next === undefined ? [] : [{ span, by: next }]
        }),
      ),
    )

const changed = (line: Text, pieces: readonly { span: { from: number; to: number }; by: string }[]) =>
  pieces.length === 0 ? undefined : replaced(line.text, pieces)

const whole =
  (by: (text: string) => string) =>
  (line: Text): string =>
    by(line.text)

/** Puts a program that runs another before every program; what is in a function or a builtin is no program. */
const prefix = (words: string) => names((name) => `${words} ${name}`, true)

/** For a line that is one command with plain words. */
const simple = (by: (command: Command, words: readonly string[]) => string | undefined) => (line: Text) => {
  const { only } = line
  if (only === undefined || only.plain.length !== only.words.length - 1) return undefined
  return by(only, [only.name, ...only.plain.map(({ text }) => text)])
}

const programOf = (line: Text): Command | undefined =>
  line.only !== undefined && !line.only.builtin && !line.defined.has(line.only.name) ? line.only : undefined

export const RESPELLINGS: readonly Respelling[] = [
  { id: 'quotes in the name', respell: names((name) => `${name[0]}"${name.slice(1)}"`) },
  { id: 'name in single quotes', respell: names((name) => `'${name}'`) },
  { id: 'empty quotes in the name', respell: names((name) => `${name[0]}''${name.slice(1)}`) },
  { id: 'name behind a backslash', respell: names((name) => `\\${name}`) },
  {
    id: 'backslash within the name',
    respell: names((name) => (name.length > 1 ? `${name[0]}\\${name.slice(1)}` : name)),
  },
  { id: 'name in hexadecimal', respell: names((name) => `$'\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}'`) },
  { id: 'name in octal', respell: names((name) => `$'\\${name.charCodeAt(0).toString(8)}${name.slice(1)}'`) },
  { id: 'arguments in double quotes', respell: args((text) => `"${text}"`) },
  { id: 'arguments in single quotes', respell: args((text) => `'${text}'`) },
  {
    id: 'quotes within arguments',
    respell: args((text) => (text.length > 1 ? `${text.slice(0, 1)}""${text.slice(1)}` : undefined)),
  },
  {
    id: 'backslash within arguments',
    respell: args((text) => (/^.[a-z]/.test(text) ? `${text[0]}\\${text.slice(1)}` : undefined)),
  },
  { id: 'absolute path of the program', respell: names((name) => `/usr/bin/${name}`, true) },
  { id: 'command', respell: prefix('command') },
  { id: 'env', respell: prefix('env') },
  { id: 'env with a variable', respell: prefix('env LC_ALL=C') },
  { id: 'nice', respell: prefix('nice -n 5') },
  { id: 'timeout', respell: prefix('timeout 60') },
  { id: 'nohup', respell: prefix('nohup') },
  { id: 'stdbuf', respell: prefix('stdbuf -oL') },
  { id: 'setsid', respell: prefix('setsid -w') },
  { id: 'two prefixes', respell: prefix('nice env -u NOTHING') },
  { id: 'variable before the program', respell: names((name) => `LC_ALL=C ${name}`, true) },
  { id: 'bash -c', respell: whole((text) => `bash -c ${quoted(text)}`) },
  { id: 'bash -c twice', respell: whole((text) => `bash -c ${quoted(`bash -c ${quoted(text)}`)}`) },
  { id: 'eval', respell: whole((text) => `eval ${quoted(text)}`) },
  { id: 'subshell', respell: whole((text) => `(\n${text}\n)`) },
  { id: 'group', respell: whole((text) => `{\n${text}\n}`) },
  { id: 'function', respell: whole((text) => `go_on() {\n${text}\n}; go_on`) },
  {
    id: 'here-document to a shell',
    respell: (line) => (line.hereDoc ? undefined : `bash <<'UNTIL_HERE'\n${line.text}\nUNTIL_HERE`),
  },
  { id: 'here-string to a shell', respell: whole((text) => `bash <<< ${quoted(text)}`) },
  { id: 'printed to a shell', respell: whole((text) => `printf '%s\\n' ${quoted(text)} | bash`) },
  {
    id: 'echoed to a shell',
    respell: (line) => (/[\\\n]|^-/.test(line.text) ? undefined : `echo ${quoted(line.text)} | bash`),
  },
  {
    id: 'base64 to a shell',
    respell: whole((text) => `echo ${Buffer.from(text).toString('base64')} | base64 -d | bash`),
  },
  { id: 'process substitution', respell: whole((text) => `source <(printf '%s\\n' ${quoted(text)})`) },
  {
    id: 'name in a variable',
    respell: (line) => {
      const { only } = line
      return only === undefined
        ? undefined
        : `which_one=${only.name}; ${replaced(line.text, [{ span: only.nameSpan, by: '$which_one' }])}`
    },
  },
  {
    id: 'argument in a variable',
    respell: (line) => {
      const last = line.only?.plain.at(-1)
      return last === undefined
        ? undefined
        : `which_one=${quoted(last.text)}; ${replaced(line.text, [{ span: last.span, by: '"$which_one"' }])}`
    },
  },
  {
    id: 'argument in two variables',
    respell: (line) => {
      const last = line.only?.plain.at(-1)
      if (last === undefined || last.text.length < 2) return undefined
      const [head, tail] = [last.text.slice(0, 1), last.text.slice(1)]
      return `a=${quoted(head)} b=${quoted(tail)}; ${replaced(line.text, [{ span: last.span, by: '"$' + '{a}${b}"' }])}`
    },
  },
  {
    id: 'name by default expansion',
    respell: (line) => {
      const next = names((name) => `\${nothing:-${name}}`)(line)
      return next === undefined ? undefined : `nothing=; ${next}`
    },
  },
  { id: 'name by command substitution', respell: names((name) => `$(echo ${name})`) },
  {
    id: 'braces',
    respell: simple((_, words) =>
      words.length < 2 || words.some((word) => word.includes(',')) ? undefined : `{${words.join(',')}}`,
    ),
  },
  {
    id: 'glob that matches one name',
    respell: (line, exists) => {
      if (line.moves) return undefined
      return changed(
        line,
        line.commands.flatMap((one) =>
          one.plain.flatMap(({ text, span }) =>
            /[a-z0-9]$/i.test(text) && !text.startsWith('-') && exists(text)
              ? [{ span, by: `${text.slice(0, -1)}[${text.slice(-1)}]` }]
              : [],
          ),
        ),
      )
    },
  },
  { id: 'cd first', respell: whole((text) => `cd . && {\n${text}\n}`) },
  {
    id: 'line continuation',
    respell: (line) =>
      changed(
        line,
        line.commands.map((one) => ({ span: { from: one.nameSpan.to, to: one.nameSpan.to }, by: ' \\\n' })),
      ),
  },
  {
    id: 'more blanks',
    respell: (line) =>
      changed(
        line,
        line.commands.map((one) => ({ span: { from: one.nameSpan.to, to: one.nameSpan.to }, by: '\t  ' })),
      ),
  },
  {
    id: 'comment behind',
    respell: (line) => (line.hereDoc || /\\$/.test(line.text) ? undefined : `${line.text} # a note`),
  },
  { id: 'comment before', respell: whole((text) => `# a note: rm -rf /\n${text}`) },
  {
    id: 'xargs',
    respell: (line) => {
      const command = programOf(line)
      return command === undefined
        ? undefined
        : simple((_, words) => {
            const last = words.at(-1)!
            return words.length < 2 || last.startsWith('-')
              ? undefined
              : `printf '%s\\n' ${last} | xargs ${words.slice(0, -1).join(' ')}`
          })(line)
    },
  },
  {
    id: 'xargs -0 with a place',
    respell: (line) => {
      const command = programOf(line)
      return command === undefined
        ? undefined
        : simple((_, words) => {
            const last = words.at(-1)!
            return words.length < 2 || last.startsWith('-')
              ? undefined
              : `printf '%s\\0' ${last} | xargs -0 -I{} ${words.slice(0, -1).join(' ')} {}`
          })(line)
    },
  },
  { id: 'if true', respell: whole((text) => `if true; then\n${text}\nfi`) },
  { id: 'loop over one', respell: whole((text) => `for one in 1; do\n${text}\ndone`) },
  { id: 'case', respell: whole((text) => `case x in x)\n${text}\n;; esac`) },
  { id: 'behind true', respell: whole((text) => `true && {\n${text}\n}`) },
  { id: 'behind false', respell: whole((text) => `false || {\n${text}\n}`) },
  { id: 'behind another command', respell: whole((text) => `echo started; ${text}`) },
  { id: 'errors elsewhere', respell: (line) => (line.only === undefined ? undefined : `${line.text} 2>/dev/null`) },
  { id: 'background', respell: whole((text) => `{\n${text}\n} & wait`) },
  { id: 'command substitution', respell: whole((text) => `: "$(\n${text}\n)"`) },
  { id: 'trap', respell: whole((text) => `trap ${quoted(text)} EXIT`) },
  { id: 'ctx run', respell: whole((text) => `ctx run --shell -- ${quoted(text)}`) },
]
