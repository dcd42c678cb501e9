/** Programs that turn pictures, sound, film and printed pages into others: the file that they write stands among their words. */
import { type Arg, prefixOf, suffixOf, textOf } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { cutArg, parseArgs, specify } from './options.ts'
import { onEach, pure } from './parts.ts'
import { into, onPath } from './row.ts'

const wordsOf = (set: string): ReadonlySet<string> => new Set(set.split(' '))

const isOption = (arg: Arg): boolean => /^-./.test(prefixOf(arg.value))

/** No file: a stream, an address, or a name for nothing. */
const isNoFile = (arg: Arg): boolean =>
  /^(?:-|null:?|pipe:\d*|[a-z][a-z0-9+.-]+:\/\/.*)$/s.test(textOf(arg.value) ?? '')

/** Looks like a file among the values of options that nobody listed: it has an ending or stands below something. */
const looksLikeFile = (arg: Arg): boolean => {
  const text = textOf(arg.value)
  if (text === undefined)
    return arg.value.is === 'glob' || /[/\\]|\.[A-Za-z]/.test(prefixOf(arg.value) + suffixOf(arg.value))
  return /[/\\]/.test(text) || /[^.]\.[A-Za-z]\w*$/.test(text)
}

const written = (at: Arg): readonly Doing[] => (isNoFile(at) ? [] : [onPath('write', at)])

/** Options of ffmpeg that take no value; every other one takes the word behind it. */
const FFMPEG_FLAGS = wordsOf(
  '-y -n -vn -an -sn -dn -shortest -re -hide_banner -nostdin -stdin -nostats -stats -report -copyts -start_at_zero ' +
    '-accurate_seek -noaccurate_seek -autorotate -noautorotate -benchmark -benchmark_all -ignore_unknown -copy_unknown ' +
    '-seek_timestamp -find_stream_info -dump -hex -xerror -psnr -vstats -intra -debug_ts -fix_sub_duration -isync ' +
    '-bitexact -apad -recast_media -version -h -help --help -L -formats -muxers -demuxers -devices -codecs -encoders ' +
    '-decoders -filters -pix_fmts -protocols -bsfs -layouts -sample_fmts -buildconf -hwaccels -colors',
)

/** `ffmpeg [options] -i IN … [options] OUT …`: with `-n` nothing that is there is replaced. */
export const ffmpeg: Reader = pure((call) => {
  const doings: Doing[] = []
  const outputs: Arg[] = []
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i]!
    const text = textOf(arg.value)
    if (text === undefined || !isOption(arg)) outputs.push(arg)
    else if (!FFMPEG_FLAGS.has(text)) {
      const value = call.args[++i]
      if (text === '-i' && value !== undefined && !isNoFile(value)) doings.push(onPath('read', value))
    }
  }
  const keeps = call.args.some((arg) => textOf(arg.value) === '-n')
  for (const at of outputs) if (!isNoFile(at)) doings.push(onPath(keeps ? 'create' : 'write', at))
  return doings
})

/** Effects of sox: they stand behind the output file. */
const SOX_EFFECTS = wordsOf(
  'allpass band bandpass bandreject bass bend biquad channels chorus compand contrast dcshift deemph delay dither divide ' +
    'downsample earwax echo echos equalizer fade fir firfit flanger gain highpass hilbert ladspa loudness lowpass mcompand ' +
    'noiseprof noisered norm oops overdrive pad phaser pitch rate remix repeat reverb reverse riaa silence sinc spectrogram ' +
    'speed splice stat stats stretch swap synth tempo treble tremolo trim upsample vad vol : newfile restart',
)
const SOX_VALUES = wordsOf(
  '-b --bits -c --channels -C --compression -e --encoding -r --rate -t --type -v --volume --endian --buffer --input-buffer ' +
    '--effects-file --combine --add-comment --comment --comment-file --temp --dft-min --plot --replay-gain --norm',
)

