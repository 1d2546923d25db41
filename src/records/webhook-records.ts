import type { Store } from '../ports/store.ts'

/** Records of webhooks and their deliveries. */
export interface WebhookRecords {}

/** Opens the records of webhooks and their deliveries. */
export function openWebhookRecords(_store: Store): WebhookRecords {
  return {}
}
