import {
  createSigningKey,
  encodePart,
  hmacSigner,
  pemOf,
  signToken,
} from '../../support/fakes/jwt-issuer.ts'
import { CLAIMS, KEYS, NOW, headerOf, tokenOf } from './setup.ts'

type Case = () => Promise<string> | string

const { r1, r2, e1, d1, foreign } = KEYS
const encoder = new TextEncoder()
const good = await tokenOf()
const [head = '', body = '', signature = ''] = good.split('.')
const header = headerOf(r1)
const none = (alg: unknown) => () => signToken({ ...header, alg }, CLAIMS, new Uint8Array(0))
const hmac = (secret: Uint8Array<ArrayBuffer>) =>
  signToken({ ...header, alg: 'HS256' }, CLAIMS, hmacSigner(secret))
const claims =
  (change: Record<string, unknown>): Case =>
  () =>
    tokenOf(change)
const headers =
  (change: Record<string, unknown>): Case =>
  () =>
    tokenOf({}, change)
/** The JSON text of the good claims, with one member replaced by this text, which is not encoded. */
const rawClaim =
  (name: string, text: string): Case =>
  () =>
    signToken(header, JSON.stringify({ ...CLAIMS, [name]: '@' }).replace('"@"', text), r1)
const rawClaims =
  (text: string | Uint8Array): Case =>
  () =>
    signToken(header, text, r1)
const rawHeader =
  (text: string | Uint8Array): Case =>
  () =>
    signToken(text, CLAIMS, r1)
const without =
  (name: string): Case =>
  () =>
    tokenOf({ [name]: undefined })
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const other = async (alg: 'RS384' | 'PS256') => createSigningKey('r1', alg)

/** Another text for the same bytes: it differs in bits of the last character that belong to no byte. */
function respell(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return part.slice(0, -1) + (alphabet[alphabet.indexOf(part.at(-1) ?? '') ^ 1] ?? '')
}

