/** The certificate authority of one environment. Its key lives in this process alone; the sandbox gets the certificate. */
import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

export interface Authority {
  /** PEM. */
  readonly certificate: string
  /** What the proxy shows in place of a server of this name; made once, then kept. */
  contextFor(name: string): Promise<SecureContext>
  /** A leaf of its own for a server in another process (PEM). */
  pemFor(name: string): Promise<{ readonly cert: string; readonly key: string }>
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const
const HOUR = 3_600_000
const DAY = 24 * HOUR
const CA_DAYS = 825
const LEAF_DAYS = 30
/** Leaves are made anew before they end, so that a long connection does not begin with one that is about to. */
const RENEW_MS = 7 * DAY
/** Names whose leaves are kept; the one unused longest goes first. */
const MOST_LEAVES = 1000

/** A serial number that is positive and cannot be guessed. */
function serial(): string {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return bytes.toString('hex')
}

async function pemKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>

/** Makes an authority. `now`: milliseconds since the epoch. */
export async function createAuthority(environment: string, now: () => number): Promise<Authority> {
  cryptoProvider.set(webcrypto as never)
  const [keys, leafKeys] = await Promise.all([newKeys(), newKeys()])
  const subject = `CN=Sallyport egress ${environment.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 40)} ${randomBytes(4).toString('hex')}`
  const ca = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: subject,
    notBefore: new Date(now() - HOUR),
    notAfter: new Date(now() + CA_DAYS * DAY),
    signingAlgorithm: SIGNING,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const certificate = `${ca.toString('pem')}\n`
  const [leafKey, leafId, issuerId] = await Promise.all([
    pemKey(leafKeys.privateKey),
    SubjectKeyIdentifierExtension.create(leafKeys.publicKey),
    AuthorityKeyIdentifierExtension.create(keys.publicKey),
  ])

  async function leaf(name: string): Promise<{ readonly cert: string; readonly key: string }> {
    const made = await X509CertificateGenerator.create({
      serialNumber: serial(),
      // A common name is at most 64 characters; clients read the alternative name.
      subject: `CN=${name.length <= 64 ? name : 'Sallyport egress'}`,
      issuer: ca.subject,
      notBefore: new Date(now() - HOUR),
      notAfter: new Date(now() + LEAF_DAYS * DAY),
      signingAlgorithm: SIGNING,
      publicKey: leafKeys.publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new BasicConstraintsExtension(false),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
        leafId,
        issuerId,
      ],
    })
    return { cert: `${made.toString('pem')}\n${certificate}`, key: leafKey }
  }

  const contextOf = async (name: string): Promise<SecureContext> =>
    createSecureContext({ ...(await leaf(name)), minVersion: 'TLSv1.2' })

  const leaves = new Map<string, { readonly until: number; readonly context: Promise<SecureContext> }>()
  return {
    certificate,
    pemFor: leaf,
    contextFor(name) {
      let kept = leaves.get(name)
      if (kept === undefined || kept.until < now())
        kept = { until: now() + LEAF_DAYS * DAY - RENEW_MS, context: contextOf(name) }
      leaves.delete(name)
      leaves.set(name, kept)
      if (leaves.size > MOST_LEAVES) leaves.delete(leaves.keys().next().value!)
      return kept.context
    },
  }
}
