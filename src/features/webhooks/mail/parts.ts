import { createHmac, equalText } from '../../../kernel/crypto.ts'
import { DAY_MS } from '../../../kernel/time.ts'
import type { Mailer } from '../../../ports/mailer.ts'

/** Dependencies of mail to the addresses of webhooks. */
export interface MailParts {
  /** `null`: the host sends no mail, and mail addresses are refused. */
  readonly mailer: Mailer | null
  /** The secret from which codes are made. */
  readonly secret: () => Promise<Uint8Array<ArrayBuffer>>
  /** The URL of the platform; `null`: it is not known, and messages have no links. */
  readonly base: string | null
  /** The path of the console below `base`; `null`: there is none. */
  readonly consolePath: string | null
}

/** The type of the only message that an address gets before it is confirmed. */
export const ASKING = 'webhook.confirm'
/** The message for an address that was not confirmed. */
export const UNCONFIRMED =
  'The mail address is not confirmed: call POST /api/v1/webhooks/:id/confirm with the code that ' +
  'was mailed to it'
/** The message for an address whose person wants no messages. */
export const UNSUBSCRIBED =
  'The person at this address has ended the messages of this account: delete the webhook'
/** How long a code is valid, in ms. */
export const CODE_MS = DAY_MS
/**
 * Maximum number of messages with a code that one address gets in this time, in ms, from all
 * accounts.
 */
export const MOST_ASKED = 3
export const ASKING_PERIOD_MS = 30 * DAY_MS
/** Number of wrong codes after which the right one is refused too. */
export const MOST_WRONG_CODES = 5

/** The purpose of a code. */
export interface CodeSubject {
  readonly account: string
  readonly webhook: string
  readonly address: string
  readonly askedAt: number
}

/** 32 characters that people do not confuse with one another. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const LENGTH = 8

/**
 * The code that confirms an address, 40 bits. It is derived from its subject and a secret, so no
 * record contains it, nor the list of deliveries that the account can read.
 */
export async function codeFor(
  secret: MailParts['secret'],
  { account, webhook, address, askedAt }: CodeSubject,
): Promise<string> {
  const subject = JSON.stringify([account, webhook, address, askedAt])
  const bytes = await createHmac(await secret())(subject)
  const letters = Array.from(bytes.subarray(0, LENGTH), (byte) => ALPHABET.charAt(byte % 32))
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

/** True if a person has typed this code, in any case, with or without the hyphen. */
export function isCode(typed: string, code: string): boolean {
  const bare = (text: string) => text.toUpperCase().replace(/[\s-]/g, '')
  return equalText(bare(typed), bare(code))
}
