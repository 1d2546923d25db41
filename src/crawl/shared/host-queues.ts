import { authorityOf } from '../../kernel/url.ts'

/** A request that waits for its host. */
export interface HostRequest {
  readonly url: string
}

export interface HostQueuesOptions<T extends HostRequest> {
  /** Returns the wait in ms until the host of a request may be asked. 0 means now. */
  readonly waitOf: (request: T) => number
}

/**
 * The requests that a coordinator may give to its processes, in a queue for each host. Hosts take
 * turns. A caller that takes a request must reserve it before the next call.
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

  /** `isFirst`: the request comes before all requests without it. */
  add(request: T, isFirst = false): void {
    const hosts = isFirst ? this.#first : this.#later
    const name = authorityOf(request.url)
    const queue = hosts.get(name)
    if (queue) queue.push(request)
    else hosts.set(name, [request])
    this.#size++
  }

  /** Takes the next request whose host may be asked; `null`: there is no such request for now. */
  next(): T | null {
    return this.#nextOf(this.#first) ?? this.#nextOf(this.#later)
  }

  #nextOf(hosts: Map<string, T[]>): T | null {
    for (const [name, queue] of hosts) {
      const [request] = queue
      if (request === undefined || this.#options.waitOf(request) > 0) continue
      queue.shift()
      hosts.delete(name)
      if (queue.length > 0) hosts.set(name, queue)
      this.#size--
      return request
    }
    return null
  }
}
