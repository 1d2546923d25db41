import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

/**
 * The result of a tool, with its JSON. The text is the JSON of the data for some tools, and their
 * characters are looked at, so most of it is there before the answer is written.
 */
export class CallResult implements CallToolResult {
  [name: string]: unknown
  readonly structuredContent: { [name: string]: unknown }
  readonly content: CallToolResult['content']
  readonly #json: string
  readonly #text: string

  /** `json` is that of the data. `text` is `null` where that is the text too. */
  constructor(
    data: { readonly [name: string]: unknown },
    json: string = JSON.stringify(data),
    text: string | null = null,
  ) {
    this.#json = json
    this.#text = text ?? json
    this.structuredContent = data
    this.content = [{ type: 'text', text: this.#text }]
  }

  /** The same as `JSON.stringify` gives. */
  static jsonOf(result: unknown): string {
    return result instanceof CallResult
      ? `{"structuredContent":${result.#json},"content":[{"type":"text","text":${JSON.stringify(result.#text)}}]}`
      : JSON.stringify(result)
  }

  /** Its members in the order in which the SDK of protocol 2026-07-28 writes them. */
  static contentFirst(result: CallResult): string {
    return `"content":[{"type":"text","text":${JSON.stringify(result.#text)}}],"structuredContent":${result.#json}`
  }
}
