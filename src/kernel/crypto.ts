import { fromBase64Url, toBase64Url } from './bytes.ts'

const encoder = new TextEncoder()

/**
 * SHA-256 of a text's UTF-8 bytes in lower-case hex. It is synchronous, because a call of WebCrypto
 * takes longer than most reads.
 */
export type Digest = (text: string) => string

/**
 * Number of hex digits of a {@link Digest} that identify a text. They are 160 bits, so finding a
 * collision takes 2^80 tries.
 */
export const DIGEST_LENGTH = 40

/** SHA-256 of bytes, or of a text's UTF-8 bytes, in lower-case hex. */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(
    await crypto.subtle.digest('SHA-256', typeof data === 'string' ? encoder.encode(data) : data),
  )
  let hex = ''
  for (const byte of digest) hex += byte.toString(16).padStart(2, '0')
  return hex
}

/** HMAC-SHA256 (RFC 2104) of texts under one key; the key is imported once. */
export function createHmac(
  secret: Uint8Array<ArrayBuffer>,
): (text: string) => Promise<Uint8Array<ArrayBuffer>> {
  const imported = crypto.subtle.importKey(
    'raw',
    secret,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  return async (text) =>
    new Uint8Array(await crypto.subtle.sign('HMAC', await imported, encoder.encode(text)))
}

/** Compares two values in a time that depends only on their lengths. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length && i < b.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}

/** {@link equalBytes} for texts. */
export function equalText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length && i < b.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

/**
 * Bytes of the initialisation vector of AES-GCM (NIST SP 800-38D section 8.2); a new one for every
 * seal.
 */
export const IV_LENGTH = 12

const decoder = new TextDecoder()

/**
 * Encrypts a text with AES-256-GCM under a key of 32 bytes. Only the same `about` opens it, so that
 * it cannot be moved to another record.
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
    await importKey(key, 'encrypt'),
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
 * @throws {Error} for a text that was not sealed under this key and for this `about`
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
    await importKey(key, 'decrypt'),
    bytes.subarray(IV_LENGTH),
  )
  return decoder.decode(plain)
}

function parameters(iv: Uint8Array<ArrayBuffer>, about: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(about) }
}

function importKey(key: Uint8Array<ArrayBuffer>, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, [use])
}
