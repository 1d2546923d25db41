import { authorityOf } from '../../kernel/url.ts'

/** A request that waits for its host. */
export interface HostRequest {
  readonly url: string
}

export interface HostQueuesOptions<T extends HostRequest> {
  /** Returns the wait in ms until the host of a request may be asked. 0 means now. */
  readonly waitOf: (request: T) => number
  /**
   * Gives each request a number. The next host is the one whose first request has the lowest
   * number. `null`: hosts take turns.
   */
  readonly rankOf: ((request: T) => number) | null
}

/**
 * The scheduler of hosts. Requests wait in a queue for each host, and the scheduler returns the
 * next one. `waitOf` decides when a host may be requested: in a run of one process it is that of
 * `Politeness`, in a shared run that of `HostPeers`. A caller that takes a request must reserve it
 * before the next call.
 */
export class HostQueues<T extends HostRequest> {
  /** Hosts with requests that come before all others. */
  readonly #first = new Map<string, T[]>()
  readonly #later = new Map<string, T[]>()
  readonly #options: HostQueuesOptions<T>
  #size = 0

  constructor(options: HostQueuesOptions<T>) {
    this.#options = options
  }

  /** Number of requests. */
  get size(): number {
    return this.#size
  }

  /** The shortest wait for a host, in ms; `Infinity`: there is no request. */
  get wait(): number {
    let shortest = Infinity
    for (const hosts of [this.#first, this.#later])
      for (const [request] of hosts.values())
        if (request) shortest = Math.min(shortest, this.#options.waitOf(request))
    return shortest
  }

  /** `isFirst`: the request comes before all requests without it. */
  add(request: T, isFirst = false): void {
    const hosts = isFirst ? this.#first : this.#later
    const name = authorityOf(request.url)
    const queue = hosts.get(name)
    if (queue) queue.push(request)
    else hosts.set(name, [request])
    this.#size++
  }

  /** Adds a request, or returns it if it is next for its host, and the host may be asked now. */
  pass(request: T): T | null {
    const isNext = this.#size === 0 || !this.#later.has(authorityOf(request.url))
    if (isNext && this.#options.waitOf(request) === 0) return request
    this.add(request)
    return null
  }

  /** Takes the next request whose host may be asked; `null`: there is no such request for now. */
  next(): T | null {
    if (this.#size === 0) return null
    return this.#nextOf(this.#first) ?? this.#nextOf(this.#later)
  }

  #nextOf(hosts: Map<string, T[]>): T | null {
    const { waitOf, rankOf } = this.#options
    let next: { readonly name: string; readonly queue: T[]; readonly rank: number } | null = null
    for (const [name, queue] of hosts) {
      const request = queue[0]
      if (!request) continue
      const rank = rankOf?.(request) ?? 0
      if ((next !== null && rank >= next.rank) || waitOf(request) > 0) continue
      next = { name, queue, rank }
      if (rankOf === null) break
    }
    if (next === null) return null
    const { name, queue } = next
    hosts.delete(name)
    if (queue.length > 1) hosts.set(name, queue)
    this.#size--
    return queue.shift() ?? null
  }
}
