import { sha256 } from '@noble/hashes/sha2.js'

const encoder = new TextEncoder()
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/**
 * The same as `sha256Hex`, but synchronous. WebCrypto works on another thread, and the switch takes
 * several times as long as the digest of a few blocks. If the runtime has a synchronous digest,
 * `#short-digest` resolves to it instead (decisions/010-http-cost.md).
 */
export function shortDigest(text: string): string {
  let hex = ''
  for (const byte of sha256(encoder.encode(text))) hex += HEX[byte]
  return hex
}
