import { toBase64Url } from '../../../src/kernel/bytes.ts'

const encoder = new TextEncoder()

/** A pair that signs, with its public half as an issuer publishes it. */
export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly pair: CryptoKeyPair
  readonly jwk: Record<string, unknown>
  sign(input: string): Promise<Uint8Array>
}

const ALGORITHMS = {
  RS256: [
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: 'SHA-256',
    },
    { name: 'RSASSA-PKCS1-v1_5' },
  ],
  RS384: [
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: 'SHA-384',
    },
    { name: 'RSASSA-PKCS1-v1_5' },
  ],
  PS256: [
    {
      name: 'RSA-PSS',
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: 'SHA-256',
    },
    { name: 'RSA-PSS', saltLength: 32 },
  ],
  ES256: [
    { name: 'ECDSA', namedCurve: 'P-256' },
    { name: 'ECDSA', hash: 'SHA-256' },
  ],
  EdDSA: [{ name: 'Ed25519' }, { name: 'Ed25519' }],
} as const

/** Makes a key; `jwk` has `kid`, `alg` and `use`. */
export async function createSigningKey(
  kid: string,
  alg: keyof typeof ALGORITHMS,
): Promise<SigningKey> {
  const [generate, use] = ALGORITHMS[alg]
  const pair = await crypto.subtle.generateKey(generate, true, ['sign', 'verify'])
  if (!('publicKey' in pair)) throw new Error('This algorithm has no pair')
  return {
    kid,
    alg,
    pair,
    jwk: {
      ...(await crypto.subtle.exportKey('jwk', pair.publicKey)),
      key_ops: ['verify'],
      kid,
      alg,
      use: 'sig',
    },
    sign: async (input) =>
      new Uint8Array(await crypto.subtle.sign(use, pair.privateKey, encoder.encode(input))),
  }
}

/** JSON text, or a text to use unchanged in its place. */
export type Part = Readonly<Record<string, unknown>> | string | Uint8Array

/** A part of a token. */
export function encodePart(part: Part): string {
  return toBase64Url(
    part instanceof Uint8Array
      ? part
      : encoder.encode(typeof part === 'string' ? part : JSON.stringify(part)),
  )
}

/** A token in compact form, with a signature by a key or of given bytes. */
export async function signToken(
  header: Part,
  claims: Part,
  by: { sign(input: string): Promise<Uint8Array> } | Uint8Array,
): Promise<string> {
  const input = `${encodePart(header)}.${encodePart(claims)}`
  return `${input}.${toBase64Url(by instanceof Uint8Array ? by : await by.sign(input))}`
}

/** Signs with HMAC-SHA256, as an attacker does who takes a public key for a secret. */
export function hmacSigner(secret: Uint8Array<ArrayBuffer>) {
  return {
    async sign(input: string) {
      // An empty secret cannot be imported; HMAC pads with zeros, so that one zero byte is the same
      // key (RFC 2104).
      const key = await crypto.subtle.importKey(
        'raw',
        secret.byteLength > 0 ? secret : Uint8Array.of(0),
        { name: 'HMAC', hash: 'SHA-256' },
        false,
        ['sign'],
      )
      return new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(input)))
    },
  }
}

/** A public key as a PEM text with a newline at its end. */
export async function pemOf(key: SigningKey): Promise<string> {
  const der = new Uint8Array(await crypto.subtle.exportKey('spki', key.pair.publicKey))
  const lines = btoa(String.fromCharCode(...der)).match(/.{1,64}/g) ?? []
  return `-----BEGIN PUBLIC KEY-----\n${lines.join('\n')}\n-----END PUBLIC KEY-----\n`
}
