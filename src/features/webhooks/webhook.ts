import type { WebhookRecord } from './records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import { refusalOf } from '../../engine/egress/guard.ts'
import { overCap } from '../../kernel/errors.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'

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

/**
 * Why nothing may be delivered to a URL, as far as the URL itself tells; `null`: it may. Plain http
 * is for development alone.
 */
export function refuseWebhookUrl(url: string, allowPrivateNetwork: boolean): string | null {
  const refusal = refusalOf(url, { allowPrivateNetwork })
  if (refusal !== null) return refusal
  return allowPrivateNetwork || URL.parse(url)?.protocol === 'https:'
    ? null
    : 'Only https URLs are allowed.'
}

/**
 * Adds a webhook to those of its account; the commit fails where another was added or removed
 * meanwhile.
 *
 * @throws {PlatformError} 409 for one too many
 */
export async function addToRoster(
  records: Records,
  change: Change,
  account: string,
  id: string,
  most: number | null,
): Promise<void> {
  const roster = await records.webhookRosters.get(account, 'all')
  const present = roster?.value.ids ?? []
  if (most !== null && present.length >= most)
    throw overCap(
      `The account has ${present.length} webhooks and may have ${most}: delete webhooks that are no longer used, or choose a plan with more`,
    )
  if (roster) records.webhookRosters.require(change, account, roster)
  else records.webhookRosters.requireAbsent(change, account, 'all')
  records.webhookRosters.put(change, account, { ids: [...present, id] })
}

/** Takes a webhook from those of its account. */
export async function removeFromRoster(
  records: Records,
  change: Change,
  account: string,
  id: string,
): Promise<void> {
  const roster = await records.webhookRosters.get(account, 'all')
  if (!roster) return
  records.webhookRosters.require(change, account, roster)
  records.webhookRosters.put(change, account, {
    ids: roster.value.ids.filter((other) => other !== id),
  })
}
