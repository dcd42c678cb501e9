/** The event that a handler is given, as one line of JSON. */
import { ARGUMENT_NAMES, PATH_NAMES } from '../argument-names.ts'
import type { HookCall, HookOptions } from '../contract.ts'

export type ArgsStyle = NonNullable<HookOptions['argsStyle']>

/** `error` is left out where there is none: the published key is then absent, neither null nor empty. */
export function payloadOf(call: HookCall, environment: string, style: ArgsStyle, error?: string): string {
  const event = {
    tool_call: { name: call.name, args: argsIn(style, call) },
    environment_id: environment,
    ...(error === undefined || error === '' ? {} : { error }),
  }
  return JSON.stringify(event)
}

type Args = Readonly<Record<string, unknown>>

/**
 * What the model gave, under the names of a style: whichever spelling a tool acts on, its value stands under the name
 * that a hook looks for. `seed` and `both` only add names, `pascal` moves values of published names to the others. Two
 * spellings that differ both stay (a tool refuses them).
 */
function argsIn(style: ArgsStyle, { name, args }: HookCall): Args {
  let out = args
  for (const [argument, spellings] of Object.entries(ARGUMENT_NAMES)) {
    const [seed, other] = spellings
    const pascal = argument === 'path' ? PATH_NAMES[name] : other
    const given = spellings.find((one) => isGiven(args, one))
    if (given === undefined || pascal === undefined) continue
    for (const wanted of style === 'seed' ? [seed] : style === 'pascal' ? [pascal] : [seed, pascal])
      if (!isGiven(args, wanted))
        out = style === 'pascal' && given === seed ? moved(out, seed, pascal) : { ...out, [wanted]: args[given] }
  }
  return out
}

/** As tools read arguments: null is none. */
const isGiven = (args: Args, name: string): boolean =>
  Object.hasOwn(args, name) && args[name] !== null && args[name] !== undefined

/** With one key under another name, at its place. */
function moved(args: Args, from: string, to: string): Args {
  const entries = Object.entries(args).filter(([key]) => key !== to)
  return Object.fromEntries(entries.map(([key, value]) => [key === from ? to : key, value]))
}
