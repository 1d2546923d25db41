import { createClient, type Client, type ClientOptions } from 'seine/client'
import { createFakeClock, type FakeClock } from '../support/fakes/fake-clock.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

/** The reaction of the service to a try: it answers, breaks the connection, or never answers. */
export type Turn = Response | 'broken' | 'silent' | ((request: Request) => Response)

/** A client whose service follows a script; the last reaction is repeated. */
export interface Scripted {
  readonly client: Client
  readonly clock: FakeClock
  /** The tries, with the time from the start in ms. */
  readonly tries: { readonly at: number; readonly request: Request; readonly body: string }[]
}

/** `options` override the others. Each wait is half of the bound of its backoff. */
export function createScripted(
  turns: readonly Turn[],
  options: Partial<ClientOptions> = {},
): Scripted {
  const clock = createFakeClock()
  const start = clock.now()
  const tries: Scripted['tries'] = []
  const random = seededRandom()
  const client = createClient({
    baseUrl: 'https://data.example',
    clock,
    // The client asks for two bytes for a jitter, and for more bytes for a key.
    random: (length) => (length === 2 ? Uint8Array.of(0x80, 0) : random(length)),
    async fetch(request) {
      const turn = turns[Math.min(tries.length, turns.length - 1)]
      tries.push({ at: clock.now() - start, request, body: await request.clone().text() })
      if (turn === 'broken') throw new TypeError('fetch failed')
      if (turn === undefined || turn === 'silent') return new Promise<Response>(() => undefined)
      return typeof turn === 'function' ? turn(request) : turn.clone()
    },
    ...options,
  })
  return { client, clock, tries }
}

/** A success. */
export const done = (data: object = { id: 'task_1' }): Response =>
  Response.json({ success: true, data })

/** A failure in the envelope. */
export const failed = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Response =>
  Response.json({ success: false, error: { code, message: 'no' } }, { status, headers })
