/** Which addresses may be dialled. A name is judged by every address that it has, an address by every IPv4 address inside it. */
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Cidr = readonly [Address, number]

/** What the operator opens, beyond public addresses. Loopback, link-local and metadata stay closed. */
export interface AddressRules {
  readonly allowPrivate: readonly Cidr[]
  /** Addresses of this machine; asked each time, for interfaces come and go. */
  ownAddresses(): readonly string[]
}

/** Kinds that an operator may open with a list of networks; all else that is not public stays closed. */
const OPENABLE = new Set([
  'private',
  'uniqueLocal',
  'carrierGradeNat',
  'benchmarking',
  'reserved',
  'deprecatedSiteLocal',
])

/** Addresses where clouds hand out credentials of the machine. */
const METADATA = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
])

/** Names that mean this machine or its metadata service, whatever a resolver says. */
const CLOSED_NAMES =
  /^(?:(?:.+\.)?localhost|localhost\.localdomain|ip6-(?:localhost|loopback)|metadata\.google\.internal|metadata\.goog|metadata|instance-data(?:\.ec2\.internal)?)$/

const WORDS: Readonly<Record<string, string>> = {
  loopback: 'an address of this machine itself (loopback)',
  unspecified: 'an address of this machine itself (unspecified)',
  linkLocal: 'a link-local address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  carrierGradeNat: 'an address of a private network',
}

/** Reads `10.0.0.0/8` and the like. Throws one sentence. */
export function readCidr(text: string): Cidr {
  try {
    return ipaddr.parseCIDR(text)
  } catch {
    throw new Error(`${JSON.stringify(text)} is no network such as 10.0.0.0/8`)
  }
}

/** The addresses of all interfaces. */
export const interfaceAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))

/** Why a name is closed whatever it resolves to: the rest of a sentence, or undefined. */
export const closedName = (name: string): string | undefined =>
  CLOSED_NAMES.test(name)
    ? name.startsWith('metadata') || name.startsWith('instance')
      ? 'the metadata service'
      : 'this machine itself (loopback)'
    : undefined

/** What an address is, where it may not be dialled (`a private address` …); undefined where it may. */
export function closedAddress(text: string, rules: AddressRules): string | undefined {
  if (!ipaddr.isValid(text)) return 'no address'
  const address = ipaddr.parse(text)
  const own = new Set(rules.ownAddresses().flatMap((one) => (ipaddr.isValid(one) ? [plain(ipaddr.parse(one))] : [])))
  for (const one of facesOf(address)) {
    const why = closedFace(one, rules, own)
    if (why !== undefined) return why
  }
  return undefined
}

function closedFace(address: Address, rules: AddressRules, own: ReadonlySet<string>): string | undefined {
  const text = plain(address)
  if (METADATA.has(text)) return 'the metadata service'
  const kind = kindOf(address)
  const opened = OPENABLE.has(kind) && rules.allowPrivate.some((cidr) => within(address, cidr))
  if (kind !== 'unicast' && !opened) return WORDS[kind] ?? 'a reserved address'
  return own.has(text) ? 'an address of this machine itself' : undefined
}

const plain = (address: Address): string => address.toString()

const within = (address: Address, [network, bits]: Cidr): boolean =>
  address.kind() === network.kind() && address.match(network as never, bits)

function kindOf(address: Address): string {
  const range = address.range()
  if (address.kind() === 'ipv4' || range !== 'unicast') return range
  // Only 2000::/3 is in public use.
  return ((address as ipaddr.IPv6).parts[0]! & 0xe000) === 0x2000 ? range : 'reserved'
}

/** The address and what its bits mean elsewhere: an IPv4 address inside decides alone where the outer form only carries it. */
function facesOf(address: Address): readonly Address[] {
  if (address.kind() === 'ipv4') return [address]
  const six = address as ipaddr.IPv6
  const bytes = six.toByteArray()
  const four = (at: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(at, at + 4))
  switch (six.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
      return [four(12)]
    case 'rfc6052':
      // Only the well-known prefix has its address at a known place.
      return bytes.slice(4, 12).every((byte) => byte === 0) ? [four(12)] : [six]
    case '6to4':
      return [four(2)]
    case 'unspecified':
    case 'loopback':
      return [six]
    default:
  }
  // ::a.b.c.d, the oldest form.
  if (bytes.slice(0, 12).every((byte) => byte === 0)) return [four(12)]
  // An interface id that carries an IPv4 address (ISATAP).
  const isatap = (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  return isatap ? [six, four(12)] : [six]
}
