import { requestOf } from '../kernel/http/message.ts'
import type { Incoming, RequestHeaders } from '../kernel/http/message.ts'
import type { Call, Principal } from '../kernel/http/route.ts'
import type { Terms } from '../kernel/preconditions.ts'
import { NO_TERMS } from './request-terms.ts'

/** What was read of a request. */
export interface CallParts {
  readonly incoming: Incoming
  readonly requestId: string
  readonly principal: Principal
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** The call that a handler is given. Few handlers want the `Request`, so it is made for those alone. */
export class RouteCall implements Call<unknown, unknown, unknown> {
  readonly principal: Principal
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly requestId: string
  readonly terms: Terms
  readonly #parts: CallParts

  constructor(parts: CallParts, terms: Terms = NO_TERMS) {
    this.principal = parts.principal
    this.params = parts.params
    this.query = parts.query
    this.body = parts.body
    this.requestId = parts.requestId
    this.terms = terms
    this.#parts = parts
  }

  get request(): Request {
    return requestOf(this.#parts.incoming)
  }

  get headers(): RequestHeaders {
    return this.#parts.incoming.headers
  }

  get url(): string {
    return this.#parts.incoming.url
  }

  get signal(): AbortSignal {
    return this.#parts.incoming.signal
  }

  on(terms: Terms): RouteCall {
    return new RouteCall(this.#parts, terms)
  }
}
