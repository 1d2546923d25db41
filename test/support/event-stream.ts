import { createParser } from 'eventsource-parser'
import { OWNER } from './worlds/world.ts'
import type { World } from './worlds/world.ts'

/** A server-sent event, read back. */
export interface ReadEvent {
  readonly event: string
  readonly id: string
  readonly data: ReturnType<typeof JSON.parse>
}

/** The events of a text, without comments and hints. */
export function readEvents(text: string): ReadEvent[] {
  const events: ReadEvent[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', id = '', data }) =>
      events.push({ event, id, data: JSON.parse(data) }),
  })
  parser.feed(text)
  return events
}

/** A client of one stream that reads as fast as it can. */
export interface Follower {
  readonly events: ReadEvent[]
  readonly text: () => string
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Reads a stream of events into memory. */
export function follow(response: Response): Follower {
  const reader = (response.body ?? new Blob([]).stream()).getReader()
  const decoder = new TextDecoder()
  const events: ReadEvent[] = []
  let text = ''
  const pump = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const chunk = decoder.decode(part.value)
      text += chunk
      events.push(...readEvents(chunk))
    }
  }
  return { events, text: () => text, ended: pump(), close: () => reader.cancel() }
}

/** Asks a world's platform for the events of an execution. */
export async function createAsk(
  world: World,
): Promise<
  (
    id: string,
    lastEventId?: string,
    query?: string,
    init?: RequestInit,
    platform?: World['platform'],
  ) => Promise<Response>
> {
  const { secret } = await world.platform.api.keys.create(OWNER, {
    name: 'events',
    scopes: ['executions:read'],
  })
  return async (id, lastEventId, query = '', init = {}, platform = world.platform) =>
    platform.fetch(
      new Request(`http://host.test/api/v1/executions/${id}/events${query}`, {
        ...init,
        headers: {
          'X-API-Key': secret,
          ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
        },
      }),
    )
}
