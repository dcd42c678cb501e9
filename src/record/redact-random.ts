/** Masks long runs of characters that look like keys: no words, no numbers, no paths. */

/** A run that is this long and has no pattern of words is taken for a key. */
const LONG = 24
/** Changes between lower case, upper case and digits, per character: words change seldom, keys all the time. */
const RANDOM_CHANGES = 0.3
/** Hexadecimal digits from here on are a key, except where they are the name of a git object. */
const LONG_HEX = 32
const GIT_OBJECT = 40
/** Names like `550e8400-e29b-41d4-a716-446655440000` are no secrets. */
export const UUID = /[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/

export function maskRandom(text: string, mask: string): string {
  return text.replace(/[A-Za-z0-9+/_=-]{24,}/g, (run) => {
    if (!run.includes('/')) return looksRandom(run) ? mask : run
    // Base64 has slashes here and there; a path has words between them.
    if (!isPath(run) && looksRandom(run.replaceAll('/', ''))) return mask
    return run
      .split('/')
      .map((part) => (looksRandom(part) ? mask : part))
      .join('/')
  })
}

/** Whether a run with slashes in it is made of words rather than of a key. */
export function isPath(run: string): boolean {
  const parts = run.split('/').filter((part) => part !== '')
  const words = parts.filter((part) => part.length > 1 && isWords(part))
  return words.length * 2 >= parts.length
}

/** Whether it is words in small letters, each with a capital in front at most, joined by hyphens and underscores. */
function isWords(part: string): boolean {
  let starts = true
  for (const char of part) {
    const kind = kindOf(char)
    if (char === '-' || char === '_') starts = true
    else if (kind === 'a' || (kind === 'A' && starts)) starts = false
    else return false
  }
  return true
}

function looksRandom(run: string): boolean {
  if (run.length < LONG || UUID.test(run)) return false
  const hex = /^(?:0x)?([0-9a-fA-F]+)$/.exec(run)?.[1]
  if (hex !== undefined) {
    return hex.length >= LONG_HEX && hex.length !== GIT_OBJECT && /[0-9]/.test(hex) && /[a-fA-F]/.test(hex)
  }
  const { changes, counted } = changesOf(run)
  return counted >= LONG && /[0-9]/.test(run) && changes / counted >= RANDOM_CHANGES
}

/** Letters and digits of a run, and how often lower case, upper case and digits take turns in it. */
export function changesOf(run: string): { changes: number; counted: number } {
  let changes = 0
  let counted = 0
  let before = ''
  for (const character of run) {
    const kind = kindOf(character)
    if (kind !== '') counted++
    if (kind !== '' && before !== '' && kind !== before) changes++
    before = kind
  }
  return { changes, counted }
}

function kindOf(character: string): '' | 'a' | 'A' | '1' {
  if (character >= 'a' && character <= 'z') return 'a'
  if (character >= 'A' && character <= 'Z') return 'A'
  return character >= '0' && character <= '9' ? '1' : ''
}
