import type { Politeness } from '../../engine/site/politeness.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import { Heap } from '../../kernel/table/heap.ts'
import { authorityOf } from '../../kernel/url.ts'
import type { Clock } from '../../ports/clock.ts'
import { bytesOfPage, HostPages } from './host-pages.ts'

const MIB = 1_024 * 1_024
/** Up to so many bytes, all waiting pages are in memory; above, the first ones of each host are. */
const ROOMY = 24 * MIB
/** With so many bytes of waiting pages and hosts, no more are met. */
const MOST_BYTES = 48 * MIB
const BYTES_OF_HOST = 400
/** Pages of a host that stay in memory above `ROOMY`, and those that are read when they run low. */
const FEW_PAGES = 2
const PAGES_READ = 4
/** Below `ROOMY`, the hosts of one read share so many pages. */
const MOST_READ = 1_000
/** Pages in parts of their own that only the store has. */
const MOST_PARTS = 500_000
/** With so many waiting pages since the last new host, no more are met until some are taken. */
const MOST_SINCE = 20_000
/** Hosts whose robots.txt is known, above which they are forgotten. */
const MOST_KNOWN = 100_000
/** Hosts that run low together are read together. */
const LOW = 100
/** Hosts of one read. */
const HOSTS_READ = 250

/** Options of {@link WaitingPages}. */
export interface WaitingPagesOptions {
  readonly politeness: Politeness
  readonly clock: Clock
  /**
   * Hosts whose delay is known before their first page. The first page of another one is visited
   * alone, because its robots.txt may name a delay. `null`: no host names one.
   */
  readonly knownHosts: Iterable<string> | null
}

/**
 * The pages of a run that wait until their hosts may be asked. The next page is the first in the
 * order of discovery whose host may be asked. Memory holds the first pages of each host. The others
 * are read from the store when their host runs low.
 */
export class WaitingPages {
  readonly #politeness: Politeness
  readonly #clock: Clock
  readonly #known: Set<string> | null
  readonly #hosts = new Map<string, HostPages>()
  /** Hosts that could be asked when they came here, by the number of their first page. */
  readonly #ready = new Heap<HostPages>()
  /** Hosts that must not be asked, by the time when they may be asked. */
  readonly #resting = new Heap<HostPages>()
  /** Hosts whose first page is visited alone, with the number of that page. */
  readonly #alone = new Map<string, number>()
  /** Hosts with few pages in memory and more in the store. */
  readonly #low = new Set<HostPages>()
  /** True if one of these has no page in memory. */
  #isDry = false
  #size = 0
  #bytes = 0
  #parts = 0
  /** Pages that came to wait since the last new host, less those that wait no longer. */
  #since = 0

  constructor({ politeness, clock, knownHosts }: WaitingPagesOptions) {
    this.#politeness = politeness
    this.#clock = clock
    this.#known = knownHosts && new Set(knownHosts)
  }

  /** Number of waiting pages, in memory and in the store. */
  get size(): number {
    return this.#size
  }

  /** True if no more pages should come to wait. */
  get isFull(): boolean {
    return this.#bytes >= MOST_BYTES || this.#parts >= MOST_PARTS || this.#since >= MOST_SINCE
  }

