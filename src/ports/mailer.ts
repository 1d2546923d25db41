/** A message of plain text to one address. */
export interface MailMessage {
  /**
   * Names the message, and is the same at each attempt, for the header `Message-ID`: letters,
   * digits, `_`, `-` and `.`.
   */
  readonly id: string
  /** One address without a name, of visible characters of ASCII. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
  /**
   * The page on which the person ends these messages, for the header `List-Unsubscribe` (RFC 2369):
   * a page on `GET`, and the end itself on `POST` (RFC 8058). Absent: the platform does not know
   * its URL.
   */
  readonly unsubscribeUrl?: string
  /** When it is aborted, the message must not be sent any more: it may be sent again later. */
  readonly signal: AbortSignal
}

/** Why a server did not take a message. */
export interface MailRefusal {
  /** Such as `smtp_450` or `timeout`. The owner of the webhook sees it. */
  readonly code: string
  /** The server says for good that there is no such recipient: nothing more is sent there. */
  readonly isGone: boolean
  /**
   * Nobody knows whether the server has taken the message, since the connection was lost before it
   * said so. Then the message counts as sent, and one that asks an address is not sent again.
   * Default: true for the code `timeout`.
   */
  readonly isUnknown?: boolean
}

/**
 * Sends mail to people who have asked for events. `createSmtpMailer` of `seine/smtp` is such; a
 * host's own is an object with a function.
 *
 * @example
 *   const outbox: MailMessage[] = []
 *   const mail: Mailer = {
 *     send: async (message) => {
 *       outbox.push(message)
 *       return null
 *     },
 *   }
 *   const platform = createPlatform({ mail })
 */
export interface Mailer {
  /**
   * Sends one message. `null` (or nothing): the server has taken it. What it throws counts as an
   * attempt that failed and may have arrived, and is logged; a message about an event is sent again
   * later.
   */
  send(message: MailMessage): Promise<MailRefusal | null>
  /** Closes everything that it opened. Idempotent. Absent: nothing to close. */
  close?(): Promise<void>
}
