import { createParser } from 'eventsource-parser'

/** An event of a stream; `event: null`: a comment. */
export interface StreamEvent {
  readonly event: string | null
  /** Its data as parsed JSON; `null` for invalid JSON. */
  readonly data: unknown
}

/** Maximum characters of an event: a stream must not fill the memory of its reader. */
const MAX_EVENT = 4_194_304

/**
 * Reads the events of a stream whose data is JSON (HTML Standard, section 9.2.6). Leaving the loop
 * ends the stream.
 *
 * @throws the error that ended the stream, and for an event that is too long
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const events: StreamEvent[] = []
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent({ event = 'message', data }) {
      isTooLong ||= data.length > MAX_EVENT
      if (!isTooLong) events.push({ event, data: parsed(data) })
    },
    onComment: () => events.push({ event: null, data: null }),
    onError(error) {
      isTooLong ||= error.type === 'max-buffer-size-exceeded'
    },
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* events.splice(0)
      if (isTooLong) throw new Error('An event of the service is too long')
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
