/** Reads what `tar` writes, so that one program of the sandbox tells all of a tree: names, modes, links and contents. */

export interface Entry {
  readonly kind: 'file' | 'dir' | 'link' | 'other'
  /** Octal digits. */
  readonly mode: string
  /** The bytes, one character each. */
  readonly content: string
  /** For links: their text. */
  readonly target?: string
}

const BLOCK = 512

/** Absolute paths (below `base`) and what they hold. Second names of one file have its content. Throws on what is no archive. */
export function readTar(bytes: Buffer, base: string): Map<string, Entry> {
  const out = new Map<string, Entry>()
  let longName: string | undefined
  let longLink: string | undefined
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const head = bytes.subarray(at, at + BLOCK)
    if (head[0] === 0) break
    const text = (from: number, length: number) => {
      const part = head.subarray(from, from + length)
      const end = part.indexOf(0)
      return part.subarray(0, end < 0 ? length : end).toString('latin1')
    }
    if (text(257, 5) !== 'ustar') throw new Error('the sandbox gave no archive')
    const size = Number.parseInt(text(124, 12).trim() || '0', 8)
    const body = bytes.subarray(at + BLOCK, at + BLOCK + size).toString('latin1')
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    const type = text(156, 1)
    if (type === 'L' || type === 'K') {
      const long = body.replace(/\0+$/, '')
      if (type === 'L') longName = long
      else longLink = long
      continue
    }
    const name = longName ?? text(0, 100)
    const link = longLink ?? text(157, 100)
    longName = undefined
    longLink = undefined
    const path = place(base, name)
    const mode = (Number.parseInt(text(100, 8).trim(), 8) & 0o7777).toString(8)
    if (type === '1') out.set(path, { ...(out.get(place(base, link)) ?? { kind: 'file', content: '' }), mode })
    else if (type === '2') out.set(path, { kind: 'link', mode, content: '', target: link })
    else
      out.set(path, {
        kind: type === '5' ? 'dir' : type === '0' || type === '' ? 'file' : 'other',
        mode,
        content: body,
      })
  }
  return out
}

const place = (base: string, name: string): string => {
  const path = `${base}/${name.replace(/^\.\/?/, '')}`.replace(/\/+$/, '')
  return path === '' ? '/' : path
}