/** How each token of `test/fixtures/auth-cases.json` is made, by its name there. */
export const JWT_CASES: Readonly<Record<string, Case>> = {
  'a good token, RS256': () => good,
  'a good token, ES256': () => tokenOf({}, {}, e1),
  'a good token, EdDSA': () => tokenOf({}, {}, d1),
  'a good token of the second RSA key': () => tokenOf({}, {}, r2),

  'alg none, no signature': none('none'),
  'alg None, no signature': none('None'),
  'alg NONE, no signature': none('NONE'),
  'alg nOnE, no signature': none('nOnE'),
  'alg empty, no signature': none(''),
  'alg none, two parts': () => `${encodePart({ ...header, alg: 'none' })}.${body}`,
  'alg none with an RS256 signature': () => signToken({ ...header, alg: 'none' }, CLAIMS, r1),
  'alg none, one byte of signature': () =>
    signToken({ ...header, alg: 'none' }, CLAIMS, Uint8Array.of(0)),
  'alg missing': headers({ alg: undefined }),
  'alg a number': headers({ alg: 256 }),
  'alg a list': headers({ alg: ['RS256'] }),
  'alg in lower case': headers({ alg: 'rs256' }),
  'alg with a space': headers({ alg: 'RS256 ' }),
  'HS256 with the PEM, no newline at its end': async () =>
    hmac(encoder.encode((await pemOf(r1)).trimEnd())),
  'HS256 with the PEM': async () => hmac(encoder.encode(await pemOf(r1))),
  'HS256 with the modulus as text': () => hmac(encoder.encode(String(r1.jwk['n']))),
  'HS256 with the JWK as text': () => hmac(encoder.encode(JSON.stringify(r1.jwk))),
  'HS256 with an empty key': () => hmac(new Uint8Array(0)),
  'PS256 with the RS256 key': headers({ alg: 'PS256' }),
  'PS256, really signed so': async () =>
    signToken({ ...header, alg: 'PS256' }, CLAIMS, await other('PS256')),
  'RS384, really signed so': async () =>
    signToken({ ...header, alg: 'RS384' }, CLAIMS, await other('RS384')),
  'RS256 said of an EC key': () => signToken({ ...headerOf(e1), alg: 'RS256' }, CLAIMS, e1),
  'ES256 said of an RSA key': headers({ alg: 'ES256' }),
  'ES256 with a signature of zeros': () => signToken(headerOf(e1), CLAIMS, new Uint8Array(64)),
  'ES256 with a signature in DER': async () =>
    signToken(
      headerOf(e1),
      CLAIMS,
      toDer(await e1.sign(`${encodePart(headerOf(e1))}.${encodePart(CLAIMS)}`)),
    ),
  'a foreign key of the same id': () => tokenOf({}, {}, foreign),
  'the signature of another token': async () =>
    `${head}.${body}.${(await tokenOf({ sub: 'user-2' })).split('.')[2] ?? ''}`,

  'kid unknown': headers({ kid: 'unknown' }),
  'kid constructor': headers({ kid: 'constructor' }),
  'kid __proto__': headers({ kid: '__proto__' }),
  'kid with NUL': headers({ kid: 'r1\0' }),
  'kid in other case': headers({ kid: 'R1' }),
  'kid with a space': headers({ kid: 'r1 ' }),
  'kid a path': headers({ kid: '../../../../dev/null' }),
  'kid a query': headers({ kid: "r1' OR '1'='1" }),
  'kid of 100,000 characters': headers({ kid: 'k'.repeat(100_000) }),
  'kid of 300 characters': headers({ kid: 'k'.repeat(300) }),
  'kid empty': headers({ kid: '' }),
  'kid an object': headers({ kid: { kid: 'r1' } }),
  'kid a list': headers({ kid: ['r1'] }),
  'kid a number': headers({ kid: 1 }),
  'kid null': headers({ kid: null }),
  'kid missing, two RSA keys': headers({ kid: undefined }),
  'kid missing, one EC key': () => tokenOf({}, { kid: undefined }, e1),

  'jku, foreign signature': () =>
    tokenOf({}, { jku: 'http://attacker.example/jwks.json' }, foreign),
  'x5u, foreign signature': () => tokenOf({}, { x5u: 'http://attacker.example/cert.pem' }, foreign),
  'x5c, foreign signature': () => tokenOf({}, { x5c: ['MIIB'] }, foreign),
  'jwk, foreign signature': () => tokenOf({}, { jwk: foreign.jwk }, foreign),
  'jku, good signature': headers({ jku: 'http://attacker.example/jwks.json' }),
  'x5u, good signature': headers({ x5u: 'http://attacker.example/cert.pem' }),
  'jwk, good signature': headers({ jwk: foreign.jwk }),
  'crit with exp': headers({ crit: ['exp'], exp: 1 }),
  'crit empty': headers({ crit: [] }),
  'crit with b64': headers({ crit: ['b64'], b64: true }),
  'b64 false': headers({ b64: false }),
  zip: headers({ zip: 'DEF' }),

  'typ JWT where at+jwt is asked for': headers({ typ: 'JWT' }),
  'typ missing': headers({ typ: undefined }),
  'typ in other case, with application/': headers({ typ: 'application/AT+JWT' }),
  'typ of a logout token': headers({ typ: 'logout+jwt' }),
  'typ a list': headers({ typ: ['at+jwt'] }),

  'exp missing': without('exp'),
  'exp a text': claims({ exp: String(NOW + 600) }),
  'exp null': claims({ exp: null }),
  'exp a list': claims({ exp: [NOW + 600] }),
  'exp with a fraction': claims({ exp: NOW + 600.5 }),
  'exp negative': claims({ exp: -1 }),
  'exp in the past': claims({ iat: NOW - 900, exp: NOW - 300 }),
  'exp 29 s ago': claims({ exp: NOW - 29, iat: NOW - 600 }),
  'exp 30 s ago': claims({ exp: NOW - 30, iat: NOW - 600 }),
  'exp 1e400': rawClaim('exp', '1e400'),
  'exp in milliseconds': claims({ exp: (NOW + 600) * 1000 }),
  'exp before iat': claims({ iat: NOW + 20, exp: NOW + 10 }),
  'a lifetime of 24 h': claims({ iat: NOW, exp: NOW + 86_400 }),
  'a lifetime of 24 h and 1 s': claims({ iat: NOW, exp: NOW + 86_401 }),
  'nbf +30 s': claims({ nbf: NOW + 30 }),
  'nbf +31 s': claims({ nbf: NOW + 31 }),
  'nbf +60 s': claims({ nbf: NOW + 60 }),
  'nbf a text': claims({ nbf: String(NOW) }),
  'nbf null': claims({ nbf: null }),
  'nbf 1e400': rawClaim('nbf', '1e400'),
  'nbf -1e400': rawClaim('nbf', '-1e400'),
  'iat missing': without('iat'),
  'iat a text': claims({ iat: String(NOW) }),
  'iat +30 s': claims({ iat: NOW + 30 }),
  'iat +31 s': claims({ iat: NOW + 31 }),
  'iat +1 h': claims({ iat: NOW + 3_600, exp: NOW + 4_200 }),
  'iat -1e400': rawClaim('iat', '-1e400'),
  'iss missing': without('iss'),
  'iss a list': claims({ iss: [CLAIMS.iss] }),
  'iss without its slash': claims({ iss: CLAIMS.iss.slice(0, -1) }),
  'aud missing': without('aud'),
  'aud another': claims({ aud: 'https://other.example' }),
  'aud in other case': claims({ aud: 'https://API.example' }),
  'aud a prefix': claims({ aud: CLAIMS.aud.slice(0, -1) }),
  'aud empty list': claims({ aud: [] }),
  'aud a list with ours': claims({ aud: ['https://other.example', CLAIMS.aud] }),
  'aud a list with a number': claims({ aud: [CLAIMS.aud, 1] }),
  'aud an object': claims({ aud: { [CLAIMS.aud]: true } }),
  'sub missing': without('sub'),
  'sub empty': claims({ sub: '' }),
  'sub blank': claims({ sub: ' \u00a0' }),
  'sub a number': claims({ sub: 1 }),
  'sub a list': claims({ sub: ['user-1'] }),
  'sub with NUL': claims({ sub: 'user-1\0' }),
  'sub with an unpaired surrogate': rawClaim('sub', String.raw`"\ud800"`),
  'sub of 257 characters': claims({ sub: 's'.repeat(257) }),
  'sub the reserved account': claims({ sub: '~' }),
  'org_id the reserved account': claims({ org_id: '~' }),
  'org_id a number': claims({ org_id: 7 }),
  'org_id empty': claims({ org_id: '' }),

  'sub twice': rawClaims(JSON.stringify(CLAIMS).replace('{', '{"sub":"user-0",')),
  'alg twice': rawHeader(JSON.stringify(header).replace('{', '{"alg":"none",')),
  'alg twice, none last': rawHeader(JSON.stringify(header).replace(/\}$/, ',"alg":"none"}')),
  'a claim __proto__': rawClaims(
    JSON.stringify(CLAIMS).replace('{', '{"__proto__":{"scope":"*","sub":"root"},'),
  ),
  'payload empty': rawClaims(''),
  'payload not JSON': rawClaims('{'),
  'payload a list': rawClaims(JSON.stringify([CLAIMS])),
  'payload null': rawClaims('null'),
  'payload with a BOM': rawClaims(`\ufeff${JSON.stringify(CLAIMS)}`),
  'payload of wrong UTF-8': rawClaims(
    Uint8Array.from([...encoder.encode(JSON.stringify(CLAIMS).slice(0, -2)), 0xff, 0x22, 0x7d]),
  ),
  'payload in UTF-16': rawClaims(
    Uint8Array.from([...JSON.stringify(CLAIMS)].flatMap((char) => [char.charCodeAt(0), 0])),
  ),
  'payload 1,000 deep': rawClaim('deep', nested(1_000)),
  'header empty': rawHeader(''),
  'header a list': rawHeader('[]'),
  'header 100,000 deep': rawHeader(
    `{"alg":"RS256","kid":"r1","typ":"at+jwt","x":${nested(100_000)}}`,
  ),
  'header 1,000 deep': rawHeader(`{"alg":"RS256","kid":"r1","typ":"at+jwt","x":${nested(1_000)}}`),
  'header of 5 KB': headers({ x: 'x'.repeat(5_000) }),
  'a token of 8 KB and more': claims({ x: 'x'.repeat(8_192) }),
  'a token of 1 MB': claims({ x: 'x'.repeat(1_000_000) }),

  'signature removed': () => `${head}.${body}.`,
  'signature and its dot removed': () => `${head}.${body}`,
  'signature padded': () => `${good}==`,
  'header padded': () => `${head}=.${body}.${signature}`,
  'signature in another spelling': () => `${head}.${body}.${respell(signature)}`,
  'signature cut': () => good.slice(0, -1),
  'signature with a character more': () => `${good}A`,
  'a space before': () => ` ${good}`,
  'a space within': () => `${head}.${body}. ${signature}`,
  'a no-break space after': () => `${good}\u00a0`,
  'a tab within': () => `${head}.\t${body}.${signature}`,
  'a comma after': () => `${good},`,
  'four parts': () => `${good}.${signature}`,
  'five parts': () => `${head}..${body}.${signature}.${signature}`,
  'a dot after': () => `${good}.`,
  'a dot before': () => `.${good}`,
  'the alphabet of standard base64': async () => toStandard(await untilSpecial()),
  'the JSON serialization': () => JSON.stringify({ protected: head, payload: body, signature }),
  'quotes around': () => `"${good}"`,
}

function toStandard(token: string): string {
  return token.replaceAll('-', '+').replaceAll('_', '/')
}

/** A good token whose text would be another one in the standard alphabet of Base64. */
async function untilSpecial(): Promise<string> {
  for (let n = 0; ; n++) {
    const token = await tokenOf({ n })
    if (toStandard(token) !== token) return token
  }
}

/** An ECDSA signature as a DER sequence (SEC 1 section C.8) in place of r and s side by side. */
function toDer(raw: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array) => {
    const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
    const value = (trimmed[0] ?? 0) > 127 ? [0, ...trimmed] : [...trimmed]
    return [2, value.length, ...value]
  }
  const content = [...integer(raw.subarray(0, 32)), ...integer(raw.subarray(32))]
  return Uint8Array.from([48, content.length, ...content])
}

/** The parts of the good token, for tests that bend it. */
export const GOOD = { token: good, head, body, signature }
