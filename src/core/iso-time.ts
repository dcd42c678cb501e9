/**
 * The time as `toISOString` writes it, in UTC with milliseconds, put together from its parts: the engine looks the time
 * zone up for the former, which costs a hook more than the line that the time stands in. Years outside of 0 to 9999 are
 * left to the engine.
 */
export function isoTime(time: Date): string {
  const year = time.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) return time.toISOString()
  const date = `${digits(year, 4)}-${digits(time.getUTCMonth() + 1, 2)}-${digits(time.getUTCDate(), 2)}`
  const seconds = `${digits(time.getUTCSeconds(), 2)}.${digits(time.getUTCMilliseconds(), 3)}`
  return `${date}T${digits(time.getUTCHours(), 2)}:${digits(time.getUTCMinutes(), 2)}:${seconds}Z`
}

const digits = (value: number, count: number): string => String(value).padStart(count, '0')
