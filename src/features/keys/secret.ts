import { toBase64Url } from '../../kernel/bytes.ts'
import { badRequest } from '../../kernel/errors.ts'
import type { RandomBytes } from '../../ports/clock.ts'

/** Prefix of API keys, by which people and secret scanners recognise them. */
export const DEFAULT_PREFIX = 'svc_sk_'

const SECRET_BYTES = 32
const HINT_LENGTH = 4
const MAX_LENGTH = 200

/** Makes a new key: the prefix and 43 base64url characters (256 bits). */
export function makeSecret(prefix: string, random: RandomBytes): string {
  return prefix + toBase64Url(random(SECRET_BYTES))
}

/** True if a text has the form of a key. Any other text is refused before work is spent on it. */
export function isWellFormed(secret: string, prefix: string): boolean {
  return (
    secret.length > prefix.length &&
    secret.length <= MAX_LENGTH &&
    secret.startsWith(prefix) &&
    /^[\w-]+$/.test(secret)
  )
}

/** @throws {PlatformError} 400 for a key that can never be accepted */
export function checkSecret(secret: string, prefix: string): void {
  if (!isWellFormed(secret, prefix))
    throw badRequest([
      {
        path: 'secret',
        message:
          `must start with ${prefix}, followed by letters, digits, - and _, at most ` +
          `${MAX_LENGTH} characters in all`,
      },
    ])
}

/** The first characters of a key, for recognising it. */
export function hintOf(secret: string, prefix: string): string {
  return secret.slice(0, prefix.length + HINT_LENGTH)
}
