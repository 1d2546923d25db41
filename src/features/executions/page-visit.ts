import type { VisitTrail } from '../../engine/visit/visit-trail.ts'
import type { VisitRecord } from './records.ts'

/** How a page was requested, on the wire. Long texts are cut, and then end with an ellipsis. */
export interface PageVisit {
  /** Requests for the page, redirects not counted. 0: robots.txt forbids it. */
  readonly tries: number
  /** The redirects of the last try, in order. */
  readonly redirects: readonly { readonly url: string; readonly status: number }[]
  /** The verdict of robots.txt on the last address that was requested. `null`: there is none. */
  readonly robots: {
    readonly url: string
    readonly allowed: boolean
    /** The rule that decides. `null`: no rule matches. */
    readonly rule: string | null
  } | null
  /** Milliseconds. `null`: not known, or nothing of that kind was done. */
  readonly timings: {
    readonly waitMs: number
    readonly dnsMs: number | null
    readonly connectMs: number | null
    readonly firstByteMs: number | null
    readonly fetchMs: number | null
    readonly renderMs: number | null
    readonly readMs: number | null
  }
  /** Some headers of the last response, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

/** Converts the trail of a page's visit to the wire. */
export function visitOf(
  { tries = 1, redirects = [], robots, ms, headers = {} }: VisitTrail,
  url: string,
): PageVisit {
  return {
    tries,
    redirects: redirects.map(([from, status]) => ({ url: from, status })),
    robots: robots
      ? { url: robots.url ?? url, allowed: robots.allowed, rule: robots.rule ?? null }
      : null,
    timings: {
      waitMs: ms.wait,
      dnsMs: ms.dns ?? null,
      connectMs: ms.connect ?? null,
      firstByteMs: ms.firstByte ?? null,
      fetchMs: ms.fetch ?? null,
      renderMs: ms.render ?? null,
      readMs: ms.read ?? null,
    },
    headers,
  }
}

const encoder = new TextEncoder()

/** Bytes of a visit's facts beside its outcome, as JSON. They count as stored by the account. */
export function visitBytes({ trail, found }: Pick<VisitRecord, 'trail' | 'found'>): number {
  return trail || found ? encoder.encode(JSON.stringify([trail, found])).length : 0
}
