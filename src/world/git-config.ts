/** Values of one key in the text of a git configuration file. Includes are not followed. */

/** All values of `section[.sub].name` in `text`, in order; a name without `=` is `true`, as git has it. */
export function readGitConfig(text: string, key: string): string[] {
  const first = key.indexOf('.')
  const last = key.lastIndexOf('.')
  if (first < 0) return []
  const section = key.slice(0, first).toLowerCase()
  const sub = first === last ? undefined : key.slice(first + 1, last)
  const name = key.slice(last + 1).toLowerCase()
  const out: string[] = []
  let inside = false
  for (const raw of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    let line = raw.trim()
    const header = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
    if (header) {
      // The old form `[branch.name]` puts the subsection, in small letters, into the section.
      const [plain, ...old] = header[1]!.toLowerCase().split('.')
      const own = header[2]?.replace(/\\(.)/g, '$1') ?? (old.length > 0 ? old.join('.') : undefined)
      inside = plain === section && own === sub
      line = line.slice(header[0].length).trim()
    }
    const setting = inside ? /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/.exec(line.replace(/^[#;].*$/, '')) : null
    if (setting && setting[1]!.toLowerCase() === name) out.push(setting[2] === undefined ? 'true' : unquote(setting[2]))
  }
  return out
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' }

/** Quotes and escapes resolved, a comment cut off, blanks around removed. */
function unquote(raw: string): string {
  let out = ''
  let quoted = false
  let end = 0
  const text = raw.trimStart()
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '"') quoted = !quoted
    else if (char === '\\' && i + 1 < text.length) {
      const next = text[++i]!
      out += ESCAPES[next] ?? next
    } else if (!quoted && (char === '#' || char === ';')) break
    else out += char
    if (quoted || !/\s/.test(char)) end = out.length
  }
  return out.slice(0, end)
}
