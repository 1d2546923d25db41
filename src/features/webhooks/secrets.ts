import { toBase64 } from '../../kernel/bytes.ts'
import { IV_LENGTH, openText, sealText } from '../../kernel/crypto.ts'
import type { RandomBytes } from '../../ports/clock.ts'
import type { WebhookRecord, WebhookSecret } from './records.ts'

const SECRET_BYTES = 32
const PREFIX = 'whsec_'

/** Signing secrets in the form of Standard Webhooks: `whsec_` and the base64 of 32 bytes. */
export interface WebhookSecrets {
  make(): string
  /** Encrypts a secret for storing. It can be decrypted only for this webhook of this account. */
  seal(
    account: string,
    webhook: string,
    secret: string,
    until: number | null,
  ): Promise<WebhookSecret>
  /**
   * The bytes of every secret that is valid at `now` and can be decrypted, newest first. Rejects if
   * the platform's own secret cannot be read.
   */
  open(account: string, webhook: WebhookRecord, now: number): Promise<Uint8Array<ArrayBuffer>[]>
}

/** `platformSecret`: the key that encrypts the secrets. */
export function createWebhookSecrets(
  platformSecret: () => Promise<Uint8Array<ArrayBuffer>>,
  random: RandomBytes,
): WebhookSecrets {
  const about = (account: string, webhook: string) => JSON.stringify([account, webhook])
  let platformKey: Promise<Uint8Array<ArrayBuffer>> | null = null
  // An error is not cached, because the store may work again a moment later.
  const keyOf = () =>
    (platformKey ??= platformSecret().catch((error: unknown) => {
      platformKey = null
      throw error
    }))
  return {
    make: () => PREFIX + toBase64(random(SECRET_BYTES)),
    seal: async (account, webhook, secret, until) => ({
      sealed: await sealText(await keyOf(), random(IV_LENGTH), about(account, webhook), secret),
      until,
    }),
    async open(account, { id, secrets }, now) {
      const key = await keyOf()
      const valid = secrets.filter(({ until }) => until === null || until > now)
      const opened = await Promise.all(
        valid.map(({ sealed }) => openText(key, about(account, id), sealed).catch(() => null)),
      )
      return opened.flatMap((secret) =>
        secret === null ? [] : [fromBase64(secret.slice(PREFIX.length))],
      )
    },
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
