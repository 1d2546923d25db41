import { fromBase64Url, toBase64Url } from './base64url.ts'

/**
 * Bytes of the initialisation vector that AES-GCM wants (NIST SP 800-38D section 8.2); fresh for
 * every seal.
 */
export const IV_LENGTH = 12

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Locks a text by AES-256-GCM under a key of 32 bytes. Only the same `about` opens it, so that it
 * is no use in another's place.
 */
export async function sealText(
  key: Uint8Array<ArrayBuffer>,
  iv: Uint8Array,
  about: string,
  text: string,
): Promise<string> {
  const ownIv = Uint8Array.from(iv)
  const locked = await crypto.subtle.encrypt(
    parameters(ownIv, about),
    await imported(key, 'encrypt'),
    encoder.encode(text),
  )
  const bytes = new Uint8Array(IV_LENGTH + locked.byteLength)
  bytes.set(ownIv)
  bytes.set(new Uint8Array(locked), IV_LENGTH)
  return toBase64Url(bytes)
}

/**
 * The inverse of {@link sealText}.
 *
 * @throws {Error} for what was not sealed under this key and for this `about`
 */
export async function openText(
  key: Uint8Array<ArrayBuffer>,
  about: string,
  sealed: string,
): Promise<string> {
  const bytes = fromBase64Url(sealed)
  if (bytes === null) throw new Error('A sealed text is damaged')
  const plain = await crypto.subtle.decrypt(
    parameters(bytes.subarray(0, IV_LENGTH), about),
    await imported(key, 'decrypt'),
    bytes.subarray(IV_LENGTH),
  )
  return decoder.decode(plain)
}

function parameters(iv: Uint8Array<ArrayBuffer>, about: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(about) }
}

function imported(key: Uint8Array<ArrayBuffer>, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, [use])
}
