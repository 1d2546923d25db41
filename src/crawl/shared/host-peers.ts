import type { HostTiming, Politeness } from '../../engine/site/politeness.ts'
import { authorityOf } from '../../kernel/url.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HostRequest } from './host-queues.ts'
import type { Capacity } from './capacity.ts'
import type { Peer } from './peers.ts'

/** A request that any of several processes may make. */
interface PeerRequest extends HostRequest {
  /** The only peer that may make it. Absent: any peer may. */
  readonly only?: Peer
}

interface Host {
  /** The peer that has requests for this host. `null`: no peer has any. */
  peer: Peer | null
  /** Number of those requests. */
  out: number
  /** When this host may be asked again, in Unix milliseconds. */
  next: number
  /** Least time between its requests; `null`: unknown until its first request is done. */
  spacing: number | null
}

interface HostPeersOptions {
  readonly capacity: Capacity
  /** This process. */
  readonly here: Peer
  /** Timings of hosts, from this process's own requests and from an earlier part of the run. */
  readonly politeness: Politeness
  readonly clock: Clock
}

const MAX_HOSTS = 10_000

/**
 * Decides which peer may request a host, and when. A host belongs to one peer as long as that peer
 * has a request for it. The times of a helper's requests are known only from its reports.
 */
export class HostPeers {
  readonly #options: HostPeersOptions
  readonly #hosts = new Map<string, Host>()
  /** Number of hosts above which idle ones are forgotten. */
  #mostHosts = MAX_HOSTS
  #peers: readonly Peer[] = []

  constructor(options: HostPeersOptions) {
    this.#options = options
    this.arrange([])
  }

  /** True if a peer may get more requests. */
  get hasRoom(): boolean {
    return this.#peers.some((peer) => !this.#options.capacity.isFull(peer))
  }

  /** Sets the helpers that take part. */
  arrange(helpers: Iterable<Peer>): void {
    const { here, capacity } = this.#options
    this.#peers = [here, ...helpers]
    capacity.spread(this.#peers.length)
  }

  /**
   * Returns the wait in ms: 0 if the host of a request may be asked now; `Infinity` if the time is
   * not known yet.
   */
  waitOf(request: PeerRequest): number {
    return this.#peerFor(request) === null ? Infinity : 0
  }

  /** Gives a request whose host may be asked now to a peer, with a concurrency token. */
  give(request: PeerRequest): { readonly peer: Peer; readonly token: number | null } {
    const { capacity, here, politeness } = this.#options
    const peer = this.#peerFor(request)
    if (peer === null) throw new Error('The host of a request may not be asked now')
    if (peer === here) politeness.reserve(request.url)
    this.#give(request.url, peer)
    return { peer, token: capacity.take(peer) }
  }

  /** Records a request that a peer already has. */
  has(peer: Peer, url: string, token: number | null): void {
    this.#give(url, peer)
    this.#options.capacity.has(peer, token)
  }

  /** Records that a request came back. */
  done(url: string, token: number | null, timing: HostTiming): void {
    const host = this.#open(url)
    host.next = Math.max(host.next, timing.next)
    host.spacing = timing.spacing
    this.#take(host, token)
  }

  /**
   * Records a host's times from an earlier report. Later requests to the host may still be in
   * progress.
   */
  rests(url: string, timing: HostTiming): void {
    const host = this.#open(url)
    host.next = Math.max(host.next, timing.next)
    host.spacing = Math.max(host.spacing ?? 0, timing.spacing)
  }

  /** Records that a request will not be made, because its peer is gone or it has failed. */
  lost(url: string, token: number | null): void {
    const { clock, politeness } = this.#options
    const host = this.#open(url)
    const spacing = host.spacing ?? politeness.timingOf(url).spacing
    host.next = Math.max(host.next, clock.now() + spacing)
    this.#take(host, token)
  }

  #give(url: string, peer: Peer): void {
    const host = this.#open(url)
    if (host.out++ === 0) {
      host.peer = peer
      peer.hosts++
    }
    peer.out++
  }

  #take(host: Host, token: number | null): void {
    this.#options.capacity.free(token)
    const { peer } = host
    if (peer === null) return
    peer.out--
    if (--host.out > 0) return
    peer.hosts--
    host.peer = null
  }

  /** Returns the peer that may make a request now; `null`: no peer may. */
  #peerFor({ url, only }: PeerRequest): Peer | null {
    const { capacity, clock, politeness } = this.#options
    const host = this.#open(url)
    if (host.next > clock.now() || (host.out > 0 && host.spacing !== 0)) return null
    if (politeness.nextDelay(url) > 0) return null
    const peer = only ?? host.peer ?? this.#roomiest()
    if (peer === null || capacity.isFull(peer)) return null
    if (host.peer !== null && (host.peer !== peer || (!only && this.#isLeaving(peer)))) return null
    return peer
  }

  #roomiest(): Peer | null {
    const { capacity } = this.#options
    let best: Peer | null = null
    for (const peer of this.#peers) {
      if (capacity.isFull(peer)) continue
      const less =
        best === null ? -1 : capacity.load(peer) - capacity.load(best) || peer.hosts - best.hosts
      if (less < 0) best = peer
    }
    return best
  }

  /**
   * True if a host of this peer should move once its requests are done. The peer is busy and has
   * several hosts, while another peer is less than half loaded.
   */
  #isLeaving(peer: Peer): boolean {
    const { capacity } = this.#options
    return (
      peer.hosts > 1 &&
      capacity.isBusy(peer) &&
      this.#peers.some((other) => other !== peer && capacity.load(other) < 0.5)
    )
  }

  #open(url: string): Host {
    const name = authorityOf(url)
    let host = this.#hosts.get(name)
    if (!host) {
      if (this.#hosts.size >= this.#mostHosts) this.#forgetIdle()
      this.#hosts.set(name, (host = { peer: null, out: 0, next: 0, spacing: null }))
    }
    return host
  }

  /**
   * Forgets idle hosts whose pause is over. A forgotten host gets one request at a time until its
   * pause is known again. The next check is when there are twice as many hosts as remain.
   */
  #forgetIdle(): void {
    const now = this.#options.clock.now()
    for (const [name, host] of this.#hosts)
      if (host.out === 0 && host.next <= now) this.#hosts.delete(name)
    this.#mostHosts = Math.max(MAX_HOSTS, 2 * this.#hosts.size)
  }
}
