import { SeineError } from './error.ts'
import { parseObject } from './read-error.ts'

/** A server-sent event whose data is a JSON object. */
export interface ServerEvent {
  readonly event: string
  /** Position after it. */
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Reads the events of a stream whose data are JSON objects. Leaving the loop ends the stream.
 *
 * @throws the error that ended the stream; `UNEXPECTED_RESPONSE` for an event that is too long
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent, void, undefined> {
  // Loaded with the first stream: most pages that use the client read none.
  const reader = await import('../kernel/http/event-reader.ts')
  try {
    for await (const { event, id, data } of reader.readEvents(body, signal)) {
      const object = event === null ? null : parseObject(data)
      if (event !== null && object) yield { event, id, data: object }
    }
  } catch (error) {
    if (!(error instanceof reader.EventTooLong)) throw error
    throw new SeineError(
      'UNEXPECTED_RESPONSE',
      `An event has more than ${reader.MAX_EVENT} characters`,
      { status: 200 },
    )
  }
}
