import { TOKENS } from './platform-options.ts'

const encoder = new TextEncoder()

/**
 * A token of the issuer that the platform trusts, signed here by WebCrypto; `claims` go over the
 * defaults.
 */
export async function tokenFor(
  user: string,
  claims: Readonly<Record<string, unknown>> = {},
  secret: string = TOKENS.secret,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    iss: TOKENS.issuer,
    aud: TOKENS.audience,
    sub: user,
    account: 'acme',
    scope: '*',
    iat: now,
    exp: now + 600,
    ...claims,
  }
  const input = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}`
  const key = await crypto.subtle.importKey(
    'raw',
    encoder.encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  return `${input}.${base64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(input))))}`
}

/** SHA-256 in hex, for comparing what runtimes made. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

function part(value: object): string {
  return base64Url(encoder.encode(JSON.stringify(value)))
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
