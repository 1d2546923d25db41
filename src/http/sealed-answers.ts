import { createHmac, IV_LENGTH, openText, sealText } from '../kernel/crypto.ts'
import type { RandomBytes } from '../ports/clock.ts'
import type { Answer } from './respond.ts'

/** A request that must have its effect once. */
export interface OnceRequest {
  readonly account: string
  /** The key as the caller sent it. */
  readonly key: string
  /** Everything that distinguishes this request from others. */
  readonly asked: string
}

/**
 * Encrypts answers that are stored for a repetition of their request, because an answer may contain
 * the secret of an API key.
 */
export interface SealedAnswers {
  seal(request: OnceRequest, answer: Answer): Promise<string>
  /** @throws {Error} if the text was sealed for another request, or with another platform secret */
  open(request: OnceRequest, sealed: string): Promise<Answer>
}

/**
 * AES-256-GCM under a key made of the platform's secret and the caller's idempotency key. The store
 * has only a digest of the idempotency key, so nobody can decrypt an answer with the store alone.
 * The request is authenticated together with its answer.
 */
export function createSealedAnswers(
  secret: () => Promise<Uint8Array<ArrayBuffer>>,
  random: RandomBytes,
): SealedAnswers {
  let hmac: Promise<(text: string) => Promise<Uint8Array<ArrayBuffer>>> | null = null
  const keyOf = async ({ account, key }: OnceRequest): Promise<Uint8Array<ArrayBuffer>> => {
    hmac ??= secret().then(createHmac)
    return (await hmac.catch(forget))(JSON.stringify([account, key]))
  }
  // A failure of the store may be short, so it is not cached.
  const forget = (error: unknown): never => {
    hmac = null
    throw error
  }
  return {
    async seal(request, { status, headers, body }) {
      return sealText(
        await keyOf(request),
        random(IV_LENGTH),
        request.asked,
        JSON.stringify([status, headers, body]),
      )
    },
    async open(request, sealed) {
      // A text that can be decrypted was written by this class.
      const [status, headers, body] = JSON.parse(
        await openText(await keyOf(request), request.asked, sealed),
      ) as [number, Record<string, string>, string]
      return { status, headers, body }
    },
  }
}
