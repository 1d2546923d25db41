import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/**
 * Why a webhook gets nothing any more: its owner wanted so, the receiver answered 410, or nothing
 * had arrived for days.
 */
export type DisabledReason = 'requested' | 'gone' | 'failing'

/** Who wants to be told of events, and where. */
export interface WebhookRecord {
  readonly id: string
  readonly url: string
  readonly description: string
  /** Types of events; `*`: all. */
  readonly events: readonly string[]
  /** Events of these tasks, or of tasks with one of these labels; both empty: of all. */
  readonly taskIds: readonly string[]
  readonly labels: readonly string[]
  /** What deliveries are signed with, newest first. */
  readonly secrets: readonly WebhookSecret[]
  readonly disabledAt: number | null
  readonly disabledReason: DisabledReason | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** A signing secret, sealed; it ends at a time, or holds until further notice. */
export interface WebhookSecret {
  readonly sealed: string
  readonly until: number | null
}

/** All webhooks of an account, so that their number is bounded whoever adds one at the same time. */
export interface WebhookRosterRecord {
  readonly ids: readonly string[]
}

/**
 * Kept from the first failure of a webhook until its next success. Apart from the webhook, whose
 * tag is not to change with it.
 */
export interface WebhookFailureRecord {
  readonly webhook: string
  readonly since: number
}

/** One try to deliver. */
export interface DeliveryAttempt {
  /** From 1. */
  readonly number: number
  readonly at: number
  /** Of the receiver's answer; `null`: there was none. */
  readonly httpStatus: number | null
  readonly durationMs: number
  /** Code such as `timeout` or `http_500`; `null`: it arrived. */
  readonly error: string | null
}

/** Life of a delivery; the last two are final until someone wants it delivered again. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

/** One event on its way to one webhook. */
export interface WebhookDeliveryRecord {
  readonly webhook: string
  /** When the event happened. */
  readonly at: number
  readonly event: string
  readonly type: string
  /** The bytes of every attempt, as text. */
  readonly body: string
  readonly status: DeliveryStatus
  /** The last ones. */
  readonly attempts: readonly DeliveryAttempt[]
  /** When the next attempt is due; `null`: none is. */
  readonly nextAt: number | null
  /** How often delivery was asked for: 1, and once more each time someone wants it again. */
  readonly round: number
  /** Attempts of this round. */
  readonly tries: number
  /** When this round was asked for. */
  readonly askedAt: number
}

/** Records of webhooks and their deliveries. */
export interface WebhookRecords {
  readonly webhooks: Collection<WebhookRecord>
  readonly webhookRosters: Collection<WebhookRosterRecord>
  readonly webhookFailures: Collection<WebhookFailureRecord>
  /**
   * Without indexes, so that entries expire whole: a webhook's deliveries lie together, in the
   * order of their events.
   */
  readonly webhookDeliveries: Collection<WebhookDeliveryRecord>
}

/** Opens the records of webhooks and their deliveries. */
export function openWebhookRecords(store: Store): WebhookRecords {
  return {
    webhooks: new Collection<WebhookRecord>(store, {
      name: 'webhooks',
      id: (webhook) => [webhook.id],
    }),
    webhookRosters: new Collection<WebhookRosterRecord>(store, {
      name: 'webhook-rosters',
      id: () => ['all'],
    }),
    webhookFailures: new Collection<WebhookFailureRecord>(store, {
      name: 'webhook-failures',
      id: (failure) => [failure.webhook],
    }),
    webhookDeliveries: new Collection<WebhookDeliveryRecord>(store, {
      name: 'webhook-deliveries',
      id: (delivery) => [delivery.webhook, delivery.at, delivery.event],
    }),
  }
}