/** `sox [options] IN … [options] OUT [effect …]`; `-n` stands for no file, `-d` for the loudspeaker. */
export const sox: Reader = pure((call) => {
  const files: (Arg | 'none')[] = []
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i]!
    const text = textOf(arg.value) ?? ''
    if (SOX_EFFECTS.has(text)) break
    if (/^(?:-|-[dnp]|--(?:null|default-device|pipe))$/.test(text)) files.push('none')
    else if (SOX_VALUES.has(text)) i++
    else if (!isOption(arg)) files.push(arg)
  }
  const output = files.pop()
  const inputs = files.filter((file) => file !== 'none')
  return [...onEach('read', inputs), ...(output === undefined || output === 'none' ? [] : written(output))]
})

/** Programs that `magick` is as well, by its first word. */
const MAGICK = wordsOf('animate compare composite conjure convert display identify import mogrify montage stream')
/** Of these the last word is what is written; the others show or edit. */
const MAGICK_WRITES = wordsOf('magick convert composite montage compare stream conjure')

/** A file of ImageMagick without the format in front: `png:out`, `txt:-`. */
function unprefixed(arg: Arg): Arg {
  const format = /^[A-Za-z][A-Za-z0-9]+:(?!\/\/|\\)/.exec(prefixOf(arg.value))?.[0]
  return format === undefined ? arg : cutArg(arg, format.length)
}

/** `magick`, `convert`, `composite`, `montage`: the last word is written; `mogrify` writes over its files. */
export const imageMagick: Reader = pure((call) => {
  const first = textOf(call.args[0]?.value)
  const isVerb = (call.base === 'magick' || call.base === 'gm') && first !== undefined && MAGICK.has(first)
  const verb = isVerb ? first : call.base
  const args = isVerb ? call.args.slice(1) : call.args
  const last = args.at(-1)
  if (last === undefined || args.some((arg) => /^--?(?:version|help|list)$/.test(textOf(arg.value) ?? ''))) return []
  // `convert D: /fs:ntfs` is another program there.
  if (call.platform === 'win32' && args.some((arg) => /^\/fs:/i.test(textOf(arg.value) ?? ''))) return []
  const files = args.filter((arg, i) => looksLikeFile(arg) && !isOption(arg) && textOf(args[i - 1]?.value) !== '-write')
  const more = args.flatMap((arg, i) => (textOf(args[i - 1]?.value) === '-write' ? written(unprefixed(arg)) : []))
  if (verb === 'mogrify') return [...more, ...mogrified(args, files)]
  if (!MAGICK_WRITES.has(verb) || args.length < 2 || isOption(last)) return [...more, ...onEach('read', files)]
  const target = unprefixed(last)
  const nothing = textOf(target.value) === '' || /^(?:info|null|x|win|show):/i.test(prefixOf(last.value))
  const reads = files.filter((arg) => arg !== last)
  return [...onEach('read', reads.map(unprefixed)), ...more, ...(nothing ? [] : written(target))]
})

/** With `-path` or `-format` there are new files, beside or elsewhere. */
function mogrified(args: readonly Arg[], files: readonly Arg[]): readonly Doing[] {
  const behind = (option: string) => args[args.findIndex((arg) => textOf(arg.value) === option) + 1]
  const given = (option: string) => args.some((arg) => textOf(arg.value) === option)
  const path = given('-path') ? behind('-path') : undefined
  const own = files.filter((arg) => arg !== path)
  if (path !== undefined) return [...onEach('read', own), into(path)]
  return onEach(given('-format') ? 'read' : 'edit', own)
}

const QPDF_SECTIONS = wordsOf('--pages --overlay --underlay --encrypt --add-attachment --copy-attachments-from')

/** `qpdf IN OUT`, `qpdf --replace-input IN`; what stands between `--pages` and `--` are other inputs. */
export const qpdf: Reader = pure((call) => {
  const operands: Arg[] = []
  let inSection = false
  for (const arg of call.args) {
    const text = textOf(arg.value) ?? ''
    if (QPDF_SECTIONS.has(text)) inSection = true
    else if (text === '--') inSection = false
    else if (!inSection && !isOption(arg)) operands.push(arg)
  }
  const [input, output] = operands
  if (input === undefined) return []
  if (call.args.some((arg) => textOf(arg.value) === '--replace-input')) return [onPath('edit', input)]
  return [onPath('read', input), ...(output === undefined ? [] : written(output))]
})

