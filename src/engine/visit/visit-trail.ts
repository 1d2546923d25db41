import type { EgressHop } from '../egress/types.ts'
import type { RobotsAnswer } from '../site/robots.ts'

/** Facts of a visit beside its outcome. They are few, so that a receipt can keep them. */
export interface VisitTrail {
  /** Number of requests for the page, without redirects. Absent: one. */
  readonly tries?: number
  /** The redirects of the last try, in order. Absent: none. */
  readonly redirects?: readonly (readonly [url: string, status: number])[]
  /** The verdict of robots.txt on the last address that was requested. Absent: there is none. */
  readonly robots?: RobotsVerdict
  readonly ms: VisitTimes
  /**
   * Headers of the last response that are in {@link TOLD_HEADERS}. Absent: it had none of them, or
   * there was no response.
   */
  readonly headers?: Readonly<Record<string, string>>
}

/** The judgement of a robots.txt. */
export interface RobotsVerdict {
  readonly allowed: boolean
  /** The line that decides. Absent: no line matches the address. */
  readonly rule?: string
  /** The address, if it is the address of a redirect and not of the page. */
  readonly url?: string
}

/** Whole milliseconds. Absent: not known, or nothing of that kind was done. */
export interface VisitTimes {
  /** Before the last request: reading robots.txt, earlier tries and the pauses after them. */
  readonly wait: number
  /** Finding the address of the host. */
  readonly dns?: number
  /** The handshakes of TCP and TLS. */
  readonly connect?: number
  /** From the request to the head of its response. */
  readonly firstByte?: number
  /** The last request with its redirects, to the end of the body. */
  readonly fetch?: number
  /** In the browser, including the wait for it. */
  readonly render?: number
  /** Reading the page: its rows and links, also by a model. */
  readonly read?: number
}

/** Headers of a response that are recorded. None of them is a secret, as a cookie would be. */
export const TOLD_HEADERS = [
  'content-type',
  'content-length',
  'content-encoding',
  'last-modified',
  'etag',
  'cache-control',
  'server',
  'retry-after',
] as const

/** Maximum number of characters of a recorded text. A cut text ends with an ellipsis. */
const MOST_URL = 250
const MOST_TEXT = 100
/** The limit on redirects of a page request. */
const MOST_REDIRECTS = 10

/** Maximum number of bytes of a trail as JSON. */
export const MOST_TRAIL_BYTES = 6_000

/** Records the facts of the visit of a page. */
export class VisitNotes {
  readonly #url: string
  #tries = 0
  #redirects: (readonly [string, number])[] = []
  /** The verdict on the page's address. Each try begins with it. */
  #ownRobots: RobotsVerdict | null = null
  #robots: RobotsVerdict | null = null
  #response: EgressHop | null = null
  #sentAt = 0
  #fetchMs: number | null = null
  #renderMs: number | null = null

  /** `url`: the page's address. */
  constructor(url: string) {
    this.#url = url
  }

  /** Adds the verdict of robots.txt on the page's address, and later on the addresses of redirects. */
  judged(url: string, answer: RobotsAnswer): void {
    this.#robots = this.#verdictOf(url, answer)
    if (this.#tries === 0) this.#ownRobots = this.#robots
  }

  /** `null`: the file could not be read, so there is no verdict. */
  #verdictOf(url: string, answer: RobotsAnswer): RobotsVerdict | null {
    if (!answer.allowed && answer.reason === 'unreachable') return null
    const { allowed, rule } = answer
    return {
      allowed,
      ...(rule !== undefined && { rule: short(rule, MOST_TEXT) }),
      ...(url !== this.#url && { url: short(url, MOST_URL) }),
    }
  }

  /** Called when a request begins. The facts of an earlier request are dropped. */
  sent(now: number): void {
    this.#tries++
    this.#robots = this.#ownRobots
    this.#redirects = []
    this.#response = null
    this.#sentAt = now
  }

  /** Called when a response has come. */
  came(hop: EgressHop): void {
    if (!hop.leadsOn) this.#response = hop
    else if (this.#redirects.length < MOST_REDIRECTS)
      this.#redirects.push([short(hop.url, MOST_URL), hop.status])
  }

  /** The request has ended, with or without a response. */
  ended(now: number): void {
    this.#fetchMs = now - this.#sentAt
  }

  rendered(ms: number): void {
    this.#renderMs = ms
  }

  /**
   * The facts of a visit that a receipt keeps, with the time between two moments. `null`: nothing
   * was requested.
   */
  trail(startedAt: number, endedAt: number): VisitTrail | null {
    const isSent = this.#tries > 0
    if (!isSent && this.#robots === null) return null
    const { dnsMs, connectMs, firstByteMs, headers = {} } = this.#response ?? {}
    const shown = TOLD_HEADERS.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, short(value, MOST_TEXT)] as const]
    })
    const wait = (isSent ? this.#sentAt : endedAt) - startedAt
    const web = wait + (this.#fetchMs ?? 0) + (this.#renderMs ?? 0)
    return {
      ...(this.#tries !== 1 && { tries: this.#tries }),
      ...(this.#redirects.length > 0 && { redirects: this.#redirects }),
      ...(this.#robots && { robots: this.#robots }),
      ms: {
        wait: whole(wait),
        ...(dnsMs !== undefined && { dns: whole(dnsMs) }),
        ...(connectMs !== undefined && { connect: whole(connectMs) }),
        ...(firstByteMs !== undefined && { firstByte: whole(firstByteMs) }),
        ...(this.#fetchMs !== null && { fetch: whole(this.#fetchMs) }),
        ...(this.#renderMs !== null && { render: whole(this.#renderMs) }),
        ...(isSent && { read: whole(endedAt - startedAt - web) }),
      },
      ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
    }
  }
}

/** A clock may be set back. */
function whole(ms: number): number {
  return Math.max(0, Math.round(ms))
}

/** Control characters are removed, because each would take six bytes and has no meaning here. */
function short(text: string, most: number): string {
  const clean = text.replace(/[\p{Cc}]/gu, ' ')
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).toWellFormed()}…`
}
