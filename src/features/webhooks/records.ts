import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/**
 * Why a webhook is disabled: its owner asked for it, the receiver answered 410 or does not exist,
 * no delivery succeeded for days, or the person at its mail address has not confirmed it, or has
 * ended its messages.
 */
export type DisabledReason = 'requested' | 'gone' | 'failing' | 'unconfirmed' | 'unsubscribed'

/** A receiver of events: its URL and its filters. */
export interface WebhookRecord {
  readonly id: string
  /** `https:`, or `mailto:` and one address. */
  readonly url: string
  readonly description: string
  /** Types of events; `*`: all. */
  readonly events: readonly string[]
  /**
   * Send only events of these tasks, or of tasks with one of these labels. Both empty: of all
   * tasks.
   */
  readonly taskIds: readonly string[]
  readonly labels: readonly string[]
  /** Secrets that sign deliveries, newest first. */
  readonly secrets: readonly WebhookSecret[]
  readonly disabledAt: number | null
  readonly disabledReason: DisabledReason | null
  readonly createdAt: number
  readonly updatedAt: number
  /** Of a mail address. */
  readonly mail?: MailConsent
}

/** Whether the person at a mail address wants messages. */
export interface MailConsent {
  /** When the code was made. */
  readonly askedAt: number
  readonly confirmedAt: number | null
  readonly wrongCodes: number
  /** True if the account wants the webhook to stay disabled after its address is confirmed. */
  readonly staysDisabled?: true
}

/** The messages that an account has mailed on one UTC day. */
export interface MailDayRecord {
  /** Such as `2026-01-31`. */
  readonly day: string
  /** The keys of the addresses that were asked for consent. */
  readonly asked: readonly string[]
  readonly sent: number
}

/** The requests for consent that all accounts together have sent to an address. */
export interface MailAddressRecord {
  /** Derived from the address with a secret, so that the store contains no address of a stranger. */
  readonly key: string
  readonly askedAt: readonly number[]
}

/**
 * Marks an address that an account may not ask again, because the person there has ended its
 * messages.
 */
export interface MailRefusalRecord {
  /** As in {@link MailAddressRecord}. */
  readonly key: string
  readonly endedAt: number
}

/** An encrypted signing secret. It expires at a time, or is valid until it is replaced. */
export interface WebhookSecret {
  readonly sealed: string
  readonly until: number | null
}

/**
 * The ids of all webhooks of an account. One record, so that concurrent additions cannot exceed the
 * limit.
 */
export interface WebhookListRecord {
  readonly ids: readonly string[]
}

/**
 * Kept from the first failure of a webhook until its next success. It is separate from the webhook
 * because it must not change the webhook's ETag.
 */
export interface WebhookFailureRecord {
  readonly webhook: string
  readonly since: number
}

/** One attempt at a delivery. */
export interface DeliveryAttempt {
  /** From 1. */
  readonly number: number
  readonly at: number
  /** Status of the receiver's response. `null`: there was no response. */
  readonly httpStatus: number | null
  readonly durationMs: number
  /** A code such as `timeout` or `http_500`. `null`: it arrived. */
  readonly error: string | null
}

/** State of a delivery. The last two are final until a caller asks for it again. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

/** One event on its way to one webhook. */
export interface WebhookDeliveryRecord {
  readonly webhook: string
  /** When the event happened. */
  readonly at: number
  readonly event: string
  readonly type: string
  /** The body of every attempt, as text. */
  readonly body: string
  readonly status: DeliveryStatus
  /** The last attempts. */
  readonly attempts: readonly DeliveryAttempt[]
  /** When the next attempt is due. `null`: no attempt is due. */
  readonly nextAt: number | null
  /** How often delivery was requested: 1, and one more for each redelivery. */
  readonly round: number
  /** Number of attempts in this round. */
  readonly tries: number
  /**
   * True if an attempt to ask an address has begun, and its end is not known. After a crash no
   * other attempt may follow.
   */
  readonly isBegun?: true
  /** When this round was requested. */
  readonly askedAt: number
}

/** Records of webhooks and their deliveries. */
export interface WebhookRecords {
  readonly webhooks: Collection<WebhookRecord>
  readonly webhookLists: Collection<WebhookListRecord>
  readonly webhookFailures: Collection<WebhookFailureRecord>
  /**
   * It has no indexes, so that entries expire completely. A webhook's deliveries are next to each
   * other, in order of their events.
   */
  readonly webhookDeliveries: Collection<WebhookDeliveryRecord>
  /** Without indexes too. */
  readonly mailDays: Collection<MailDayRecord>
  /** These records belong to the platform, and have no indexes either. */
  readonly mailAddresses: Collection<MailAddressRecord>
  readonly mailRefusals: Collection<MailRefusalRecord>
}

/** Opens the records of webhooks and their deliveries. */
export function openWebhookRecords(store: Store): WebhookRecords {
  return {
    webhooks: new Collection<WebhookRecord>(store, {
      name: 'webhooks',
      id: (webhook) => [webhook.id],
    }),
    webhookLists: new Collection<WebhookListRecord>(store, {
      // Its first name, by which stores have it.
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
    mailDays: new Collection<MailDayRecord>(store, {
      name: 'mail-days',
      id: (day) => [day.day],
    }),
    mailAddresses: new Collection<MailAddressRecord>(store, {
      name: 'mail-addresses',
      id: ({ key }) => [key],
    }),
    mailRefusals: new Collection<MailRefusalRecord>(store, {
      name: 'mail-refusals',
      id: ({ key }) => [key],
    }),
  }
}