/** `pdftk IN … output OUT`. */
export const pdftk: Reader = pure((call) => {
  const at = call.args.findIndex((arg) => textOf(arg.value) === 'output')
  const target = at < 0 ? undefined : call.args[at + 1]
  return target === undefined ? [] : written(target)
})

const EXIFTOOL = specify(
  '-o:write -r|-recurse -ext: -if: -d: -p: -tagsFromFile:read -TagsFromFile:read -fileOrder: -charset: -lang: -w: -W: ' +
    '-geotag:read -config:read -csv? -j|-json -n -s -S -q -m -a -u -G? -b',
)

/** `exiftool -TAG=VALUE FILE` edits; without a tag that is set it only tells. */
export const exiftool: Reader = pure((call) => {
  const sets = call.args.some((arg) =>
    /^-(?:[A-Za-z][\w:#*-]*[-+^]?<?=|overwrite_original(?:_in_place)?$|tagsFromFile$)/i.test(prefixOf(arg.value)),
  )
  const { flags, values, operands } = parseArgs(EXIFTOOL, call.args, { single: true })
  const files = operands.filter((arg) => !isOption(arg))
  const target = values.get('-o')?.at(-1)
  if (target !== undefined) return [...onEach('read', files), ...written(target)]
  return onEach(sets ? 'edit' : 'names', files, flags.has('-r'))
})

/** Verbs of `qemu-img`, and what they do with their operands. */
const QEMU_VERBS: Readonly<Record<string, 'last' | 'first' | 'edit'>> = {
  convert: 'last',
  dd: 'last',
  create: 'first',
  resize: 'edit',
  commit: 'edit',
  rebase: 'edit',
  amend: 'edit',
}
const QEMU = specify(
  '-f: -O: -o: -b: -F: -S: -l: -m: -T: -t: -p -q -c -n -u -U --object: --image-opts --target-image-opts',
)

/** `qemu-img VERB … FILE`: disks of virtual machines. */
export const qemuImg: Reader = pure((call) => {
  const verb = textOf(call.args[0]?.value) ?? ''
  const role = Object.hasOwn(QEMU_VERBS, verb) ? QEMU_VERBS[verb] : undefined
  const { operands } = parseArgs(QEMU, call.args.slice(1))
  const at = role === 'last' ? operands.at(-1) : operands[0]
  if (role === undefined || at === undefined || (role === 'last' && operands.length < 2)) return []
  return [onPath(role === 'edit' ? 'edit' : 'write', at)]
})

const TYPST = specify(
  '--root: --font-path: -f|--format: --input: --ppi: --pages: --deps:write --make-deps:write -j|--jobs: --open?',
)

/** `typst compile IN [OUT]`. */
export const typst: Reader = pure((call) => {
  const [verb, ...rest] = call.args
  if (!/^(?:c|compile|w|watch)$/.test(textOf(verb?.value) ?? '')) return []
  const [input, output] = parseArgs(TYPST, rest).operands
  return [...(input ? [onPath('read', input)] : []), ...(output ? written(output) : [])]
})

/** `asciinema rec [-c COMMAND] FILE`: records a terminal. */
export const asciinema: Reader = pure((call: Invocation) => {
  const [verb, ...rest] = call.args
  if (!/^rec(?:ord)?$/.test(textOf(verb?.value) ?? '')) return []
  const spec = specify(
    '-c|--command: -e|--env: -t|--title: -i|--idle-time-limit: --cols: --rows: -y -q --append --overwrite --stdin --raw',
  )
  const { values, operands } = parseArgs(spec, rest)
  const command = values.get('-c')?.at(-1)
  return [
    ...(command ? [{ do: 'code', language: 'sh', text: command.value, label: 'asciinema -c' } as const] : []),
    ...operands.slice(0, 1).flatMap(written),
  ]
})
