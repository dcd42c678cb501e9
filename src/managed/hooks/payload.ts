/** The event that a handler is given, as one line of JSON. */
import type { HookCall, HookOptions } from '../contract.ts'

type ArgsStyle = NonNullable<HookOptions['argsStyle']>

/** Names of arguments as the published pages have them, and as the agent's own harness spells them by tool. */
const PASCAL: Readonly<Record<string, string>> = {
  start_line: 'StartLine',
  end_line: 'EndLine',
  overwrite: 'Overwrite',
}
const PASCAL_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  view_file: { ...PASCAL, path: 'AbsolutePath' },
  write_to_file: { ...PASCAL, path: 'TargetFile', content: 'CodeContent' },
  replace_file_content: {
    ...PASCAL,
    path: 'TargetFile',
    target: 'TargetContent',
    old: 'TargetContent',
    old_content: 'TargetContent',
    target_content: 'TargetContent',
    replacement: 'ReplacementContent',
    new: 'ReplacementContent',
    new_content: 'ReplacementContent',
    replacement_content: 'ReplacementContent',
  },
  list_dir: { path: 'DirectoryPath' },
  delete_file: { path: 'TargetFile' },
}

/** Every PascalCase name that a payload may have, for who reads scripts. */
export const PASCAL_NAMES: readonly string[] = [...new Set(Object.values(PASCAL_OF).flatMap(Object.values))]

/** `error` is left out where there is none: the published key is then absent, neither null nor empty. */
export function payloadOf(call: HookCall, environment: string, style: ArgsStyle, error?: string): string {
  const event = {
    tool_call: { name: call.name, args: argsIn(style, call) },
    environment_id: environment,
    ...(error === undefined || error === '' ? {} : { error }),
  }
  return JSON.stringify(event)
}

function argsIn(style: ArgsStyle, { name, args }: HookCall): Readonly<Record<string, unknown>> {
  const table = PASCAL_OF[name]
  if (style === 'seed' || table === undefined) return args
  const entries = Object.entries(args).flatMap(([key, value]): [string, unknown][] => {
    const other = Object.hasOwn(table, key) ? table[key] : undefined
    // What the model itself spelled that way stands.
    if (other === undefined || Object.hasOwn(args, other)) return [[key, value]]
    return style === 'pascal'
      ? [[other, value]]
      : [
          [key, value],
          [other, value],
        ]
  })
  return Object.fromEntries(entries)
}
