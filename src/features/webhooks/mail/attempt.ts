import type { Core } from '../../core.ts'
import type { Mailer, MailMessage, MailRefusal } from '../../../ports/mailer.ts'
import type { WebhookDeliveryRecord, WebhookRecord } from '../records.ts'
import { addressIn } from './address.ts'
import { refuseMailUrl } from './refuse-url.ts'
import { giveBackMessage, takeMessage } from './days.ts'
import { ASKING, codeFor } from './parts.ts'
import type { MailParts } from './parts.ts'
import { askingText, eventText } from './text.ts'
import { addressKeyOf, unsubscribeUrl } from './unsubscribe.ts'

const TIMEOUT_MS = 30_000
/** A code of a mailer of the host, as it is kept and shown. */
const CODE = /^[\w.-]{1,64}$/

/**
 * Sends a delivery to the mail address of its webhook once. `null`: a server has taken it. A time:
 * the account may send no more before it.
 *
 * @throws the reason of `signal`, since an attempt that was aborted says nothing about the receiver
 */
export async function mailOnce(
  core: Core,
  parts: MailParts,
  account: string,
  webhook: WebhookRecord,
  delivery: WebhookDeliveryRecord,
  signal: AbortSignal,
): Promise<MailRefusal | { readonly waitUntil: number } | null> {
  const address = addressIn(webhook.url)
  if (address === null || refuseMailUrl(webhook.url, core.allowPrivateNetwork) !== null)
    return { code: 'refused', isGone: false }
  if (parts.mailer === null) return { code: 'no_mailer', isGone: false }
  const message = await messageOf(parts, account, webhook, delivery, address)
  const taken = await takeMessage(core, account)
  if ('waitUntil' in taken) return taken
  const refusal = await inTime(core, parts.mailer, message, signal)
  if (refusal === null) return null
  // After a timeout nobody knows whether the message was sent.
  if (refusal.code !== 'timeout') await giveBackMessage(core, account, taken.day)
  core.logger.warn('A server for mail did not take a message', {
    account,
    webhook: webhook.id,
    code: refusal.code,
  })
  return refusal
}

async function messageOf(
  parts: MailParts,
  account: string,
  { id: webhook, mail, createdAt }: WebhookRecord,
  delivery: WebhookDeliveryRecord,
  address: string,
): Promise<Omit<MailMessage, 'signal'>> {
  const key = await addressKeyOf(parts.secret, address)
  const end = await unsubscribeUrl(parts, { account, key })
  const askedAt = mail?.askedAt ?? createdAt
  const { subject, text } =
    delivery.type === ASKING
      ? askingText(await codeFor(parts.secret, { account, webhook, address, askedAt }), {
          ...parts,
          end,
          askedAt,
        })
      : eventText(delivery, account, { ...parts, end })
  const id = `${delivery.event}.${webhook}.${delivery.round}`
  return { id, to: address, subject, text, ...(end !== null && { unsubscribeUrl: end }) }
}

/** Sends a message, and gives up on a mailer that does not answer in time. */
async function inTime(
  { clock, logger }: Core,
  mailer: Mailer,
  message: Omit<MailMessage, 'signal'>,
  signal: AbortSignal,
): Promise<MailRefusal | null> {
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  const tooLate = { code: 'timeout', isGone: false }
  try {
    const answer = await Promise.race([
      mailer.send({ ...message, signal: both }),
      clock.sleep(TIMEOUT_MS, both).then(() => tooLate),
    ])
    return answer && { ...answer, code: CODE.test(answer.code) ? answer.code : 'mailer_error' }
  } catch (error) {
    signal.throwIfAborted()
    logger.warn('A message could not be mailed', { error })
    return { code: 'mailer_error', isGone: false }
  } finally {
    ended.abort()
  }
}
