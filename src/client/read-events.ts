import { SeineError } from './error.ts'
import { abortable } from './send.ts'
import { parseObject } from './read-error.ts'

/** A server-sent event whose data is a JSON object. */
export interface ServerEvent {
  readonly event: string
  /** Position after it. */
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Maximum characters of an event: a stream must not fill the memory of its reader. */
const MAX_EVENT = 4_194_304

/**
 * Reads the events of a stream (HTML Standard, section 9.2.6) whose data are JSON objects. Leaving
 * it ends the stream.
 *
 * @throws the error that ended the stream; `UNEXPECTED_RESPONSE` for an event that is too long
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const events: ServerEvent[] = []
  let id = ''
  let isTooLong = false
  try {
    // Loaded with the first stream: most pages that use the client read none.
    const { createParser } = await import('eventsource-parser')
    const parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent(message) {
        id = message.id ?? id
        isTooLong ||= message.data.length > MAX_EVENT
        if (isTooLong) return
        const data = parseObject(message.data)
        if (data) events.push({ event: message.event ?? 'message', id, data })
      },
      onError(error) {
        isTooLong ||= error.type === 'max-buffer-size-exceeded'
      },
    })
    for (;;) {
      const { done, value } = await abortable(() => reader.read(), signal)
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      // Events before one that is too long are whole.
      yield* events.splice(0)
      if (isTooLong)
        throw new SeineError(
          'UNEXPECTED_RESPONSE',
          `An event has more than ${MAX_EVENT} characters`,
          { status: 200 },
        )
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
