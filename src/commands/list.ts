/** Lists of names in one text, separated by blanks: searched as they are, since most are never looked at. */

/** Whether a list of names holds one. A name holds no blank. */
export function lists(names: string, name: string): boolean {
  for (let at = names.indexOf(name); at >= 0 && name !== ''; at = names.indexOf(name, at + 1)) {
    const end = at + name.length
    if ((at === 0 || names[at - 1] === ' ') && (end === names.length || names[end] === ' ')) return true
  }
  return false
}
