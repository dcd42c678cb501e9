/** `npm run meta`: prints for each respelling how many cases keep their verdict. Exit 1 where one keeps less than 99 %. */
import { metaRates } from './meta.ts'

const verbose = process.argv.includes('--misses')
const cell = ({ tried, kept }: { tried: number; kept: number }): string =>
  tried === 0 ? '-' : `${kept}/${tried} ${((100 * kept) / tried).toFixed(1)} %`
let low = 0
for (const { respelling, counts, misses } of metaRates('cases/guard.jsonl', 'cases/worlds')) {
  const bad = [counts.deny, counts.pass].some(({ tried, kept }) => tried > 0 && kept / tried < 0.99)
  if (bad) low++
  process.stdout.write(
    `${bad ? '!' : ' '} ${respelling.padEnd(32)} deny ${cell(counts.deny).padEnd(16)} ask ${cell(counts.ask).padEnd(14)} pass ${cell(counts.pass)}\n`,
  )
  if (verbose)
    for (const { id, text, verdict, expected } of misses)
      process.stdout.write(`      ${id}: ${expected} became ${verdict}: ${JSON.stringify(text.slice(0, 200))}\n`)
}
process.stdout.write(`${low} respellings keep less than 99 % of the denials or of the passes\n`)
if (low > 0) process.exitCode = 1
