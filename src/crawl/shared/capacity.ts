import type { Peer } from './peers.ts'

/** Decides how many assignments are done at the same time, and by which peers. */
export interface Capacity {
  /** Maximum number of assignments at the same time, of all peers together. */
  readonly concurrency: number
  /** Sets the number of peers that take part. */
  spread(peers: number): void
  /** True if the peer may get no more assignments. */
  isFull(peer: Peer): boolean
  /** Share of its capacity that a peer uses: 1 is all of it. */
  load(peer: Peer): number
  /** True if the peer should leave a host to one with free capacity. */
  isBusy(peer: Peer): boolean
  /**
   * Gives an assignment to a peer that is not full. Returns its concurrency token. `null`: there
   * are no tokens.
   */
  take(peer: Peer): number | null
  /** Records that a peer already has an assignment with this token. */
  has(peer: Peer, token: number | null): void
  /** Records that an assignment with this token came back, or that its peer will not do it. */
  free(token: number | null): void
}

/** A fixed number of assignments for each peer. */
export class EachItsOwn implements Capacity {
  readonly #each: number
  #peers = 1

  constructor(each: number) {
    this.#each = each
  }

  get concurrency(): number {
    return this.#peers * this.#each
  }

  spread(peers: number): void {
    this.#peers = peers
  }

  isFull(peer: Peer): boolean {
    return peer.out >= peer.ahead * this.#each
  }

  load(peer: Peer): number {
    return peer.out / this.#each
  }

  isBusy(peer: Peer): boolean {
    return this.load(peer) >= 1
  }

  take(): null {
    return null
  }

  has(): void {}

  free(): void {}
}

/**
 * A fixed number of concurrency tokens for all peers together. A token belongs to one peer as long
 * as that peer has assignments with it, and the peer does those assignments one after the other. So
 * the peers need no agreement: a token is free when its last assignment is reported.
 */
export class ConcurrencyTokens implements Capacity {
  readonly concurrency: number
  readonly #free: number[]
  readonly #taken = new Map<number, { readonly peer: Peer; assignments: number }>()
  /** Tokens of a peer, if all peers have the same number. */
  #part: number

  constructor(count: number) {
    this.concurrency = count
    this.#part = count
    this.#free = Array.from({ length: count }, (_, token) => count - 1 - token)
  }

  spread(peers: number): void {
    this.#part = Math.ceil(this.concurrency / peers)
  }

  isFull(peer: Peer): boolean {
    return this.#free.length === 0 && peer.out >= peer.ahead * peer.tokens
  }

  load(peer: Peer): number {
    return peer.tokens / this.#part
  }

  isBusy(peer: Peer): boolean {
    return peer.tokens > this.#part
  }

  take(peer: Peer): number | null {
    const token = this.#free.pop() ?? this.#shortestOf(peer)
    if (token !== null) this.#add(peer, token)
    return token
  }

  has(peer: Peer, token: number | null): void {
    if (token === null) return
    const index = this.#free.indexOf(token)
    if (index >= 0) this.#free.splice(index, 1)
    this.#add(peer, token)
  }

  free(token: number | null): void {
    const holder = token === null ? undefined : this.#taken.get(token)
    if (token === null || !holder || --holder.assignments > 0) return
    this.#taken.delete(token)
    holder.peer.tokens--
    this.#free.push(token)
  }

  #add(peer: Peer, token: number): void {
    const holder = this.#taken.get(token)
    if (holder) holder.assignments++
    else {
      this.#taken.set(token, { peer, assignments: 1 })
      peer.tokens++
    }
  }

  #shortestOf(peer: Peer): number | null {
    let shortest: number | null = null
    let least = Infinity
    for (const [token, holder] of this.#taken) {
      if (holder.peer !== peer || holder.assignments >= least) continue
      shortest = token
      least = holder.assignments
    }
    return shortest
  }
}
