import { parseShallowJson } from '../../src/kernel/json-depth.ts'
import { createLocalJWKSet } from 'jose'
import type { JWK } from 'jose'
import { isObject } from '../../src/kernel/json.ts'

/** Finds the key for a token's header, by `kid`, `alg` and use. */
export type FindKey = ReturnType<typeof createLocalJWKSet>

/** Members of a public key (RFC 7518 section 6, RFC 8037), and those that state its use. */
const MEMBERS = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y'] as const
const KEY_TYPES: readonly unknown[] = ['RSA', 'EC', 'OKP']

/**
 * Reads a key set (RFC 7517 section 5). Keys for other uses are left out, as the RFC says, and so
 * are all secret keys. For the remaining keys, only known members are used.
 *
 * @throws {Error} for anything that is not a key set
 */
export function readKeySet(bytes: Uint8Array): FindKey {
  const value = parseShallowJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  const keys = isObject(value) ? value['keys'] : null
  if (!Array.isArray(keys)) throw new Error('The response is not a key set')
  return createLocalJWKSet({
    keys: keys.flatMap((key: unknown) => (isPublicKey(key) ? [pick(key)] : [])),
  })
}

function isPublicKey(key: unknown): key is Record<string, unknown> {
  return (
    isObject(key) &&
    KEY_TYPES.includes(key['kty']) &&
    !Object.hasOwn(key, 'd') &&
    !Object.hasOwn(key, 'k')
  )
}

function pick(key: Record<string, unknown>): JWK {
  const picked: Record<string, string | string[]> = {}
  for (const name of MEMBERS) {
    const member = key[name]
    if (typeof member === 'string') picked[name] = member
  }
  const operations = key['key_ops']
  if (operations !== undefined)
    picked['key_ops'] = Array.isArray(operations)
      ? operations.filter((operation) => typeof operation === 'string')
      : []
  return picked
}
