/** Judges the rows of a world that lies on disk, as whoever runs it: `<world> <base>`. Prints what is wrong as JSON. */
import { faultsOf, isNoCall, readCases } from './adlc-published.testing.ts'

const [world = '', base = ''] = process.argv.slice(2)
const rows = ['shell', 'tools', 'bypasses', 'false-alarms'].flatMap(readCases)
const own = rows.filter((row) => row.world === world && !isNoCall(row))
const faults = own.length === 0 ? [`no row has the world ${world}`] : faultsOf(own, { base, remove: () => {} })
process.stdout.write(`${JSON.stringify(faults)}\n`)
