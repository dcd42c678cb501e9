/** The key of the credential store: given by the operator, or a file beside the store that is made at first use. */
import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs'

const BYTES = 32

/** Reads a key as a person gives it: 64 hex digits, or base64 of 32 bytes. `from` names where it stands. Throws one sentence. */
export function readKey(text: string, from: string): Buffer {
  const plain = text.trim()
  const key = /^[0-9a-fA-F]{64}$/.test(plain)
    ? Buffer.from(plain, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(plain)
      ? Buffer.from(plain, 'base64url')
      : undefined
  if (key?.length !== BYTES) throw new Error(`${from} must hold 32 bytes, as 64 hex digits or in base64`)
  return key
}

/** The key in `file`; made where the file is absent and `mayMake`. Throws one sentence. */
export function keyOfFile(file: string, mayMake: boolean): Buffer {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new Error(`the key file ${file} cannot be read`)
    if (!mayMake) throw new Error(`the key file ${file} is missing, and without it the credentials cannot be read`)
    return made(file)
  }
  try {
    if (process.platform !== 'win32' && (fstatSync(fd).mode & 0o077) !== 0)
      throw new Error(`the key file ${file} can be read by others: make it private with chmod 600`)
    return readKey(readFileSync(fd, 'utf8'), `the key file ${file}`)
  } finally {
    closeSync(fd)
  }
}

function made(file: string): Buffer {
  const key = randomBytes(BYTES)
  let fd: number
  try {
    fd = openSync(file, 'wx', 0o600)
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return keyOfFile(file, false)
    throw error
  }
  try {
    writeSync(fd, `${key.toString('hex')}\n`)
  } finally {
    closeSync(fd)
  }
  return key
}

/** The key that the operator gives by `SALLYPORT_CREDENTIALS_KEY` or `SALLYPORT_CREDENTIALS_KEY_FILE`; undefined where neither is set. */
export function keyOfEnv(env: Readonly<Record<string, string | undefined>>): Buffer | undefined {
  const { SALLYPORT_CREDENTIALS_KEY: text, SALLYPORT_CREDENTIALS_KEY_FILE: file } = env
  if (text !== undefined && text !== '') return readKey(text, 'SALLYPORT_CREDENTIALS_KEY')
  return file === undefined || file === '' ? undefined : keyOfFile(file, false)
}
