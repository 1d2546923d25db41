import { fromBase64Url, toBase64Url } from './bytes.ts'
import { createHmac, equalBytes } from './crypto.ts'
import { badRequest } from './errors.ts'
import type { Json } from './json.ts'
import type { KeyPart } from './key.ts'

/** The context of a cursor. A cursor opens only in the same context. */
export interface CursorContext {
  readonly account: string
  readonly operation: string
  /**
   * Everything that determines the records of a list and their order. The page size is not part of
   * it.
   */
  readonly filter: Json
}

/** Creates and opens the cursors of lists. */
export interface Cursors {
  seal(context: CursorContext, position: readonly KeyPart[]): Promise<string>
  /**
   * @throws {PlatformError} `BAD_REQUEST` at `cursor`, for a cursor that was not created in the
   *   same context.
   */
  open(context: CursorContext, cursor: string): Promise<readonly KeyPart[]>
}

const MAC_LENGTH = 16
const MAX_LENGTH = 2_000
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Opaque cursors: base64url of a MAC (HMAC-SHA256, cut to 128 bits) and the position as JSON.
 *
 * @param secret Called on first use. It must be the same for all processes of one store.
 */
export function createCursors(secret: () => Promise<Uint8Array<ArrayBuffer>>): Cursors {
  let hmac: Promise<(text: string) => Promise<Uint8Array<ArrayBuffer>>> | null = null
  const sign = async (context: CursorContext, position: string): Promise<Uint8Array> => {
    hmac ??= secret().then(createHmac)
    try {
      const mac = await (
        await hmac
      )(JSON.stringify([context.account, context.operation, context.filter, position]))
      return mac.subarray(0, MAC_LENGTH)
    } catch (error) {
      hmac = null
      throw error
    }
  }
  return {
    async seal(context, position) {
      const json = JSON.stringify(position)
      const body = encoder.encode(json)
      const bytes = new Uint8Array(MAC_LENGTH + body.length)
      bytes.set(await sign(context, json))
      bytes.set(body, MAC_LENGTH)
      return toBase64Url(bytes)
    },
    async open(context, cursor) {
      const bytes = cursor.length > MAX_LENGTH ? null : fromBase64Url(cursor)
      if (bytes === null || bytes.length <= MAC_LENGTH) throw invalid()
      const json = decode(bytes.subarray(MAC_LENGTH))
      if (!equalBytes(await sign(context, json), bytes.subarray(0, MAC_LENGTH))) throw invalid()
      const position: unknown = JSON.parse(json)
      if (!Array.isArray(position) || !position.every(isKeyPart)) throw invalid()
      return position
    },
  }
}

function isKeyPart(part: unknown): part is KeyPart {
  return typeof part === 'string' || typeof part === 'number'
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw invalid()
  }
}

function invalid() {
  return badRequest([{ path: 'cursor', message: 'is not a cursor of this list' }])
}
