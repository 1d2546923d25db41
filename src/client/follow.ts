import type { Call } from './call.ts'
import { SeineError } from './error.ts'
import type { ExecutionsResource } from './operations.ts'
import type { ClientClock } from './options.ts'
import { path } from './path.ts'
import { isPassing } from './retry-delay.ts'
import type { Execution, PageReceipt } from './types.ts'
import { parseObject } from './read-error.ts'

/** The counters of an execution. */
export type ExecutionProgress = Pick<Execution, 'counters' | 'filled' | 'errors' | 'cost'>

/** An execution without its counters. */
export type ExecutionState = Omit<Execution, keyof ExecutionProgress>

/**
 * An event of an execution. `state`: its current status, then each change. `progress`: the
 * counters, at most twice a second. `page`: the outcome of a URL. `gap`: earlier page outcomes are
 * no longer stored in order. `end`: it is finished. To continue after an event, pass its `id` as
 * `lastEventId`.
 */
export type ExecutionEvent = { readonly id: string } & (
  | { readonly event: 'state'; readonly data: ExecutionState }
  | { readonly event: 'progress'; readonly data: ExecutionProgress }
  | { readonly event: 'page'; readonly data: PageReceipt }
  | { readonly event: 'gap'; readonly data: Readonly<Record<string, never>> }
  | { readonly event: 'end'; readonly data: Execution }
)

/** Options for following an execution. */
export interface FollowOptions {
  readonly signal?: AbortSignal
}

/** Options of an execution's event stream. */
export interface EventsOptions extends FollowOptions {
  /**
   * `id` of the last event that was seen; the stream continues after it. `'0'`: it begins with the
   * first stored event. Absent: it begins now.
   */
  readonly lastEventId?: string
  /** `false`: no `page` events. */
  readonly pages?: boolean
}

/** Calls of `executions`, and methods built on them. */
export interface ExecutionsClient extends ExecutionsResource {
  /**
   * Yields the events of an execution as they happen, up to its end. A broken connection is opened
   * again, and no event is missed or repeated. After some minutes without an answer it rejects.
   *
   * @example
   *   const client = createClient({ baseUrl: 'https://data.example', apiKey: 'svc_sk_…' })
   *   for await (const { event, data } of client.executions.events('exec_1', {
   *     lastEventId: '0',
   *   })) {
   *     if (event === 'page') console.log(data.outcome, data.url)
   *   }
   */
  events(id: string, options?: EventsOptions): AsyncGenerator<ExecutionEvent, void, undefined>
  /**
   * Yields an execution as it is now, and again after each change, until it is finished. A paused
   * execution is not finished.
   *
   * @example
   *   const client = createClient({ baseUrl: 'https://data.example', apiKey: 'svc_sk_…' })
   *   for await (const { status, counters } of client.executions.follow('exec_1'))
   *     console.log(status, counters.visited)
   */
  follow(id: string, options?: FollowOptions): AsyncGenerator<Execution, void, undefined>
  /** The execution once it is finished, however it ended: check its `status`. */
  wait(id: string, options?: FollowOptions): Promise<Execution>
}

/** Waits between connections. After each connection without an event, the wait doubles. */
const FIRST_MS = 1_000
const MOST_MS = 30_000
const MOST_FAILURES = 8

/** Adds the methods built on events. */
export function withFollow(
  executions: ExecutionsResource,
  call: Call,
  clock: ClientClock,
): ExecutionsClient {
  const events: ExecutionsClient['events'] = async function* (
    id,
    { signal, lastEventId, pages } = {},
  ) {
    let last = lastEventId
    let hadAny = false
    for (let failures = 0; ; failures++) {
      try {
        const { body, response } = await call.file(
          path`/executions/${id}/events`,
          { lastEventId: last, pages },
          signal && { signal },
        )
        // The end was seen before.
        if (response.status === 204) return
        for await (const message of readEvents(body, signal)) {
          // The service sends each event with the data of its type.
          const event = message as ExecutionEvent
          last = event.id
          hadAny = true
          failures = 0
          yield event
          if (event.event === 'end') return
        }
      } catch (error) {
        signal?.throwIfAborted()
        const failure =
          error instanceof SeineError
            ? error
            : new SeineError('NETWORK_ERROR', 'The stream of events was interrupted', {
                cause: error,
              })
        if (!hadAny || !isPassing(failure) || failures >= MOST_FAILURES) throw failure
      }
      await clock.sleep(Math.min(MOST_MS, FIRST_MS * 2 ** failures), signal)
    }
  }

  const follow: ExecutionsClient['follow'] = async function* (id, options = {}) {
    let state: ExecutionState | null = null
    let progress: ExecutionProgress | null = null
    let seen = ''
    for await (const { event, data } of events(id, { ...options, pages: false })) {
      if (event === 'state') state = data
      if (event === 'progress') progress = data
      // The counters of a finished execution are in its event `end`.
      const execution =
        event === 'end'
          ? data
          : state?.finishedAt === null && progress
            ? { ...state, ...progress }
            : null
      const text = JSON.stringify(execution)
      if (execution && text !== seen) yield execution
      seen = text
    }
  }

  return {
    ...executions,
    events,
    follow,
    async wait(id, options) {
      for await (const execution of follow(id, options))
        if (execution.finishedAt !== null) return execution
      throw new TypeError('The stream of an execution ended before the event end')
    },
  }
}

/** A server-sent event whose data is a JSON object. */
interface ServerEvent {
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
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent, void, undefined> {
  // It is loaded with the first stream, because most pages that use the client read no stream.
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
