import { createHmac } from '../../kernel/crypto.ts'
import { toBase64 } from './secrets.ts'

/** What is signed: a message id, when it is sent (Unix milliseconds), its body. */
export interface Signed {
  readonly id: string
  readonly at: number
  readonly body: string
}

/**
 * The headers of Standard Webhooks 1.0: id, time in Unix seconds, and a signature for each secret,
 * so that a receiver may know any one of them.
 */
export async function signatureHeaders(
  secrets: readonly Uint8Array<ArrayBuffer>[],
  { id, at, body }: Signed,
): Promise<Record<string, string>> {
  const timestamp = Math.floor(at / 1_000)
  const signatures = await Promise.all(
    secrets.map(
      async (secret) => `v1,${toBase64(await createHmac(secret)(`${id}.${timestamp}.${body}`))}`,
    ),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
