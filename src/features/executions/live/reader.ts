import type { Clock } from '../../../ports/clock.ts'
import type { Records } from '../../records.ts'
import { eventText } from './live-event.ts'
import { positionText } from './position.ts'
import type { Position } from './position.ts'
import { readNews, bytesOf } from './news.ts'
import type { News } from './news.ts'
import type { Listener, Watcher } from './watcher.ts'
import type { Execution } from '../execution.ts'

/** Options of a reader. */
export interface ReaderOptions {
  readonly records: Records
  readonly clock: Clock
  readonly account: string
  readonly execution: string
  /** Position to continue from. `null`: start with the present state. */
  readonly from: Position | null
  /** `false`: omit `page` events. */
  readonly pages: boolean
  /**
   * Adds this reader to the execution's watcher and returns the watcher. All readers of an
   * execution share one.
   */
  readonly watch: (reader: LiveReader) => Watcher
}

/** How long a client that lost its connection waits before it reconnects, in ms. */
const RETRY_MS = 1_000
/**
 * Longest life of a stream, in ms. After it, a client must reconnect with its credential, which may
 * have been revoked in the meantime.
 */
const LONGEST_MS = 900_000
const encoder = new TextEncoder()

/**
 * Produces chunks for one client, each when it is pulled. A reader holds only a position: chunks
 * that the client has not pulled yet stay with the watcher or in the store, however slow the client
 * is.
 */
export class LiveReader implements Listener {
  readonly #options: ReaderOptions
  #watcher: Watcher | null = null
  #at: Position
  #begunAt = 0
  #serial = 0
  #beats = 0
  /** The watcher's position when the store had no further events for this reader. */
  #lookedAt = ''
  #closed = false
  #wake: () => void = () => {}

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#at = options.from ?? { settled: 0, taken: 0, move: 0 }
  }

  /** The next bytes; `null` at the end. */
  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    const watcher = this.#watcher
    if (!watcher) return this.#closed ? null : this.#begin()
    while (!this.#closed) {
      const round = watcher.wakes
      const chunk = this.#counted(watcher) ?? this.#recent(watcher) ?? (await this.#missed(watcher))
      if (chunk && chunk.length > 0) return chunk
      if (chunk || round !== watcher.wakes) continue
      if (watcher.ended && positionText(this.#at) === watcher.tail) return this.#end(watcher)
      if (watcher.closed || this.#options.clock.now() - this.#begunAt >= LONGEST_MS) break
      if (this.#beats !== watcher.beats) {
        this.#beats = watcher.beats
        return encoder.encode(':\n\n')
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    this.close()
    return null
  }

  wake(): void {
    this.#wake()
  }

  /** Ends the stream, even while it waits. Idempotent. */
  close(): void {
    this.#closed = true
    this.#watcher?.leave(this)
    this.#wake()
  }

  async #begin(): Promise<Uint8Array<ArrayBuffer>> {
    const { clock, from, watch } = this.#options
    const watcher = watch(this)
    this.#watcher = watcher
    this.#begunAt = clock.now()
    await watcher.ready()
    this.#beats = watcher.beats
    const hint = `retry: ${RETRY_MS}\n\n`
    if (from) return encoder.encode(hint)
    this.#at = watcher.at
    return encoder.encode(hint + eventText('state', watcher.tail, watcher.state))
  }

  #counted(watcher: Watcher): Uint8Array<ArrayBuffer> | null {
    if (this.#serial === watcher.serial) return null
    this.#serial = watcher.serial
    return encoder.encode(eventText('progress', positionText(this.#at), watcher.progress))
  }

  #recent({ recent }: Watcher): Uint8Array<ArrayBuffer> | null {
    const slice = recent.after(positionText(this.#at), this.#options.pages)
    if (!slice) return null
    this.#at = slice.to
    return slice.bytes
  }

  /**
   * Reads from the store the events that the watcher has dropped. `null`: the reader has read all
   * that the store has.
   */
  async #missed(watcher: Watcher): Promise<Uint8Array<ArrayBuffer> | null> {
    const { tail } = watcher
    if (positionText(this.#at) === tail || this.#lookedAt === tail) return null
    const { records, account, execution, pages } = this.#options
    const news = await readNews(records, account, execution, this.#at, pages)
    if (!news) {
      this.close()
      return null
    }
    if (news.next.settled > news.progress.settled) return this.#astray(news)
    if (news.whole && news.events.length === 0) this.#lookedAt = tail
    this.#at = news.next
    return bytesOf(news.events, pages)
  }

  /** Sends a gap for a position beyond the end of the history: this store did not issue it. */
  #astray({ progress, execution }: News): Uint8Array<ArrayBuffer> {
    this.#at = { settled: progress.settled, taken: 0, move: execution.updatedAt }
    return encoder.encode(eventText('gap', positionText(this.#at), {}))
  }

  #end(watcher: Watcher): Uint8Array<ArrayBuffer> {
    const bytes = encoder.encode(eventText('end', `${watcher.tail}.end`, watcher.execution))
    this.close()
    return bytes
  }
}

/**
 * Calls back with the watched execution's state, and again whenever its counters or its status have
 * changed. Resolves when the execution has ended, or when the signal aborts.
 */
export async function observe(
  watcher: Watcher,
  signal: AbortSignal,
  seen: (execution: Execution) => void,
): Promise<void> {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  let last = ''
  const listener: Listener = {
    wake() {
      if (watcher.closed) return end()
      const { execution } = watcher
      const now = `${watcher.serial} ${execution.status}`
      if (now !== last) seen(execution)
      last = now
      if (watcher.ended) end()
    },
  }
  const leave = (): void => end()
  signal.addEventListener('abort', leave)
  watcher.join(listener)
  try {
    await Promise.race([watcher.ready(), over])
    if (signal.aborted) return
    listener.wake()
    await over
  } finally {
    signal.removeEventListener('abort', leave)
    watcher.leave(listener)
  }
}
