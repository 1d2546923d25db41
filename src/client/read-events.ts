import { abortable } from './send.ts'
import { parseObject } from './read-error.ts'

/** A server-sent event whose data is a JSON object. */
export interface ServerEvent {
  readonly event: string
  /** Position after it. */
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * The events of a stream, as this service writes them: fields in lines of their own, an empty line
 * after each event. Leaving it ends the stream.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  /** Chunks of an incomplete event. It may come in many chunks, and none is searched twice. */
  let rest: string[] = []
  try {
    for (;;) {
      const { done, value } = await abortable(() => reader.read(), signal)
      if (done) return
      const chunk = decoder.decode(value, { stream: true })
      const isWhole =
        chunk.includes('\n\n') || (chunk.startsWith('\n') && rest.at(-1)?.endsWith('\n') === true)
      if (chunk !== '') rest.push(chunk)
      if (!isWhole) continue
      const blocks = rest.join('').split('\n\n')
      rest = [blocks.pop() ?? '']
      for (const block of blocks) {
        const [, event = '', id = '', text = ''] =
          /^event: (.*)\nid: (.*)\ndata: (.*)$/m.exec(block) ?? []
        const data = parseObject(text)
        if (data) yield { event, id, data }
      }
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
