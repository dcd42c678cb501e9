/** Permissions, owners and attributes. Modes such as `-x` look like options, so these programs are read by hand. */
import { type Arg, showValue, textOf } from '../core/value.ts'
import type { Doing, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { onEach, pure } from './parts.ts'

/** One change of mode. The file behind a link changes, unless the walk through a tree meets it. */
const mode = (at: Arg, tree: boolean, detail: string, follow: boolean): Doing => ({
  do: 'path',
  act: 'mode',
  at,
  ...(tree ? { tree: true } : {}),
  follow,
  ...(detail ? { detail } : {}),
})

const CHMOD = specify(
  '-R|--recursive -v|--verbose -c|--changes -f|--silent|--quiet --reference: --preserve-root --no-preserve-root ' +
    '-H -L -P -h|--no-dereference --dereference -E -i -I -N -C --help --version',
)

/** Reader of `chmod`. */
export const chmod: Reader = pure((call) => {
  // `-x`, `-w`, `-rwx` are modes; `-R` and `-v` are options.
  const isMode = (arg: Arg) => /^-[rwxXstugoa,=+-]+$/.test(textOf(arg.value) ?? '') && textOf(arg.value) !== '--'
  const given = call.args.find(isMode)
  const parsed = parseArgs(
    CHMOD,
    call.args.filter((arg) => arg !== given),
  )
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const reference = parsed.values.get('--reference')
  const acl = /^[+=-]ai?#?$/.test(textOf(parsed.operands[0]?.value) ?? '')
  const noMode = given !== undefined || reference !== undefined || parsed.flags.has('-N') || parsed.flags.has('-C')
  const operands = parsed.operands.slice(acl ? 2 : noMode ? 0 : 1)
  const word = given ?? (noMode ? undefined : parsed.operands[acl ? 1 : 0])
  const detail = word ? showValue(word.value) : reference ? 'as another file' : ''
  const tree = parsed.flags.has('-R') || parsed.hidden
  return [...onEach('names', reference ?? []), ...operands.map((at) => mode(at, tree, detail, !parsed.flags.has('-h')))]
})

const CHOWN = specify(
  '-R|--recursive -v|--verbose -c|--changes -f|--silent|--quiet -h|--no-dereference --dereference -H -L -P -n -x ' +
    '--from: --reference: --preserve-root --no-preserve-root --help --version',
)

/** Reader of `chown` and `chgrp`. */
export const chown: Reader = pure((call) => {
  const parsed = parseArgs(CHOWN, call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const reference = parsed.values.get('--reference')
  const operands = parsed.operands.slice(reference ? 0 : 1)
  const owner = reference ? 'as another file' : parsed.operands[0] ? showValue(parsed.operands[0].value) : ''
  const tree = parsed.flags.has('-R') || parsed.hidden
  const follow = !parsed.flags.has('-h') && (!tree || parsed.flags.has('-H') || parsed.flags.has('-L'))
  return [...onEach('names', reference ?? []), ...operands.map((at) => mode(at, tree, owner, follow))]
})

/** Reader of `chattr`: `+i`, `-i`, `=i` are the change. */
export const chattr: Reader = pure((call) => {
  const files: Arg[] = []
  const changes: string[] = []
  let tree = false
  for (let i = 0; i < call.args.length; i++) {
    const text = textOf(call.args[i]!.value)
    if (text === '-R') tree = true
    else if (text === '-v' || text === '-p') i++
    else if (text === '-V' || text === '-f') continue
    else if (text !== undefined && /^[-+=][a-zA-Z]+$/.test(text) && files.length === 0) changes.push(text)
    else files.push(call.args[i]!)
  }
  return files.map((at) => mode(at, tree, changes.join(' '), true))
})

const SETFACL = specify(
  '-m|--modify: -M|--modify-file: -x|--remove: -X|--remove-file: -b|--remove-all -k|--remove-default --set: ' +
    '--set-file: --restore: --mask -n|--no-mask -d|--default -R|--recursive -L|--logical -P|--physical --test ' +
    '-v|--version -h|--help',
)

/** Reader of `setfacl`. */
export const setfacl: Reader = pure((call) => {
  const parsed = parseArgs(SETFACL, call.args)
  if (['-v', '-h', '--test'].some((flag) => parsed.flags.has(flag))) return []
  const values = ['-M', '-X', '--set-file', '--restore'].flatMap((name) => parsed.values.get(name) ?? [])
  const detail = ['-m', '-x', '--set'].flatMap((name) =>
    (parsed.values.get(name) ?? []).map((arg) => showValue(arg.value)),
  )
  const restores: readonly Doing[] = parsed.flags.has('--restore')
    ? [{ do: 'path', act: 'mode', at: { ...call.command, value: { is: 'unknown', why: 'input' } }, detail: 'restore' }]
    : []
  return [
    ...onEach('read', values),
    ...restores,
    ...parsed.operands.map((at) => mode(at, parsed.flags.has('-R'), detail.join(' '), true)),
  ]
})

/** Reader of `xattr` (macOS): printing, or a change of attributes. */
export const xattr: Reader = pure((call) => {
  const parsed = parseArgs(specify('-p -w -d -c -l -r -s -v -x -h|--help'), call.args)
  const words = parsed.flags.has('-w') ? 2 : parsed.flags.has('-d') || parsed.flags.has('-p') ? 1 : 0
  const files = parsed.operands.slice(words)
  if (!parsed.flags.has('-w') && !parsed.flags.has('-d') && !parsed.flags.has('-c')) return onEach('names', files)
  return files.map((at) => mode(at, parsed.flags.has('-r'), 'attributes', !parsed.flags.has('-s')))
})

/** Reader of `attrib` of cmd: `+R`, `-H` are the change, `/s` goes into subdirectories. */
export const attrib: Reader = pure((call) => {
  const words = call.args.map((arg) => textOf(arg.value) ?? '')
  const isChange = (text: string) => /^[+-][a-z]$/i.test(text)
  const files = call.args.filter((_, i) => !isChange(words[i]!) && !/^\/[a-z]$/i.test(words[i]!))
  const changes = words.filter(isChange)
  if (changes.length === 0) return onEach('names', files)
  const tree = words.some((text) => /^\/s$/i.test(text))
  return files.map((at) => mode(at, tree, changes.join(' '), true))
})
