/** A message of plain text to one address. */
export interface MailMessage {
  /**
   * Names the message, and is the same at each attempt, for the header `Message-ID`: letters,
   * digits, `_`, `-` and `.`.
   */
  readonly id: string
  /** One address without a display name. It has only visible ASCII characters. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
  /**
   * The URL for the header `List-Unsubscribe` (RFC 2369). `GET` shows a page on which the person
   * can end these messages, and `POST` ends them (RFC 8058). Absent: the platform does not know its
   * own URL.
   */
  readonly unsubscribeUrl?: string
  /**
   * When it aborts, the message must not be sent any more, because the platform may send it again
   * later.
   */
  readonly signal: AbortSignal
}

/** The reason why a server did not accept a message. */
export interface MailRefusal {
  /** Such as `smtp_450` or `timeout`. The owner of the webhook sees it. */
  readonly code: string
  /** The server says that this recipient does not exist and never will. Nothing more is sent to it. */
  readonly isGone: boolean
  /**
   * The connection was lost before the server answered, so it may have accepted the message. Then
   * the message counts as sent, and a message that asks an address to confirm is not sent again.
   * Default: true for the code `timeout`.
   */
  readonly isUnknown?: boolean
}

/**
 * Sends mail to people who have asked for events. `createSmtpMailer` of `seine/smtp` makes one. A
 * mailer of your own is an object with a function.
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
   * Sends one message. `null` or `undefined`: the server has accepted it. If it throws, the error
   * is logged, and the message may have arrived or not. A message about an event is then sent again
   * later.
   */
  send(message: MailMessage): Promise<MailRefusal | null>
  /** Closes everything that it opened. Idempotent. Absent: nothing to close. */
  close?(): Promise<void>
}
