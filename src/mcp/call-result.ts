import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

/**
 * The result of a tool, with its JSON. For some tools the text is the JSON of the data, and its
 * characters are checked. So most of the answer exists before it is written.
 */
export class CallResult implements CallToolResult {
  [name: string]: unknown
  readonly structuredContent: { [name: string]: unknown }
  readonly content: CallToolResult['content']
  readonly #json: string
  readonly #text: string

  /** `json`: the JSON of the data. `text` is `null` if it is the same. */
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

  /** The same text as `JSON.stringify` gives. */
  static jsonOf(result: unknown): string {
    return result instanceof CallResult
      ? `{"structuredContent":${result.#json},"content":[{"type":"text","text":${JSON.stringify(result.#text)}}]}`
      : JSON.stringify(result)
  }

  /** The members have the order in which the SDK of protocol 2026-07-28 writes them. */
  static contentFirst(result: CallResult): string {
    return `"content":[{"type":"text","text":${JSON.stringify(result.#text)}}],"structuredContent":${result.#json}`
  }
}
