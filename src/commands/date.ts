/** Reader of `date`: a time in digits is a number, so that a name with it in it holds no surprises. */
import { concat, exact, textOf, unknown } from '../core/value.ts'
import { contentOf, out, pure } from './parts.ts'

/** Formats of digits alone, with marks between them that no path and no shell minds. */
const DIGITS = /^\+(?:%-?[sNYmdHMSyjuwUVWCI]|%[FT])(?:[-_:.T]?(?:%-?[sNYmdHMSyjuwUVWCI]|%[FT]|\d))*$/

export const date = pure((call) => {
  const format = call.args.map((arg) => textOf(arg.value)).find((text) => text === undefined || text.startsWith('+'))
  if (format === undefined || !DIGITS.test(format)) return []
  return [out(contentOf(concat(unknown('number'), exact('\n'))))]
})
