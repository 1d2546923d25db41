import type { WebhookRecord } from './records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import { refusalOf } from '../../engine/egress/guard.ts'
import { isMail } from './mail/address.ts'
import { refuseMailUrl } from './mail/refuse-url.ts'
import { overCap } from '../../kernel/errors.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'

/** A webhook on the wire. It never contains the secret. */
export interface Webhook extends Omit<
  WebhookRecord,
  'secrets' | 'disabledAt' | 'createdAt' | 'updatedAt' | 'mail'
> {
  readonly enabled: boolean
  readonly disabledAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** Converts a webhook to the wire. */
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
 * Returns the reason why a URL, judged by its text alone, may not be used. `null`: it is allowed.
 * Plain http is for development only.
 */
export function refuseWebhookUrl(url: string, allowPrivateNetwork: boolean): string | null {
  if (isMail(url)) return refuseMailUrl(url, allowPrivateNetwork)
  const refusal = refusalOf(url, { allowPrivateNetwork })
  if (refusal !== null) return refusal
  return allowPrivateNetwork || URL.parse(url)?.protocol === 'https:'
    ? null
    : 'Only https URLs are allowed.'
}

/**
 * Adds a webhook to its account's list. The commit fails if another webhook was added or removed in
 * the meantime.
 *
 * @throws {PlatformError} 409 if the account has its maximum number of webhooks
 */
export async function addToWebhookList(
  records: Records,
  change: Change,
  account: string,
  id: string,
  most: number | null,
): Promise<void> {
  const list = await records.webhookLists.get(account, 'all')
  const present = list?.value.ids ?? []
  if (most !== null && present.length >= most)
    throw overCap(
      `The account has ${present.length} webhooks and may have ${most}: delete webhooks that ` +
        'are no longer used, or choose a plan with more',
      { of: 'webhooks', used: present.length, most },
    )
  if (list) records.webhookLists.require(change, account, list)
  else records.webhookLists.requireAbsent(change, account, 'all')
  records.webhookLists.put(change, account, { ids: [...present, id] })
}

/** Removes a webhook from its account's list. */
export async function removeFromWebhookList(
  records: Records,
  change: Change,
  account: string,
  id: string,
): Promise<void> {
  const list = await records.webhookLists.get(account, 'all')
  if (!list) return
  records.webhookLists.require(change, account, list)
  records.webhookLists.put(change, account, {
    ids: list.value.ids.filter((other) => other !== id),
  })
}
