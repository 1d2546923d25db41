import type { Transporter } from 'nodemailer'
import { address, checkOptions, nonEmpty, required, textLike } from '../../src/kernel/options.ts'
import type { Mailer, MailRefusal } from '../../src/ports/mailer.ts'
import { readSender, refusalOf, unsubscribeHeaders } from './messages.ts'

/** Options of {@link createSmtpMailer}. */
export interface SmtpMailerOptions {
  /**
   * The server that takes your mail: `smtps://user:password@mail.example.com` (port 465), or
   * `smtp://…` (port 587), which begins TLS with STARTTLS and sends nothing without it. Special
   * characters of the password are percent-encoded.
   */
  readonly url: URL | string
  /** The sender of messages: `seine@example.com`, or `Seine <seine@example.com>`. */
  readonly from: string
  /**
   * The server's host again, if it is on your own network: it may then go without TLS.
   *
   * @default none
   */
  readonly privateHost?: string
}

const CONNECT_MS = 10_000
const IDLE_MS = 20_000

/**
 * Sends mail by a server of SMTP that is yours, for Node, Bun and Deno. Each message has one
 * connection, which an aborted `signal` closes. nodemailer is loaded with the first message.
 *
 * @example
 *   const mail = createSmtpMailer({
 *     url: 'smtp://seine:secret@mail.example.com:587',
 *     from: 'Seine <seine@example.com>',
 *   })
 *   const platform = createPlatform({ mail, publicUrl: 'https://data.example.com' })
 *
 * @throws {TypeError} for wrong options
 */
export function createSmtpMailer(options: SmtpMailerOptions): Mailer {
  checkOptions<SmtpMailerOptions>('createSmtpMailer', options, {
    url: required(address),
    from: required(
      textLike(
        'an address such as seine@example.com, or Seine <seine@example.com>',
        (text) => readSender(text) !== null,
      ),
    ),
    privateHost: nonEmpty,
  })
  const { privateHost } = options
  const url = new URL(options.url)
  const sender = readSender(options.from) ?? { name: '', address: '' }
  if (!/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new TypeError('createSmtpMailer: url must be smtp://host or smtps://host')
  const account = accountIn(url)
  if (privateHost !== undefined && privateHost !== url.hostname)
    throw new TypeError('createSmtpMailer: privateHost must be the host of url')
  const closing = new AbortController()
  return {
    async send({ id, to, subject, text, unsubscribeUrl, signal }): Promise<MailRefusal | null> {
      const ended = AbortSignal.any([signal, closing.signal])
      ended.throwIfAborted()
      const transport = await openTransport(url, account, privateHost !== undefined)
      // If the message was aborted while nodemailer was loaded, the connection is not opened.
      ended.throwIfAborted()
      try {
        await transport.sendMail({
          from: sender,
          // An object is always one address, whatever its text contains.
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@${sender.address.slice(sender.address.indexOf('@') + 1)}>`,
          headers: {
            // With this header, automatic replies are not sent (RFC 3834).
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl !== undefined && unsubscribeHeaders(unsubscribeUrl)),
          },
          // Closes the connection, so that a server that answers late accepts no message.
          signal: ended,
        })
        return null
      } catch (error) {
        ended.throwIfAborted()
        return refusalOf(error)
      } finally {
        transport.close()
      }
    },
    async close() {
      closing.abort(new Error('The mailer was closed'))
    },
  }
}

/** User and password at the server. */
interface Account {
  readonly user: string
  readonly pass: string
}

/** @throws {TypeError} for a password that is not written as in a URL */
function accountIn({ username, password }: URL): Account | null {
  if (username === '') return null
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  } catch {
    throw new TypeError(
      'createSmtpMailer: url: special characters of user and password are percent-encoded, such ' +
        'as %25 for %',
    )
  }
}

async function openTransport(
  url: URL,
  account: Account | null,
  isPrivate: boolean,
): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port } = url
  const secure = protocol === 'smtps:'
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !isPrivate,
    ...(account && { auth: account }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: IDLE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
