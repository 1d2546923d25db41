import { fromBase64Url, toBase64Url } from '../../../kernel/bytes.ts'
import { createHmac, equalBytes } from '../../../kernel/crypto.ts'
import { PlatformError } from '../../../kernel/errors.ts'
import { Change } from '../../../records/change.ts'
import { eachPage } from '../../../records/paginate.ts'
import { retryOrBusy } from '../../../records/retry.ts'
import type { Core } from '../../core.ts'
import { disableWebhook } from '../attempts.ts'
import { addressIn } from './address.ts'
import type { MailParts } from './parts.ts'

/** The messages of one account to one address. */
interface Correspondence {
  readonly account: string
  /** Of {@link addressKeyOf}. */
  readonly key: string
}

/** Number of bytes of the key of an address. */
const KEY_BYTES = 16
const TOKEN = /^([\w-]{1,2000})\.([\w-]{43})$/
const GOOGLE = new Set(['gmail.com', 'googlemail.com'])
const encoder = new TextEncoder()

/**
 * The stored key of an address. Nobody can derive the address from it. Spellings of one mailbox
 * share a key: case and `+tag` are ignored. For Gmail, dots are ignored too, and googlemail.com is
 * gmail.com.
 */
export async function addressKeyOf(secret: MailParts['secret'], address: string): Promise<string> {
  const [local = '', domain = ''] = address.toLowerCase().split('@')
  const [mailbox = ''] = local.split('+')
  const own = GOOGLE.has(domain)
    ? `${mailbox.replaceAll('.', '')}@gmail.com`
    : `${mailbox}@${domain}`
  const bytes = await macOf(secret, 'address', own)
  return toBase64Url(bytes.subarray(0, KEY_BYTES))
}

/**
 * The URL at which the person at an address ends the messages of an account. `null`: no URL is
 * known.
 */
export async function unsubscribeUrl(
  { secret, base }: Pick<MailParts, 'secret' | 'base'>,
  { account, key }: Correspondence,
): Promise<string | null> {
  if (base === null) return null
  const names = toBase64Url(encoder.encode(JSON.stringify([account, key])))
  const mac = toBase64Url(await macOf(secret, 'unsubscribe', account, key))
  return `${base}/api/v1/unsubscribe?token=${names}.${mac}`
}

/**
 * Ends the messages of an account to an address for good: webhooks with this address are disabled,
 * and the account cannot ask it again. Calling it again changes nothing.
 *
 * @throws {PlatformError} 403 for a token that is damaged or invented, before anything is read
 */
export async function unsubscribe(
  core: Core,
  secret: MailParts['secret'],
  token: string,
): Promise<void> {
  const { account, key } = await correspondenceIn(secret, token)
  const { records, clock, logger } = core
  await retryOrBusy('The webhook', async () => {
    const [refusal, list] = await Promise.all([
      records.mailRefusals.get(account, key),
      records.webhookLists.get(account, 'all'),
    ])
    if (refusal) return true
    const change = new Change()
    // A webhook that is added meanwhile would not be disabled, so the commit depends on the list of
    // webhooks.
    if (list) records.webhookLists.require(change, account, list)
    else records.webhookLists.requireAbsent(change, account, 'all')
    records.mailRefusals.insert(change, account, { key, endedAt: clock.now() })
    for await (const page of eachPage(records.webhooks, account))
      for (const webhook of page) {
        const address = addressIn(webhook.value.url)
        if (address !== null && (await addressKeyOf(secret, address)) === key)
          disableWebhook(records, change, account, webhook, 'unsubscribed', clock.now())
      }
    return records.commit(change)
  })
  logger.info('The person at a mail address has ended its messages', { account })
}

/** @throws {PlatformError} 403 */
async function correspondenceIn(
  secret: MailParts['secret'],
  token: string,
): Promise<Correspondence> {
  const [, names = '', signature = ''] = TOKEN.exec(token) ?? []
  const [account, key] = namesIn(names)
  const mac = fromBase64Url(signature)
  if (
    typeof account === 'string' &&
    typeof key === 'string' &&
    mac !== null &&
    equalBytes(mac, await macOf(secret, 'unsubscribe', account, key))
  )
    return { account, key }
  throw new PlatformError(
    'FORBIDDEN',
    'This link is incomplete: open it as it stands in the message',
  )
}

function namesIn(text: string): readonly unknown[] {
  try {
    const names: unknown = JSON.parse(new TextDecoder().decode(fromBase64Url(text) ?? undefined))
    return Array.isArray(names) ? names : []
  } catch {
    return []
  }
}

async function macOf(
  secret: MailParts['secret'],
  ...parts: readonly string[]
): Promise<Uint8Array<ArrayBuffer>> {
  return createHmac(await secret())(JSON.stringify(parts))
}
