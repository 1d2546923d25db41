import { PlatformError } from '../kernel/errors.ts'
import type { Digest } from '../kernel/crypto.ts'
import { etagOf, ifMatch } from '../kernel/http/headers.ts'
import type { Incoming } from '../kernel/http/message.ts'
import type { AnyRoute } from '../kernel/http/route.ts'
import type { Terms } from '../kernel/preconditions.ts'
import type { Attempt } from './attempt.ts'
import type { Answer } from './respond.ts'

/** The terms of reads, and of writes without conditions. */
export const NO_TERMS: Terms = Object.freeze({
  expect() {},
  demanded() {},
  async settle() {},
  settled() {},
})

/** What {@link requestTerms} works with. */
export interface RequestTermsOptions {
  readonly request: Incoming
  readonly route: AnyRoute
  readonly attempt: Attempt | null
  /** Makes the answer of the service's data. */
  readonly show: (data: object) => Answer
  /** What tags are made by. */
  readonly digest: Digest
}

/** What a request's `If-Match` and `Idempotency-Key` ask of the service. */
export function requestTerms({
  request,
  route,
  attempt,
  show,
  digest,
}: RequestTermsOptions): Terms {
  const wanted = route.ifMatch ? request.headers.get('if-match') : null
  if (wanted === null && attempt === null) return NO_TERMS
  return {
    expect(data) {
      if (wanted !== null) demandMatch(wanted, etagOf(JSON.stringify(data), digest))
    },
    demanded: (scopes) => attempt?.demanded(scopes),
    settle: async (write, data) => attempt?.settle(write, show(data)),
    settled: () => attempt?.settled(),
  }
}

/** @throws {PlatformError} 412 that names the present tag (RFC 9110 section 13.1.1) */
export function demandMatch(header: string, etag: string): void {
  if (!ifMatch(header, etag))
    throw new PlatformError('PRECONDITION_FAILED', 'The record has changed since: read it again', {
      headers: { ETag: etag },
    })
}
