import { authorityOf } from '../../kernel/url.ts'
import type { Capacity, WorkerPlace } from './capacity.ts'

interface Host<P, T> {
  readonly first: T[]
  readonly later: T[]
  /** The peer that has pages of this host; `null`: none has. */
  place: P | null
  out: number
  /** When this host may be asked again. */
  next: number
  /** Least time between its requests; `null`: unknown until its first page is done. */
  spacing: number | null
}

/** When a host may be asked again, and the least time between requests to it. */
export interface HostTurn {
  readonly next: number
  readonly spacing: number
}

/** Something to fetch. */
interface Queued<P> {
  readonly url: string
  /** The only peer that may do it; absent: any peer may. */
  readonly only?: P
}

const MAX_HOSTS = 10_000

/**
 * Queues of tasks by host. A host belongs to one peer as long as that peer has a task of it. Times
 * are Unix milliseconds.
 */
export class HostQueues<P extends WorkerPlace, T extends Queued<P>> {
  /**
   * Hosts with tasks that come before all others. Hosts take turns: after a host has given a task,
   * it goes to the end.
   */
  readonly #first = new Map<string, Host<P, T>>()
  readonly #later = new Map<string, Host<P, T>>()
  readonly #hosts = new Map<string, Host<P, T>>()
  readonly #capacity: Capacity<P>
  readonly #firstTurn: number

  /** `firstTurn`: no host is asked before this time. */
  constructor(capacity: Capacity<P>, firstTurn: number) {
    this.#capacity = capacity
    this.#firstTurn = firstTurn
  }

  /** `isFirst`: the task comes before all tasks without it. */
  add(task: T, isFirst = false): void {
    const name = authorityOf(task.url)
    const host = this.#open(name)
    const [queue, waiting] = isFirst ? [host.first, this.#first] : [host.later, this.#later]
    queue.push(task)
    waiting.set(name, host)
  }

  /** Records a task that a peer already has. */
  has(place: P, url: string): void {
    this.#give(this.#open(authorityOf(url)), place)
  }

  /** Takes the next task that may be given out; `null`: there is none for now. */
  next(places: readonly P[], now: number): { readonly task: T; readonly place: P } | null {
    if (places.every((place) => this.#capacity.isFull(place))) return null
    return (
      this.#nextOf(this.#first, 'first', places, now) ??
      this.#nextOf(this.#later, 'later', places, now)
    )
  }

  #nextOf(
    waiting: Map<string, Host<P, T>>,
    line: 'first' | 'later',
    places: readonly P[],
    now: number,
  ): { readonly task: T; readonly place: P } | null {
    for (const [name, host] of waiting) {
      if (host.next > now || (host.out > 0 && host.spacing !== 0)) continue
      const queue = host[line]
      const only = queue[0]?.only
      const place =
        only === undefined ? this.#placeFor(host, places) : this.#isOpen(host, only) ? only : null
      if (place === null) continue
      const task = queue.shift()
      waiting.delete(name)
      if (!task) continue
      if (queue.length > 0) waiting.set(name, host)
      this.#give(host, place)
      return { task, place }
    }
    return null
  }

  /** Records that a task came back, or that its peer will not do it. */
  done(url: string, { next, spacing }: HostTurn): void {
    const host = this.#open(authorityOf(url))
    host.next = Math.max(host.next, next)
    host.spacing = spacing
    this.#take(host)
  }

  /** Records a host's turn from an earlier report; later tasks of the host may still be out. */
  rests(url: string, { next, spacing }: HostTurn): void {
    const host = this.#open(authorityOf(url))
    host.next = Math.max(host.next, next)
    host.spacing = Math.max(host.spacing ?? 0, spacing)
  }

  /** Records that a peer is gone and this task with it. */
  lost(url: string, now: number): void {
    const host = this.#open(authorityOf(url))
    host.next = Math.max(host.next, now + (host.spacing ?? 0))
    this.#take(host)
  }

  #give(host: Host<P, T>, place: P): void {
    if (host.out++ === 0) {
      host.place = place
      place.hosts++
    }
    place.out++
  }

  #take(host: Host<P, T>): void {
    const { place } = host
    if (place === null) return
    place.out--
    if (--host.out > 0) return
    place.hosts--
    host.place = null
  }

  #placeFor({ place }: Host<P, T>, places: readonly P[]): P | null {
    return place === null ? this.#roomiest(places) : this.#keeps(place, places)
  }

  #isOpen({ place }: Host<P, T>, wanted: P): boolean {
    return (place === null || place === wanted) && !this.#capacity.isFull(wanted)
  }

  #roomiest(places: readonly P[]): P | null {
    const capacity = this.#capacity
    let best: P | null = null
    for (const place of places) {
      if (capacity.isFull(place)) continue
      const less =
        best === null ? -1 : capacity.load(place) - capacity.load(best) || place.hosts - best.hosts
      if (less < 0) best = place
    }
    return best
  }

  /**
   * Returns the peer that has the host. Returns `null` if that peer is full, or if it has several
   * hosts while another is less than half loaded: then the host finishes its tasks and moves.
   */
  #keeps(place: P, places: readonly P[]): P | null {
    const capacity = this.#capacity
    if (capacity.isFull(place)) return null
    if (
      place.hosts > 1 &&
      capacity.isBusy(place) &&
      places.some((other) => other !== place && capacity.load(other) < 0.5)
    )
      return null
    return place
  }

  #open(name: string): Host<P, T> {
    let host = this.#hosts.get(name)
    if (!host) {
      if (this.#hosts.size >= MAX_HOSTS) this.#forgetIdle()
      this.#hosts.set(
        name,
        (host = {
          first: [],
          later: [],
          place: null,
          out: 0,
          next: this.#firstTurn,
          spacing: null,
        }),
      )
    }
    return host
  }

  /** Forgets idle hosts that need no pause: nothing about them has to be remembered. */
  #forgetIdle(): void {
    for (const [name, host] of this.#hosts)
      if (
        host.out === 0 &&
        host.first.length === 0 &&
        host.later.length === 0 &&
        host.spacing === 0
      )
        this.#hosts.delete(name)
  }
}
