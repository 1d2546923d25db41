import { badRequest, conflict } from '../../../kernel/errors.ts'
import { Change } from '../../../records/change.ts'
import type { Stored } from '../../../records/collection.ts'
import type { Core } from '../../core.ts'
import { enqueueDelivery, newDelivery, putDelivery } from '../delivery.ts'
import type { WebhookRecord } from '../records.ts'
import { addressIn } from './address.ts'
import { noteAsked } from './days.ts'
import { ASKING, CODE_MS, MOST_WRONG_CODES, UNSUBSCRIBED, codeFor, isCode } from './parts.ts'
import type { MailParts } from './parts.ts'
import { addressKeyOf } from './unsubscribe.ts'

/**
 * Asks the person at an address for consent, in the commit that adds the webhook. The webhook stays
 * disabled, and one message with a code is sent. The list of deliveries shows it without the code.
 *
 * @returns the webhook to store
 * @throws {PlatformError} 409 beyond a cap, and for an address that may not be asked (again)
 */
export async function askConsent(
  core: Core,
  secret: MailParts['secret'],
  change: Change,
  account: string,
  webhook: WebhookRecord,
): Promise<WebhookRecord> {
  const { records, ids, clock } = core
  const now = clock.now()
  const { id, url } = webhook
  await noteAsked(core, change, account, await addressKeyOf(secret, addressIn(url) ?? ''))
  const asking = newDelivery(
    id,
    { id: ids('evt'), type: ASKING, at: now, data: { webhook: { id, url } } },
    now,
  )
  putDelivery(records, change, account, asking)
  enqueueDelivery(records, change, account, asking)
  return {
    ...webhook,
    disabledAt: now,
    disabledReason: 'unconfirmed',
    mail: {
      askedAt: now,
      confirmedAt: null,
      wrongCodes: 0,
      ...(webhook.disabledAt !== null && { staysDisabled: true }),
    },
  }
}

/**
 * Confirms the address of a webhook, if the code equals the mailed one. It is enabled, unless the
 * account has switched it off. A wrong code is counted before it is refused.
 *
 * @returns `null` if the webhook changed in the meantime
 * @throws {PlatformError} 400 for a wrong code; 409 for a code that is too old or was tried too
 *   often, for a webhook without a mail address, and if the person has ended the account's messages
 */
export async function confirmed(
  { records, clock }: Core,
  secret: MailParts['secret'],
  account: string,
  stored: Stored<WebhookRecord>,
  typed: string,
): Promise<WebhookRecord | null> {
  const { id, url, mail, disabledReason } = stored.value
  const address = addressIn(url)
  if (!mail || address === null)
    throw conflict('Only a webhook with a mail address is confirmed by a code')
  const refusal = await records.mailRefusals.get(account, await addressKeyOf(secret, address))
  if (refusal || disabledReason === 'unsubscribed') throw conflict(UNSUBSCRIBED)
  if (mail.confirmedAt !== null) return stored.value
  const { askedAt, wrongCodes } = mail
  const now = clock.now()
  if (now >= askedAt + CODE_MS)
    throw conflict('The code is too old: delete the webhook and add it again for a new one')
  if (wrongCodes >= MOST_WRONG_CODES)
    throw conflict('Too many wrong codes: delete the webhook and add it again for a new one')
  if (isCode(typed, await codeFor(secret, { account, webhook: id, address, askedAt }))) {
    const { staysDisabled = false, ...consent } = mail
    return {
      ...stored.value,
      disabledAt: staysDisabled ? now : null,
      disabledReason: staysDisabled ? 'requested' : null,
      mail: { ...consent, confirmedAt: now },
      updatedAt: now,
    }
  }
  const change = new Change()
  const counted = { ...stored.value, mail: { ...mail, wrongCodes: wrongCodes + 1 } }
  records.webhooks.update(change, account, stored, counted)
  if (!(await records.commit(change))) return null
  throw badRequest([{ path: 'code', message: 'is not the code that was mailed to the address' }])
}
