/** Telling a person who names a ticket that no such ticket is there. */
import { missingTicketAt } from '../../adlc/adlc.ts'
import { answer } from '../../core/driver.ts'
import { usuallyFolds } from '../../paths/layout.ts'
import { flavourOf } from '../../paths/lexical.ts'
import { diskWorld } from '../../world/disk.ts'
import { homeOf } from '../hook/person.ts'
import type { Io } from '../io.ts'
import { type CheckFlags, directory, platform } from './subject.ts'

const BUDGET = { ms: 10_000, questions: 200_000 }

/** A line for stderr, or nothing. A frozen world tells nothing: it holds what its verdict asked for and no more. */
export function ticketLine(flags: CheckFlags, io: Pick<Io, 'env' | 'cwd'>, verb: string): string {
  if (flags.world !== undefined) return ''
  const cwd = directory(io, flags.cwd)
  const sense = { flavour: flavourOf(platform()), foldsCase: usuallyFolds(platform()) }
  const named = flags.ticket === undefined ? undefined : { id: flags.ticket, from: '--ticket' }
  const world = diskWorld({ env: io.env, cwd })
  const asking = missingTicketAt(cwd, { home: homeOf(io.env), sense }, named)
  const missing = answer(asking, world, { ...BUDGET, start: world.now() }).value
  return missing === undefined ? '' : `sallyport ${verb}: ${missing}\n`
}
