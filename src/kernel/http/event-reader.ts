import { createParser } from 'eventsource-parser'

/** A server-sent event. */
export interface StreamEvent {
  /** The type of the event. `null`: a comment. */
  readonly event: string | null
  /** The id of the last event that had an id. */
  readonly id: string
  readonly data: string
}

/** Maximum number of characters of an event, so that a stream cannot fill its reader's memory. */
export const MAX_EVENT = 4_194_304
/**
 * Number of characters that the parser gets at once. Its time can grow with the square of this
 * number, if lines end in different ways.
 */
const SLICE = 4_096

/** An event of a stream has more than {@link MAX_EVENT} characters. */
export class EventTooLong extends Error {
  constructor() {
    super('An event of the service is too long')
  }
}

/**
 * Cuts text into server-sent events (HTML Standard, section 9.2.6). Call the returned function with
 * each piece of the text; it gives the events that end there.
 *
 * @throws {EventTooLong} after the events before the one that is too long
 */
export function createEventReader(): (text: string) => Generator<StreamEvent, void, undefined> {
  const events: StreamEvent[] = []
  let id = ''
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent(message) {
      id = message.id ?? id
      isTooLong ||= message.data.length > MAX_EVENT
      if (!isTooLong) events.push({ event: message.event ?? 'message', id, data: message.data })
    },
    onComment: () => events.push({ event: null, id, data: '' }),
    onError(error) {
      isTooLong ||= error.type === 'max-buffer-size-exceeded'
    },
  })
  return function* (text) {
    for (let from = 0; from < text.length; from += SLICE) {
      parser.feed(text.slice(from, from + SLICE))
      yield* events.splice(0)
      if (isTooLong) throw new EventTooLong()
    }
  }
}

/**
 * Reads the events of a stream. Leaving the loop ends the stream.
 *
 * @throws the error that ended the stream, the signal's reason, and {@link EventTooLong}
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader()
  const eventsIn = createEventReader()
  const decoder = new TextDecoder()
  // This also ends a read that waits.
  const leave = (): void => void reader.cancel(signal?.reason).catch(() => undefined)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      yield* eventsIn(decoder.decode(value, { stream: true }))
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    leave()
  }
}
