import { abortable } from './abortable.ts'
import { parseObject } from './parse-object.ts'

/** A server-sent event whose data is a JSON object. */
export interface ServerEvent {
  readonly event: string
  /** Position after it. */
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The events of a stream, as this service writes them: fields in lines of their own, an empty line after each event. Leaving it ends the stream. */
export async function* readEvents(body: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await abortable(() => reader.read(), signal)
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event = '', id = '', text = ''] = /^event: (.*)\nid: (.*)\ndata: (.*)$/m.exec(block) ?? []
        const data = parseObject(text)
        if (data) yield { event, id, data }
      }
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
