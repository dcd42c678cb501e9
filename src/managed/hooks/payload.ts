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

/**
 * What the model gave, under the names of a style. `seed` and `both` only add names: what the model wrote stays. With
 * `pascal` the published names give way. Where a name is there already its value stands.
 */
function argsIn(style: ArgsStyle, { name, args }: HookCall): Readonly<Record<string, unknown>> {
  let out = args
  for (const [argument, [seed, ...others]] of Object.entries(ARGUMENT_NAMES)) {
    const pascal = argument === 'path' ? PATH_NAMES[name] : others[0]
    const given = [seed, ...others].find((one) => Object.hasOwn(args, one))
    if (given === undefined || pascal === undefined) continue
    if (style === 'pascal') out = renamed(out, seed, pascal)
    if (style !== 'pascal' && !Object.hasOwn(args, seed)) out = { ...out, [seed]: args[given] }
    if (style === 'both' && !Object.hasOwn(args, pascal)) out = { ...out, [pascal]: args[given] }
  }
  return out
}

/** With one key under another name at its place; unchanged where that name is taken. */
function renamed(args: Readonly<Record<string, unknown>>, from: string, to: string): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(args, from) || Object.hasOwn(args, to)) return args
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key === from ? to : key, value]))
}
