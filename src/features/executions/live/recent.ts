import { eventText } from './live-event.ts'
import type { LiveEvent } from './live-event.ts'
import type { Position } from './position.ts'

/** Events that were read together, or the last of them, ready to be sent. */
export interface Slice {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The position after them. */
  readonly to: Position
}

/** Events that are kept for readers that come a little later; others read the store. */
const MOST = 1_000
const encoder = new TextEncoder()

/**
 * The last events of an execution, written once for all who read them, and found by the position
 * before each.
 */
export class Recent {
  readonly #places = new Map<string, { readonly batch: Batch; readonly index: number }>()

  /** `to`: the position after them. */
  add(events: readonly LiveEvent[], to: Position): void {
    const batch = new Batch(events, to)
    for (const [index, { from }] of events.entries()) this.#places.set(from, { batch, index })
    for (const from of this.#places.keys()) {
      if (this.#places.size <= MOST) return
      this.#places.delete(from)
    }
  }

  /** What follows a position. `null`: it is not among these. */
  after(position: string, pages: boolean): Slice | null {
    const place = this.#places.get(position)
    return place ? place.batch.from(place.index, pages) : null
  }
}

class Batch {
  readonly #events: readonly LiveEvent[]
  readonly #to: Position
  readonly #whole = new Map<boolean, Slice>()

  constructor(events: readonly LiveEvent[], to: Position) {
    this.#events = events
    this.#to = to
  }

  from(index: number, pages: boolean): Slice {
    if (index > 0) return { bytes: bytesOf(this.#events.slice(index), pages), to: this.#to }
    const slice = this.#whole.get(pages) ?? { bytes: bytesOf(this.#events, pages), to: this.#to }
    this.#whole.set(pages, slice)
    return slice
  }
}

/** Events as they are sent; without `pages` only the moves. */
export function bytesOf(events: readonly LiveEvent[], pages: boolean): Uint8Array<ArrayBuffer> {
  return encoder.encode(
    events
      .map(({ event, id, data }) => (pages || event === 'state' ? eventText(event, id, data) : ''))
      .join(''),
  )
}
