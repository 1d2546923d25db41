import type { RedisClient } from './client.ts'

/** A Lua script, sent by its digest once the server knows it. */
export class Script {
  readonly #text: string
  #digest: Promise<string> | undefined

  constructor(text: string) {
    this.#text = text
  }

  async run(
    client: RedisClient,
    keys: readonly string[],
    values: readonly string[],
  ): Promise<unknown> {
    const given = [String(keys.length), ...keys].concat(values)
    const digest = await (this.#digest ??= digestOf(this.#text))
    try {
      return await client.call('EVALSHA', [digest].concat(given))
    } catch (error) {
      // A server that does not know it has run nothing of it.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return client.call('EVAL', [this.#text].concat(given))
    }
  }
}

/** Redis names scripts by SHA-1. */
async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
