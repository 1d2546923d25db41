import { fromBase64Url, toBase64Url } from '../../kernel/bytes.ts'
import { createHmac, equalBytes } from '../../kernel/crypto.ts'
import type { Clock } from '../../ports/clock.ts'

/** A path that is good for a while, for whoever has it. */
export interface SignedPath {
  /** From `/media/` on, with the token. */
  readonly path: string
  /** Unix ms. */
  readonly expiresAt: number
}

/** Which bytes a link leads to. */
export interface MediaTarget {
  readonly sha256: string
  readonly name: string
}

/** Makes and checks the links of the media CDN. */
export interface MediaLinks {
  /** What stands for an account in links and blob names: nobody can tell the account by it. */
  ownerOf(account: string): Promise<string>
  sign(account: string, target: MediaTarget): Promise<SignedPath>
  /**
   * When the token of a path ends, in Unix ms; `null` for a token that is over, damaged, or not of
   * this very path.
   */
  check(path: string, token: string): Promise<number | null>
}

/** What {@link createMediaLinks} works with. */
export interface MediaLinksOptions {
  /** Asked on first use; the same for all processes that serve one store. */
  readonly secret: () => Promise<Uint8Array<ArrayBuffer>>
  readonly clock: Clock
  /** Least time that a new link is good for. Default 3,600. */
  readonly tokenSeconds?: number
}

const OWNER_BYTES = 16
const MAX_OWNERS = 10_000
const TOKEN = /^([1-9a-z][\da-z]{0,9})\.([\w-]{43})$/
/**
 * Links that are made within a quarter of their life are the same, so that caches of answers and of
 * bytes are of use.
 */
const STEPS = 4

/** The path of an item. */
export function mediaPath(owner: string, { sha256, name }: MediaTarget): string {
  return `/media/${owner}/${sha256}/${name}`
}

/**
 * A token is the time of its end and a MAC (HMAC-SHA-256) over that time and the path; the path
 * names the account by a MAC as well, so that a token is bound to all three, and a wrong one is
 * refused before anything is looked up.
 *
 * @throws {TypeError} for a lifetime that is none
 */
export function createMediaLinks({
  secret,
  clock,
  tokenSeconds = 3_600,
}: MediaLinksOptions): MediaLinks {
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
      // A store that was down for a moment must not lock this process out for good.
      hmac = null
      throw error
    }
  }
  const ownerOf = async (account: string): Promise<string> => {
    const known = owners.get(account)
    if (known !== undefined) return known
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
      const given = fromBase64Url(signature)
      const seconds = Number.parseInt(ends, 36)
      if (
        ends === '' ||
        given === null ||
        !equalBytes(given, await mac('token', path, seconds)) ||
        seconds * 1_000 <= clock.now()
      )
        return null
      return seconds * 1_000
    },
  }
}
