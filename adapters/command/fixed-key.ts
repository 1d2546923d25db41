import { createHash, timingSafeEqual } from 'node:crypto'
import type { Principal } from '../../src/kernel/http/route.ts'
import type { Authenticator } from '../../src/ports/authenticator.ts'
import { wrongUse } from './command-error.ts'

/**
 * Admits one key, given from outside, to everything of an account. It is compared as digests and in
 * constant time.
 *
 * @throws {CommandError} unless the key is `svc_sk_` and at least one more printable character.
 */
export function admitKey(key: string, principal: Principal): Authenticator {
  if (!/^svc_sk_[\x21-\x7e]+$/.test(key))
    throw wrongUse(
      '--key must be an API key: svc_sk_ followed by printable characters without spaces',
    )
  const wanted = digest(key)
  return async (request) => {
    const [, bearer] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    const own = request.headers.get('x-api-key')?.trim()
    const given = bearer ?? own
    if (given === undefined || (own !== undefined && own !== given)) return null
    return timingSafeEqual(digest(given), wanted) ? principal : null
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
