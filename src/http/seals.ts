import { fromBase64Url, toBase64Url } from '../kernel/base64url.ts'
import { createHmac } from '../kernel/digest.ts'
import type { RandomBytes } from '../ports/clock.ts'
import type { Answer } from './respond.ts'

/** One request that must have its effect once. */
export interface OnceRequest {
  readonly account: string
  /** As the caller sent it. */
  readonly key: string
  /** All that tells this request from another. */
  readonly asked: string
}

/** Locks answers away that wait for a repetition of their request, as one may hold the secret of an API key. */
export interface Seals {
  seal(request: OnceRequest, answer: Answer): Promise<string>
  /** @throws {Error} for what was not sealed for this request, or under another platform secret */
  open(request: OnceRequest, sealed: string): Promise<Answer>
}

const IV_LENGTH = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * AES-256-GCM under a key made of the platform's secret and the caller's idempotency key. The store keeps only a digest
 * of the latter, so that who reads the store alone cannot open an answer; the request itself is authenticated with it.
 */
export function createSeals(secret: () => Promise<Uint8Array<ArrayBuffer>>, random: RandomBytes): Seals {
  let hmac: Promise<(text: string) => Promise<Uint8Array<ArrayBuffer>>> | null = null
  const keyOf = async ({ account, key }: OnceRequest, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> => {
    hmac ??= secret().then(createHmac)
    const bytes = await (await hmac.catch(forget))(JSON.stringify([account, key]))
    return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [use])
  }
  // A store that was down for a moment must not lock this process out for good.
  const forget = (error: unknown): never => {
    hmac = null
    throw error
  }
  return {
    async seal(request, { status, headers, body }) {
      const iv = Uint8Array.from(random(IV_LENGTH))
      const plain = encoder.encode(JSON.stringify([status, headers, body]))
      const locked = await crypto.subtle.encrypt(parameters(iv, request), await keyOf(request, 'encrypt'), plain)
      const bytes = new Uint8Array(IV_LENGTH + locked.byteLength)
      bytes.set(iv)
      bytes.set(new Uint8Array(locked), IV_LENGTH)
      return toBase64Url(bytes)
    },
    async open(request, sealed) {
      const bytes = fromBase64Url(sealed)
      if (bytes === null) throw new Error('A stored answer is damaged')
      const plain = await crypto.subtle.decrypt(parameters(bytes.subarray(0, IV_LENGTH), request), await keyOf(request, 'decrypt'), bytes.subarray(IV_LENGTH))
      // What opens was sealed here.
      const [status, headers, body] = JSON.parse(decoder.decode(plain)) as [number, Record<string, string>, string]
      return { status, headers, body }
    },
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, { asked }: OnceRequest): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(asked) }
}
