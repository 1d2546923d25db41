import type { Mailer } from 'seine'
import { wrongUse } from './command-error.ts'
import type { Settings } from './settings/table.ts'

/** Settings of mail. */
export type MailSettings = Pick<Settings, 'mail' | 'mailFrom' | 'mailOnPrivateNetwork'>

/**
 * Returns the mailer that settings name; `null`: no mailer is named. No connection is opened.
 *
 * @throws {CommandError} for settings that are not valid, without the password
 */
export async function mailFrom({
  mail,
  mailFrom: from,
  mailOnPrivateNetwork = false,
}: MailSettings): Promise<Mailer | null> {
  if (mail === undefined && from === undefined) return null
  if (mail === undefined) throw wrongUse('--mail-from needs --mail, the server that sends')
  if (from === undefined) throw wrongUse('--mail needs --mail-from, the sender of messages')
  const url = URL.parse(mail)
  if (url === null || url.hostname === '')
    throw wrongUse(
      '--mail must be smtp://USER:PASSWORD@HOST:PORT; special characters of the password are ' +
        'percent-encoded, such as %40 for @',
    )
  const { createSmtpMailer } = await import('seine/smtp')
  try {
    return createSmtpMailer({
      url,
      from,
      ...(mailOnPrivateNetwork && { privateHost: url.hostname }),
    })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw wrongUse(
      error.message.replace(/^createSmtpMailer: (?:(from)|url)\b/, (_, named?: string) =>
        named === undefined ? '--mail' : '--mail-from',
      ),
    )
  }
}
