import { overCap } from '../../kernel/errors.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../../records/records.ts'

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
