/** What readers of programs for the network share. */
import { type Arg, unknown } from '../../core/value.ts'
import type { Content } from '../doing.ts'
import type { Parsed } from '../options.ts'

/** What comes from another machine. */
export const REMOTE: Content = { text: unknown('substitution', ['remote']), taints: ['remote'] }

/** Every value of an option, in order. */
export const all = (parsed: Parsed, option: string): readonly Arg[] => parsed.values.get(option) ?? []
