/** `jq`, `yq` and their kin: a filter first, then files. */
import { type Arg, textOf, unknown } from '../core/value.ts'
import type { Content, Doing, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { isDash, onEach, out, paths, pure } from './parts.ts'
import { changed, inputOf } from './row.ts'

const JQ = specify(
  '-n|--null-input -R|--raw-input -s|--slurp -c|--compact-output -r|--raw-output -j|--join-output -a -S|--sort-keys -C -M ' +
    '--tab --indent: --unbuffered --stream --stream-errors --seq -f|--from-file:read -L|--library-path: -e|--exit-status ' +
    '--raw-output0 --ascii-output -i|--in-place --binary -b -V|--version -h|--help --build-configuration ' +
    '-y|--yaml-output -Y -w|--width: -t|--toml-output -x|--xml-output',
)

/** Options of jq with two values; the second names a file for the last two. */
const PAIRS = /^--(arg|argjson|slurpfile|rawfile|argfile)$/

/** Reader of `jq`, `gojq`, `jaq`. */
export const jq: Reader = pure((call) => {
  const files: Arg[] = []
  const rest: Arg[] = []
  let values = false
  for (let i = 0; i < call.args.length; i++) {
    const text = textOf(call.args[i]!.value) ?? ''
    const pair = PAIRS.exec(text)
    if (pair) {
      const value = call.args[i + 2]
      if (value && !pair[1]!.startsWith('arg')) files.push(value)
      else if (value && pair[1] === 'argfile') files.push(value)
      i += 2
    } else if (text === '--args' || text === '--jsonargs') {
      // What follows the filter are values from here on.
      values = true
    } else rest.push(call.args[i]!)
  }
  const parsed = parseArgs(JQ, rest)
  if (['-V', '-h', '--build-configuration'].some((flag) => parsed.flags.has(flag))) return []
  const programs = parsed.values.get('-f') ?? []
  const filter = programs.length > 0 ? undefined : parsed.operands[0]
  const inputs = values ? [] : parsed.operands.slice(filter === undefined ? 0 : 1)
  const edits = parsed.flags.has('-i')
  const doings: Doing[] = [
    ...onEach('read', [...programs, ...files]),
    ...onEach(edits ? 'edit' : 'read', paths(inputs)),
  ]
  const none = parsed.flags.has('-n') && inputs.length === 0
  const content: Content = none ? { text: unknown('input'), taints: [] } : changed(inputOf(call, inputs), false)
  return edits ? doings : [...doings, ...environment(filter), out(withEnvironment(content, filter))]
})

const ENVIRONMENT = /\$ENV\b(?!\.\w)|(?<![.\w"$])env\b(?!\s*(?:\.\s*\w|\[|\(|:))/

const readsEnvironment = (filter: Arg | undefined): boolean => ENVIRONMENT.test(textOf(filter?.value) ?? '')

const environment = (filter: Arg | undefined): readonly Doing[] =>
  readsEnvironment(filter) ? [{ do: 'other', act: 'reveal', service: 'environment', what: 'all variables' }] : []

const withEnvironment = (content: Content, filter: Arg | undefined): Content =>
  readsEnvironment(filter) ? { ...content, taints: [...content.taints, 'environment'] } : content

const YQ = specify(
  '-i|--inplace|--in-place -n|--null-input -P|--prettyPrint -o|--output-format|--output: -p|--input-format: -r|--unwrapScalar? ' +
    '-j|--tojson -C|--colors -M|--no-colors -N|--no-doc -e|--exit-status -I|--indent: -s|--split-exp: --split-exp-file:read ' +
    '-f|--front-matter: --from-file:read --expression: --header-preprocess? -v|--verbose -V|--version -h|--help -y|--yaml-output ' +
    '-Y -w|--width: -c -S -R -a --arg: --xml-attribute-prefix: --csv-separator: --nul-output -0',
)

/** Reader of `yq` (both programs of that name): `yq [eval] 'filter' files…`, or files alone. */
export const yq: Reader = pure((call) => {
  const first = textOf(call.args[0]?.value)
  const args = first !== undefined && /^(?:e|ea|eval|eval-all)$/.test(first) ? call.args.slice(1) : call.args
  const parsed = parseArgs(YQ, args)
  if (parsed.flags.has('-V') || parsed.flags.has('-h') || first === 'completion') return []
  const given = ['--from-file', '--expression'].some((name) => parsed.flags.has(name))
  const one = parsed.operands.length === 1 && looksLikeFile(parsed.operands[0]!)
  const filter = given || one ? undefined : parsed.operands[0]
  const inputs = given || one ? parsed.operands : parsed.operands.slice(1)
  const edits = parsed.flags.has('-i')
  const doings: Doing[] = [
    ...onEach('read', parsed.values.get('--from-file') ?? []),
    ...onEach('read', parsed.values.get('--split-exp-file') ?? []),
    ...onEach(edits ? 'edit' : 'read', paths(inputs)),
  ]
  const loads = [...(textOf(filter?.value) ?? '').matchAll(/\bload(?:_str|_xml|_props|_base64)?\(\s*"([^"]+)"\s*\)/g)]
  for (const load of loads)
    doings.push({ do: 'path', act: 'read', at: { ...filter!, value: { is: 'exact', text: load[1]! } } })
  // `-s` writes one file a document, names from an expression.
  if (parsed.flags.has('-s') && !parsed.flags.has('-y'))
    doings.push({
      do: 'path',
      act: 'create',
      at: { ...call.command, value: { is: 'glob', parts: [{ is: 'star' }, { is: 'text', text: '.yml' }] } },
    })
  return edits
    ? doings
    : [
        ...doings,
        out(
          changed(
            inputOf(
              call,
              inputs.filter((arg) => !isDash(arg)),
            ),
            false,
          ),
        ),
      ]
})

const looksLikeFile = (arg: Arg): boolean => /\.(?:ya?ml|json|xml|toml|csv|properties)$/i.test(textOf(arg.value) ?? '')
