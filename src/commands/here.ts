/** Addresses that mean this machine. */
import { prefixOf, type Value } from '../core/value.ts'

/** This machine, by any of its names. */
const HERE =
  /^(?:[a-z]+:\/\/)?(?:[^@/]*@)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal)(?:[:/]|$)/i

/** Whether an address surely is of this machine. */
export const isHere = (value: Value): boolean =>
  HERE.test(prefixOf(value)) || (value.is === 'oneOf' && value.texts.every((text) => HERE.test(text)))
