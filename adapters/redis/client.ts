import { textLike } from '../../src/kernel/options.ts'
import type { Key } from '../../src/kernel/key.ts'
import { TextEntry } from '../../src/kernel/text/text-entry.ts'
import type { Entry } from '../../src/ports/store.ts'

/**
 * The part of ioredis that the store and the limiter need: a `Redis` or a `Cluster`, version 5 or
 * later.
 */
export interface RedisClient {
  call(command: string, values: string[]): Promise<unknown>
}

/**
 * A reply of several texts, of which some may be absent.
 *
 * @throws {TypeError} for anything else
 */
export function textsOf(reply: unknown): (string | null)[] {
  if (!Array.isArray(reply)) throw new TypeError('The client answered without a list')
  return reply.map((part: unknown) => {
    if (typeof part !== 'string' && part !== null)
      throw new TypeError('The client did not answer with texts')
    return part
  })
}

/** A Lua script, sent by its digest once the server knows it. */
export class Script {
  readonly #text: string
  #digest: Promise<string> | undefined

  constructor(text: string) {
    this.#text = text
  }

  async run(
    client: RedisClient,
    keys: readonly string[],
    values: readonly string[],
  ): Promise<unknown> {
    const args = [String(keys.length), ...keys].concat(values)
    const digest = await (this.#digest ??= digestOf(this.#text))
    try {
      return await client.call('EVALSHA', [digest].concat(args))
    } catch (error) {
      // A server that does not know the script has run no part of it.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return client.call('EVAL', [this.#text].concat(args))
    }
  }
}

/** Redis names scripts by SHA-1. */
async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Pattern of allowed key prefixes in Redis. */
export const PREFIX = textLike(
  'a text of 1 to 48 letters, digits, and characters of _ : . -',
  (text) => /^[\w:.-]{1,48}$/.test(text),
)

/** Policies that evict keys without a time to live, which are all keys of a store. */
const EVICTS = /^maxmemory_policy:allkeys-/m

/** @throws {Error} if the server would evict entries when its memory is full */
export async function assertKeeps(client: RedisClient): Promise<void> {
  if (EVICTS.test(String(await client.call('INFO', ['memory']))))
    throw new Error(
      'This Redis evicts keys when its memory is full, and a store would be lost: set maxmemory-policy to noeviction',
    )
}

/**
 * Layout of the keys and values of a store. A later layout comes with a migration from each earlier
 * one.
 */
const LAYOUT = 1

/**
 * Keys of versions that stored no layout have the first.
 *
 * @throws {Error} if a later version has written the keys
 */
export async function assertLayout(client: RedisClient, key: string): Promise<void> {
  await client.call('SET', [key, String(LAYOUT), 'NX'])
  const layout = String(await client.call('GET', [key]))
  if (layout !== String(LAYOUT))
    throw new Error(
      `The keys of this store have layout ${layout}; this version of Seine reads layout ${LAYOUT}`,
    )
}

/**
 * An entry in the form of the scripts: version, expiry or nothing, and the value, separated by
 * spaces. `null`: it is absent or expired.
 */
export function entryFrom(key: Key, raw: string | null | undefined, now: number): Entry | null {
  if (typeof raw !== 'string') return null
  const first = raw.indexOf(' ')
  const second = raw.indexOf(' ', first + 1)
  if (second < 0) throw new TypeError('These keys were not written by a store')
  if (second > first + 1 && Number(raw.slice(first + 1, second)) <= now) return null
  return new TextEntry(key, raw.slice(second + 1), raw.slice(0, first))
}
