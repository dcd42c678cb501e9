/** How a number of things is said. */

/** `1 line`, `2 lines`; what does not end in `s` is named: `counted(2, 'entry', 'entries')`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`
