import { parseRetryAfter } from '../engine/egress/retry-after.ts'
import { EgressError } from '../engine/egress/types.ts'
import type { Egress } from '../engine/egress/types.ts'
import { signatureHeaders } from '../features/webhooks/sign.ts'
import type { WebhookSecrets } from '../features/webhooks/secrets.ts'
import { refuseWebhookUrl } from '../features/webhooks/webhook-url.ts'
import type { Clock } from '../ports/clock.ts'
import type { WebhookDeliveryRecord, WebhookRecord } from '../records/webhook-records.ts'
import { hasArrived } from './delivery-retries.ts'
import type { AttemptResult } from './delivery-retries.ts'

const TIMEOUT_MS = 15_000
const encoder = new TextEncoder()

/** What {@link attemptDelivery} works with. */
export interface AttemptOptions {
  readonly egress: Egress
  readonly secrets: WebhookSecrets
  readonly clock: Clock
  readonly allowPrivateNetwork: boolean
}

/**
 * Sends a delivery's body once, signed as of now. Of the answer only its status and its time are
 * taken: what else a receiver says is nobody's to read here. A redirect is no success and is not
 * followed.
 *
 * @throws whatever `signal` aborts with, since an attempt that was given up here says nothing about
 *   the receiver
 */
export async function attemptDelivery(
  options: AttemptOptions,
  account: string,
  webhook: WebhookRecord,
  delivery: WebhookDeliveryRecord,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { egress, secrets, clock } = options
  const at = clock.now()
  const base = { number: (delivery.attempts.at(-1)?.number ?? 0) + 1, round: delivery.round, at }
  const failed = (error: string): AttemptResult => ({
    ...base,
    httpStatus: null,
    durationMs: clock.now() - at,
    error,
    retryAfterMs: null,
  })
  if (refuseWebhookUrl(webhook.url, options.allowPrivateNetwork) !== null) return failed('refused')
  const known = await secrets.open(account, webhook, at)
  // After the platform's secret was lost only a rotation helps; until then the attempt counts as
  // any that fails.
  if (known.length === 0) return failed('no_secret')
  const signed = await signatureHeaders(known, { id: delivery.event, at, body: delivery.body })
  try {
    const headers = { ...signed, 'content-type': 'application/json' }
    const answer = await egress({
      url: webhook.url,
      purpose: 'webhook',
      method: 'POST',
      headers,
      body: encoder.encode(delivery.body),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
      signal,
    })
    const { status: httpStatus } = answer
    const error = hasArrived(httpStatus) ? null : `http_${httpStatus}`
    return {
      ...base,
      httpStatus,
      durationMs: clock.now() - at,
      error,
      retryAfterMs:
        error === null ? null : parseRetryAfter(answer.headers['retry-after'], clock.now()),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EgressError) return failed(error.reason)
    throw error
  }
}
