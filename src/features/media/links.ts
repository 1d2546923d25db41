import { fromBase64Url, toBase64Url } from '../../kernel/bytes.ts'
import { createHmac, equalBytes } from '../../kernel/crypto.ts'
import type { Clock } from '../../ports/clock.ts'

/** A path that is valid for a limited time, for anyone who has it. */
export interface SignedPath {
  /** Starts with `/media/` and includes the token. */
  readonly path: string
  /** Unix ms. */
  readonly expiresAt: number
}

/** The bytes that a link points to. */
export interface LinkedMedia {
  readonly sha256: string
  readonly name: string
}

/** Makes and checks the links of the media CDN. */
export interface MediaLinks {
  /** The account's pseudonym in links and blob names. It does not reveal the account. */
  ownerOf(account: string): Promise<string>
  sign(account: string, target: LinkedMedia): Promise<SignedPath>
  /**
   * Returns when the token of a path expires, in Unix ms. `null` for a token that is expired,
   * damaged, or issued for another path.
   */
  check(path: string, token: string): Promise<number | null>
}

const OWNER_BYTES = 16
const MAX_OWNERS = 10_000
const TOKEN = /^([1-9a-z][\da-z]{0,9})\.([\w-]{43})$/
/**
 * Links that are made within a quarter of their lifetime are the same, so that caches of answers
 * and of bytes work.
 */
const STEPS = 4

/** The path of an item. */
export function mediaPath(owner: string, { sha256, name }: LinkedMedia): string {
  return `/media/${owner}/${sha256}/${name}`
}

/**
 * Opens the links. A token is its expiry and a MAC (HMAC-SHA-256) over expiry and path. The path
 * names the account by a MAC as well, so a token is bound to all three. A wrong token is refused
 * before any read.
 *
 * @throws {TypeError} for an invalid lifetime
 */
export function createMediaLinks({
  secret,
  clock,
  tokenSeconds = 3_600,
}: {
  /** Called on first use. The secret must be the same for all processes of one store. */
  readonly secret: () => Promise<Uint8Array<ArrayBuffer>>
  readonly clock: Clock
  /** Minimum lifetime of a new link, in seconds. Default 3,600. */
  readonly tokenSeconds?: number
}): MediaLinks {
  if (!Number.isSafeInteger(tokenSeconds) || tokenSeconds < 1)
    throw new TypeError('media.tokenSeconds must be a whole number from 1')
  let hmac: Promise<(text: string) => Promise<Uint8Array<ArrayBuffer>>> | null = null
  const owners = new Map<string, string>()
  const mac = async (
    use: 'owner' | 'token',
    ...parts: readonly (string | number)[]
  ): Promise<Uint8Array> => {
    hmac ??= secret().then(createHmac)
    try {
      return await (
        await hmac
      )(JSON.stringify([use, ...parts]))
    } catch (error) {
      // An error is not cached, because the store may work again a moment later.
      hmac = null
      throw error
    }
  }
  const ownerOf = async (account: string): Promise<string> => {
    const cached = owners.get(account)
    if (cached !== undefined) return cached
    const owner = toBase64Url((await mac('owner', account)).subarray(0, OWNER_BYTES))
    if (owners.size >= MAX_OWNERS) owners.clear()
    owners.set(account, owner)
    return owner
  }
  return {
    ownerOf,
    async sign(account, target) {
      const path = mediaPath(await ownerOf(account), target)
      const step = Math.ceil(tokenSeconds / STEPS)
      const ends = (Math.floor(clock.now() / 1_000 / step) + 1) * step + tokenSeconds
      return {
        path: `${path}?token=${ends.toString(36)}.${toBase64Url(await mac('token', path, ends))}`,
        expiresAt: ends * 1_000,
      }
    },
    async check(path, token) {
      const [, ends = '', signature = ''] = TOKEN.exec(token) ?? []
      const signed = fromBase64Url(signature)
      const seconds = Number.parseInt(ends, 36)
      if (
        ends === '' ||
        signed === null ||
        !equalBytes(signed, await mac('token', path, seconds)) ||
        seconds * 1_000 <= clock.now()
      )
        return null
      return seconds * 1_000
    },
  }
}
