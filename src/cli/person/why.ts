/** `sallyport why ID`: what one logged verdict rested on. */
import { counted } from '../../core/count.ts'
import { logFiles } from '../../record/log-file.ts'
import type { LogLine } from '../../record/log-line.ts'
import { statePath } from '../../session/store.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { plain, rowsOf, textOf } from '../log.ts'
import { shownTime } from '../time.ts'

/** Digits of an id that are enough where they mean one verdict. */
const FEWEST_DIGITS = 4

/** `id`: `v_` and hexadecimal digits, the first ones suffice; `last`: the newest that was not passed. Exit 0, 1 or 2. */
export function whyVerb(flags: { readonly json?: boolean }, id: string | undefined, io: Io): number {
  const wanted = id?.toLowerCase().replace(/^v_/, '')
  if (wanted === undefined || (wanted !== 'last' && !/^[0-9a-f]+$/.test(wanted)) || wanted.length < FEWEST_DIGITS) {
    io.err('sallyport why: name the id of a verdict, v_ and 12 hexadecimal digits as sallyport log shows it, or last\n')
    return EXIT.usage
  }
  const matches = (line: LogLine) =>
    wanted === 'last' ? line.verdict !== 'pass' : line.id.slice('v_'.length).startsWith(wanted)
  const found: { text: string; line: LogLine }[] = []
  for (const file of logFiles(statePath(io.env, homeOf(io.env)))) {
    found.push(
      ...rowsOf(textOf(file))
        .rows.filter(({ line }) => matches(line))
        .reverse(),
    )
    if (wanted === 'last' && found.length > 0) break
  }
  const [row, other] = found
  if (row === undefined) {
    io.err(
      `sallyport why: no verdict in the log is ${wanted === 'last' ? 'anything but a pass' : `named v_${wanted}`}; see sallyport log\n`,
    )
    return EXIT.problem
  }
  if (wanted !== 'last' && other !== undefined && other.line.id !== row.line.id) {
    const names = [...new Set(found.map(({ line }) => line.id))].slice(0, 8)
    io.err(`sallyport why: v_${wanted} may be any of ${names.join(', ')}; name more digits\n`)
    return EXIT.usage
  }
  io.out(flags.json ? `${row.text}\n` : explained(row.line))
  return EXIT.ok
}

function explained(line: LogLine): string {
  const rows: [string, string | undefined][] = [
    ['verdict', `${line.verdict} (${line.rule}), answered ${answeredBy(line)}`],
    ['reason', line.reason || 'nothing that it does is judged'],
    ['safer', line.safer],
    ['call', `${line.tool}: ${line.call}`],
    ['where', line.cwd],
    [
      'who',
      `${line.host}${line.hostVersion === undefined ? '' : ` ${line.hostVersion}`}, session ${line.session}, ${line.event}`,
    ],
    ['when', shownTime(line.ts)],
    ['loss', line.loss && lossOf(line.loss)],
    ['reading', line.status === 'complete' ? undefined : `${line.status}: not all of it could be read`],
    ['policy', `profile ${line.profile}, policy ${line.policy}, facts ${line.facts}`],
  ]
  const head = rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(8)} ${plain(value)}\n`]))
  const effects = line.effects.map(
    ({ act, target, zones, when }) =>
      `effect   ${plain(act)} ${plain(target)}${zones.length > 0 ? ` in ${zones.join(', ')}` : ''}${when === 'always' ? '' : ` (${when})`}\n`,
  )
  const cut =
    (line as { cut?: boolean }).cut === true
      ? 'cut      the log keeps 4 KiB of a verdict; some of it is left out\n'
      : ''
  return `${plain(line.id)}\n${head.join('')}${effects.join('')}${cut}`
}

const answeredBy = (line: LogLine): string => (line.answered === '' ? 'by silence' : `with ${line.answered}`)

const lossOf = (loss: NonNullable<LogLine['loss']>): string =>
  [
    loss.files === undefined ? '' : counted(loss.files, 'file'),
    loss.bytes === undefined ? '' : counted(loss.bytes, 'byte'),
    loss.commits === undefined ? '' : counted(loss.commits, 'commit'),
    (loss.paths ?? []).join(', '),
  ]
    .filter(Boolean)
    .join('; ')
