export { counted } from '../../../core/count.ts'

/** A copy of a part of a line. A part alone would keep all of its line in memory. */
export const own = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
