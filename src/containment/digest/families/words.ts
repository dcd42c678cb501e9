/** `1 file`, `2 files`; `many` where an s is not enough. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** A copy of a part of a line. A part alone would keep all of its line in memory. */
export const own = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
