/** What is said where a permitted request could not be carried out. */

/** The upstream could not be reached, or is not who it should be, or does not speak HTTP. `status`: 502 or 504. */
export class Failed extends Error {
  readonly status: number
  constructor(sentence: string, status = 502) {
    super(sentence)
    this.status = status
  }
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|CRL|HOSTNAME_MISMATCH|INVALID_PURPOSE|PATH_LENGTH/

/** Turns an error of the platform into a sentence about `where`. */
export function failureOf(error: unknown, where: string): Failed {
  if (error instanceof Failed) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (CERTIFICATE.test(code))
    return new Failed(`The certificate of ${where} could not be verified (${code}), so nothing was sent.`)
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return new Failed(`The name ${where} could not be found (${code}).`)
  if (code === 'ECONNREFUSED') return new Failed(`${where} refused the connection.`)
  if (code === 'ETIMEDOUT') return new Failed(`${where} did not answer in time.`, 504)
  if (/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/.test(code))
    return new Failed(`${where} cannot be reached (${code}).`)
  if (code.startsWith('HPE_')) return new Failed(`${where} sent an answer that is no valid HTTP/1.1 (${code}).`)
  if (/SSL|TLS|EPROTO/.test(code)) return new Failed(`TLS with ${where} failed (${code}).`)
  return new Failed(`The connection to ${where} broke (${code === '' ? 'no reason known' : code}).`)
}
