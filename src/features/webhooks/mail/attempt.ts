import { inTime } from '../../../kernel/in-time.ts'
import { isObject } from '../../../kernel/json.ts'
import { Change } from '../../../records/change.ts'
import type { Core } from '../../core.ts'
import type { Mailer, MailMessage, MailRefusal } from '../../../ports/mailer.ts'
import { deliveryKey, putDelivery } from '../delivery.ts'
import type { WebhookDeliveryRecord, WebhookRecord } from '../records.ts'
import { addressIn } from './address.ts'
import { refuseMailUrl } from './refuse-url.ts'
import { giveBackMessage, takeMessage } from './days.ts'
import { ASKING, codeFor } from './parts.ts'
import type { MailParts } from './parts.ts'
import { askingText, eventText } from './text.ts'
import { addressKeyOf, unsubscribeUrl } from './unsubscribe.ts'

const TIMEOUT_MS = 30_000
/** Matches a mailer's code that may be stored and shown. */
const CODE = /^[\w.-]{1,64}$/
/** Used if a mailer throws or returns an invalid answer, because it may have sent the message. */
const MAILER_ERROR: Refusal = { code: 'mailer_error', isGone: false, isUnknown: true }

type Refusal = Required<MailRefusal>

/**
 * Sends a delivery to the mail address of its webhook once. Returns `null` if a server has accepted
 * it, or a time before which the account may send no more.
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
): Promise<Refusal | { readonly waitUntil: number } | null> {
  const address = addressIn(webhook.url)
  if (address === null || refuseMailUrl(webhook.url, core.allowPrivateNetwork) !== null)
    return { code: 'refused', isGone: false, isUnknown: false }
  if (parts.mailer === null) return { code: 'no_mailer', isGone: false, isUnknown: false }
  if (delivery.isBegun) return { code: 'interrupted', isGone: false, isUnknown: true }
  const message = await messageOf(parts, account, webhook, delivery, address)
  const allowance = await takeMessage(core, account)
  if ('waitUntil' in allowance) return allowance
  if (delivery.type === ASKING && !(await begin(core, account, delivery))) {
    await giveBackMessage(core, account, allowance.day)
    return { waitUntil: core.clock.now() }
  }
  const refusal = await send(core, parts.mailer, message, signal)
  if (refusal === null) return null
  if (!refusal.isUnknown) await giveBackMessage(core, account, allowance.day)
  core.logger.warn('A mail server did not accept a message', {
    account,
    webhook: webhook.id,
    code: refusal.code,
  })
  return refusal
}

/**
 * Stores that an attempt begins, before a message asks for consent. So people are not asked too
 * often, even if the process ends meanwhile. `false`: the delivery has changed.
 */
async function begin(
  { records }: Core,
  account: string,
  delivery: WebhookDeliveryRecord,
): Promise<boolean> {
  const stored = await records.webhookDeliveries.get(account, ...deliveryKey(delivery))
  if (!stored || stored.value.isBegun) return false
  const { round, status } = stored.value
  if (round !== delivery.round || status !== 'pending') return false
  const change = new Change()
  records.webhookDeliveries.require(change, account, stored)
  putDelivery(records, change, account, { ...stored.value, isBegun: true })
  return records.commit(change)
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
async function send(
  { clock, logger }: Core,
  mailer: Mailer,
  message: Omit<MailMessage, 'signal'>,
  signal: AbortSignal,
): Promise<Refusal | null> {
  const late = new Error(`The mailer did not answer within ${TIMEOUT_MS / 1_000} s`)
  try {
    const answer: unknown = await inTime(
      { clock, ms: TIMEOUT_MS, signal, failure: () => late },
      async (either) => mailer.send({ ...message, signal: either }),
    )
    const refusal = refusalIn(answer)
    if (refusal === MAILER_ERROR)
      logger.error('The answer of the mailer is neither null nor a MailRefusal', { answer })
    return refusal
  } catch (error) {
    signal.throwIfAborted()
    if (error === late) return { code: 'timeout', isGone: false, isUnknown: true }
    logger.warn('A message could not be mailed', { error })
    return MAILER_ERROR
  }
}

/**
 * The refusal in the answer of a host's mailer. `null`: no refusal, also if `send` ends without a
 * value.
 */
function refusalIn(answer: unknown): Refusal | null {
  if (answer === null || answer === undefined) return null
  if (!isObject(answer)) return MAILER_ERROR
  const { code, isGone, isUnknown = code === 'timeout' } = answer
  if (typeof code !== 'string' || typeof isGone !== 'boolean' || typeof isUnknown !== 'boolean')
    return MAILER_ERROR
  return { code: CODE.test(code) ? code : 'mailer_error', isGone, isUnknown }
}
