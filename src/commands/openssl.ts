/** `openssl`: which files its commands read and write, and text that it decodes. */
import { oneOf, textOf, textsOf, unknown } from '../core/value.ts'
import { decode, encodeBase64 } from './bytes.ts'
import type { Content, Doing, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { onEach, out, pure } from './parts.ts'
import { changed, inputOf } from './row.ts'

/** Options that name files, the same in nearly all commands of openssl. */
const SPEC = specify(
  '-in:read -inkey:read -key:read -keyin:read -CA:read -CAkey:read -CAfile:read -cert:read -certfile:read -certs:read ' +
    '-config:read -extfile:read -signkey:read -csr:read -data:read -sigfile:read -signature:read -verify:read -prverify:read ' +
    '-sign:read -recip:read -signer:read -content:read -kfile:read -peerkey:read -issuer:read -crl:read -untrusted:read ' +
    '-trusted:read -out:write -keyout:write -CAserial:write -writerand:write -keylogfile:write -serial: -text -noout ' +
    '-d -e -a -base64 -A -salt -nosalt -pbkdf2 -p -P -iter: -k: -K: -iv: -S: -md: -pass: -passin: -passout: -days: ' +
    '-subj: -newkey: -connect: -servername: -accept: -port: -inform: -outform: -name: -caname: -addext: -extensions: ' +
    '-reqexts: -set_serial: -nodes -x509 -new -hex -rand:read -engine: -host: -url: -path: -header: -starttls: -proxy: -help',
)

/** Reader of `openssl`. */
export const openssl: Reader = pure((call) => {
  const command = textOf(call.args[0]?.value)
  if (command === undefined)
    return call.args.length === 0 ? [] : [{ do: 'opaque', what: 'openssl with an unknown command' }]
  const parsed = parseArgs(SPEC, call.args.slice(1), { single: true })
  if (parsed.flags.has('-help') || ['version', 'help', 'list', 'ciphers', 'errstr', 'prime', 'speed'].includes(command))
    return []
  const doings: Doing[] = []
  for (const [name, args] of parsed.values) {
    const role = SPEC.byName.get(name)?.role
    if (role === 'read' || role === 'write') doings.push(...onEach(role, args))
  }
  if (/^(?:dgst|sha\d*|md5|verify|storeutl|asn1parse|pkeyutl)/.test(command))
    doings.push(...onEach('read', parsed.operands))
  const input = inputOf(call, parsed.values.get('-in') ?? [])
  if (command === 's_client') {
    const to = (parsed.values.get('-connect') ?? parsed.values.get('-host'))?.at(-1)
    const content = call.stdin.none ? {} : { content: call.stdin }
    doings.push({ do: 'send', to: to?.value ?? unknown('variable'), files: [], ...content })
    return [...doings, out({ text: unknown('input'), taints: ['remote'] })]
  }
  if (parsed.flags.has('-out')) return doings
  return [...doings, out(coded(input, command, parsed.flags))]
})

/** `openssl base64 -d`, `openssl enc -base64 -d`: exact where the input is. */
function coded(input: Content, command: string, flags: ReadonlySet<string>): Content {
  const only = command === 'base64' || (command === 'enc' && (flags.has('-base64') || flags.has('-a')))
  const cipher = [...flags].some((flag) => /^-(?:aes|des|rc|bf|camellia|chacha|aria|sm4|seed|cast|id-)/.test(flag))
  const texts = textsOf(input.text)
  if (!only || cipher || texts === undefined) return changed(input, false)
  const changes = texts.map((text) => {
    if (flags.has('-d')) return decode(text, 'base64')
    const coded = encodeBase64(text)
    return flags.has('-A') ? coded : coded?.replace(/.{1,64}/g, '$&\n')
  })
  return { ...changed(input, false), text: changes.includes(undefined) ? unknown('input') : oneOf(changes as string[]) }
}
