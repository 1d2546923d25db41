import type { WebhookRecord } from '../../records/webhook-records.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'

/** A webhook on the wire; its secret is never part of it. */
export interface Webhook extends Omit<
  WebhookRecord,
  'secrets' | 'disabledAt' | 'createdAt' | 'updatedAt'
> {
  readonly enabled: boolean
  readonly disabledAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** What the wire shows of a webhook. */
export function webhookOf({
  id,
  url,
  description,
  events,
  taskIds,
  labels,
  disabledAt,
  disabledReason,
  createdAt,
  updatedAt,
}: WebhookRecord): Webhook {
  return {
    id,
    url,
    description,
    events,
    taskIds,
    labels,
    enabled: disabledAt === null,
    disabledAt: isoTimeOrNull(disabledAt),
    disabledReason,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}
