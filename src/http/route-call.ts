import type { BaseUrlOf, Forwarded } from '../kernel/http/base-url.ts'
import { requestOf, turnToParse } from '../kernel/http/message.ts'
import type { Incoming, RequestHeaders } from '../kernel/http/message.ts'
import type { RouteInput, Principal, AnyRoute } from '../kernel/http/route.ts'
import type { Preconditions } from '../kernel/preconditions.ts'
import { PlatformError } from '../kernel/errors.ts'
import type { Digest } from '../kernel/crypto.ts'
import { etagOf, ifMatch } from '../kernel/http/headers.ts'
import type { AuditEntry } from './audit-trail.ts'
import type { Attempt } from './idempotency.ts'
import type { Answer } from './respond.ts'

/** The parts of a request that were read. */
interface CallParts {
  readonly incoming: Incoming
  readonly forwarded: Forwarded | undefined
  readonly baseUrlOf: BaseUrlOf
  readonly requestId: string
  readonly principal: Principal
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** In bytes; 0: there is none, or it was parsed elsewhere. */
  readonly bodyLength: number
}

/** The call that a handler receives. Few handlers need the `Request`, so it is created on first use. */
export class RouteCall implements RouteInput<unknown, unknown, unknown> {
  readonly principal: Principal
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly requestId: string
  readonly preconditions: Preconditions
  readonly #parts: CallParts

  constructor(parts: CallParts, preconditions: Preconditions = NO_PRECONDITIONS) {
    this.principal = parts.principal
    this.params = parts.params
    this.query = parts.query
    this.body = parts.body
    this.requestId = parts.requestId
    this.preconditions = preconditions
    this.#parts = parts
  }

  get request(): Request {
    return requestOf(this.#parts.incoming)
  }

  get headers(): RequestHeaders {
    return this.#parts.incoming.headers
  }

  get base(): string {
    const { baseUrlOf, incoming, forwarded } = this.#parts
    return baseUrlOf(incoming.url, forwarded)
  }

  get signal(): AbortSignal {
    return this.#parts.incoming.signal
  }

  get holdsStream(): boolean {
    const { incoming } = this.#parts
    return 'holdsStream' in incoming && incoming.holdsStream === true
  }

  /**
   * A turn that no other long work has, for the next step with a large body: each step that reads
   * or writes it whole takes milliseconds, and other calls would wait for the sum of the steps.
   * `null`: the body is not large.
   */
  turnOfBody(): Promise<void> | null {
    return turnToParse({ length: this.#parts.bodyLength }, () => this.principal.account)
  }

  on(preconditions: Preconditions): RouteCall {
    return new RouteCall(this.#parts, preconditions)
  }
}

/** The preconditions of reads, and of writes without conditions. */
const NO_PRECONDITIONS: Preconditions = Object.freeze({
  expect() {},
  demanded() {},
  async settle() {},
  settled() {},
})

/**
 * Returns the preconditions that a request's `If-Match` and `Idempotency-Key` demand. The entry in
 * the audit log is part of them, because it is written in the same commit.
 */
export function requestPreconditions({
  request,
  route,
  attempt,
  audit,
  show,
  digest,
}: {
  readonly request: Incoming
  readonly route: AnyRoute
  readonly attempt: Attempt | null
  /** The entry of the write in the audit log. `null`: the log does not list it. */
  readonly audit: AuditEntry | null
  /** Creates the answer from the service's data. */
  readonly show: (data: object) => Answer
  /** The digest for entity tags. */
  readonly digest: Digest
}): Preconditions {
  const expectedEtag = route.ifMatch ? request.headers.get('if-match') : null
  if (expectedEtag === null && attempt === null && audit === null) return NO_PRECONDITIONS
  return {
    expect(data) {
      if (expectedEtag !== null) demandMatch(expectedEtag, etagOf(JSON.stringify(data), digest))
    },
    demanded: (scopes) => attempt?.demanded(scopes),
    async settle(write, data) {
      audit?.addTo(write, data)
      await attempt?.settle(write, show(data))
    },
    settled() {
      audit?.written()
      attempt?.settled()
    },
  }
}

/** @throws {PlatformError} 412 with the current tag (RFC 9110 section 13.1.1) */
export function demandMatch(header: string, etag: string): void {
  if (!ifMatch(header, etag))
    throw new PlatformError('PRECONDITION_FAILED', 'The record has changed since: read it again', {
      headers: { ETag: etag },
    })
}
