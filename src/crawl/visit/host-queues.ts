import { authorityOf } from '../../kernel/url.ts'

/** Something to ask a host for. */
export interface HostTask {
  readonly url: string
}

export interface HostQueuesOptions<T extends HostTask> {
  /** Returns the wait in ms until the host of a task may be asked. 0 means now. */
  readonly waitOf: (task: T) => number
  /**
   * Gives each task a number: of the hosts that may be asked, the one whose first task has the
   * least number is next. `null`: after a host has given a task, it goes to the end of the
   * hosts.
   */
  readonly rankOf: ((task: T) => number) | null
}

/**
 * The scheduler of hosts: tasks wait in a queue for each host, and it says which is next. When a
 * host may be asked is for `waitOf` to say: in a run of one process that is `Politeness`, and in a
 * shared run `HostPeers`. Whoever takes a task reserves its request before the next call.
 */
export class HostQueues<T extends HostTask> {
  /** Hosts with tasks that come before all others. */
  readonly #first = new Map<string, T[]>()
  readonly #later = new Map<string, T[]>()
  readonly #options: HostQueuesOptions<T>
  #size = 0

  constructor(options: HostQueuesOptions<T>) {
    this.#options = options
  }

  /** Number of tasks. */
  get size(): number {
    return this.#size
  }

  /** The shortest wait for a host, in ms; `Infinity`: there is no task. */
  get wait(): number {
    let shortest = Infinity
    for (const hosts of [this.#first, this.#later])
      for (const [task] of hosts.values())
        if (task) shortest = Math.min(shortest, this.#options.waitOf(task))
    return shortest
  }

  /** `isFirst`: the task comes before all tasks without it. */
  add(task: T, isFirst = false): void {
    const hosts = isFirst ? this.#first : this.#later
    const name = authorityOf(task.url)
    const queue = hosts.get(name)
    if (queue) queue.push(task)
    else hosts.set(name, [task])
    this.#size++
  }

  /** Adds a task, or returns it if it is next for its host, and the host may be asked now. */
  pass(task: T): T | null {
    const isNext = this.#size === 0 || !this.#later.has(authorityOf(task.url))
    if (isNext && this.#options.waitOf(task) === 0) return task
    this.add(task)
    return null
  }

  /** Takes the next task whose host may be asked; `null`: there is no such task for now. */
  next(): T | null {
    if (this.#size === 0) return null
    return this.#nextOf(this.#first) ?? this.#nextOf(this.#later)
  }

  #nextOf(hosts: Map<string, T[]>): T | null {
    const { waitOf, rankOf } = this.#options
    let next: { readonly name: string; readonly queue: T[]; readonly rank: number } | null = null
    for (const [name, queue] of hosts) {
      const task = queue[0]
      if (!task) continue
      const rank = rankOf?.(task) ?? 0
      if ((next !== null && rank >= next.rank) || waitOf(task) > 0) continue
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