  /** The shortest wait for a host, in ms; `Infinity`: no page waits for a time. */
  get wait(): number {
    if (this.#ready.size > 0) return 0
    for (let host = this.#resting.peek(); host; host = this.#resting.peek()) {
      const wait = this.#waitOf(host)
      // A pause, or a request for media, may have come since the host was put here.
      if (wait <= this.#resting.lowest - this.#clock.now() + 1) return wait
      this.#placeAgain(this.#resting)
    }
    return Infinity
  }

  /** True if pages should be read from the store now. */
  get isLow(): boolean {
    return this.#isDry || this.#low.size >= LOW
  }

  /** Takes a page whose host may be asked now and has no pages that wait; else the page waits. */
  pass(page: FrontierRecord): FrontierRecord | null {
    const name = authorityOf(page.url)
    if (
      !this.#hosts.has(name) &&
      !this.#alone.has(name) &&
      this.#politeness.nextDelay(page.url) === 0
    ) {
      this.#reserve(name, page)
      return page
    }
    this.#add(name, page)
    return null
  }

  /** Takes the next page whose host may be asked, and reserves the request; `null`: there is none. */
  next(): FrontierRecord | null {
    const now = this.#clock.now()
    while (this.#resting.lowest <= now) this.#placeAgain(this.#resting)
    for (let host = this.#ready.peek(); host; host = this.#ready.peek()) {
      if (this.#waitOf(host) > 0) this.#placeAgain(this.#ready)
      else return this.#take(host)
    }
    return null
  }

  /** The visit of a page is over. Returns true if pages of its host have waited for that. */
  visited({ url, seq }: FrontierRecord): boolean {
    const name = authorityOf(url)
    if (this.#alone.get(name) !== seq) return false
    this.#alone.delete(name)
    if (this.#known && this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known?.add(name)
    const host = this.#hosts.get(name)
    if (host) this.#place(host)
    return host !== undefined
  }

  /** True if the end of a page's visit matters to its host. */
  isAlone({ url, seq }: FrontierRecord): boolean {
    return this.#alone.size > 0 && this.#alone.get(authorityOf(url)) === seq
  }

  /** Reads pages of the hosts that run low. `read` returns `null` for a page that is gone. */
  async fill(
    read: (seqs: readonly number[]) => Promise<readonly (FrontierRecord | null)[]>,
  ): Promise<void> {
    const hosts = [...this.#low].slice(0, HOSTS_READ)
    const most = this.#mostOfHost(hosts.length)
    const numbers: number[] = []
    const owners: HostPages[] = []
    for (const host of hosts) {
      this.#low.delete(host)
      host.isRead = true
      const { seqs, parts } = host.takeNumbers(most)
      this.#parts -= parts
      for (const seq of seqs) {
        numbers.push(seq)
        owners.push(host)
      }
    }
    const pages = await read(numbers)
    for (const [index, host] of owners.entries()) {
      const page = pages[index]
      if (page) this.#keep(host, page)
      else this.#leaves()
    }
    this.#isDry = false
    for (const host of hosts) {
      host.isRead = false
      this.#settle(host)
    }
    for (const host of this.#low) if (host.length === 0) this.#isDry = true
  }

  #add(name: string, page: FrontierRecord): void {
    let host = this.#hosts.get(name)
    if (!host) {
      this.#hosts.set(name, (host = new HostPages(name)))
      this.#bytes += BYTES_OF_HOST
      this.#since = 0
    }
    this.#size++
    this.#since++
    const isRoomy = this.#bytes < ROOMY || (host.length < FEW_PAGES && this.#bytes < MOST_BYTES)
    if (isRoomy && !host.hasMore && !host.isRead) this.#keep(host, page)
    else if (host.leave(page.seq)) this.#parts++
    this.#settle(host)
  }

  #keep(host: HostPages, page: FrontierRecord): void {
    host.push(page)
    this.#bytes += bytesOfPage(page)
  }

  /** A page waits no longer. */
  #leaves(): void {
    this.#size--
    this.#since = Math.max(0, this.#since - 1)
  }

  /** How many pages of each of these hosts are read at once. */
  #mostOfHost(hosts: number): number {
    if (this.#bytes >= MOST_BYTES) return 1
    return this.#bytes >= ROOMY ? PAGES_READ : Math.floor(MOST_READ / hosts)
  }

  /** Takes the first page of the first host that is ready. */
  #take(host: HostPages): FrontierRecord | null {
    this.#ready.pop()
    host.isPlaced = false
    const page = host.shift()
    if (!page) return null
    this.#leaves()
    this.#bytes -= bytesOfPage(page)
    this.#reserve(host.name, page)
    this.#settle(host)
    return page
  }

  /** Gives a host whose pages have changed its place, has more of them read, or forgets it. */
  #settle(host: HostPages): void {
    if (host.length > 0) this.#place(host)
    else if (!host.hasMore && !host.isRead) {
      this.#hosts.delete(host.name)
      this.#bytes -= BYTES_OF_HOST
    }
    if (host.isRead || !host.hasMore || host.length >= FEW_PAGES) return
    this.#low.add(host)
    if (host.length === 0) this.#isDry = true
  }

  #reserve(name: string, page: FrontierRecord): void {
    this.#politeness.reserve(page.url)
    if (this.#known?.has(name) === false) this.#alone.set(name, page.seq)
  }

  #waitOf({ first }: HostPages): number {
    return first ? this.#politeness.nextDelay(first.url) : Infinity
  }

  /** Puts a host among those that are ready or rest, unless its first page is still visited. */
  #place(host: HostPages): void {
    const { first } = host
    if (!first || host.isPlaced || this.#alone.has(host.name)) return
    host.isPlaced = true
    const wait = this.#waitOf(host)
    if (wait > 0) this.#resting.push(host, this.#clock.now() + wait)
    else this.#ready.push(host, first.seq)
  }

  /** Puts the first host of a heap where it belongs now. */
  #placeAgain(heap: Heap<HostPages>): void {
    const host = heap.pop()
    if (!host) return
    host.isPlaced = false
    this.#place(host)
  }
}
