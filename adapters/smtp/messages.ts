import type { MailRefusal } from '../../src/ports/mailer.ts'

/** Who sends messages. */
export interface Mailbox {
  /** May be empty. */
  readonly name: string
  readonly address: string
}

const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d.-]{1,190}$/i
/** Characters that would have to be quoted, or would begin another address or header. */
const NOT_IN_NAMES = /[\0-\x1f\x7f-\x9f"<>@,;:\\\u2028\u2029]/

/** Reads `ann@example.com` or `Ann <ann@example.com>`. `null`: it is neither. */
export function readSender(text: string): Mailbox | null {
  const start = text.indexOf('<')
  const isNamed = start >= 0 && text.endsWith('>')
  const name = isNamed ? text.slice(0, start).trim() : ''
  const address = isNamed ? text.slice(start + 1, -1) : text
  return ADDRESS.test(address) && name.length <= 100 && !NOT_IN_NAMES.test(name)
    ? { name, address }
    : null
}

/** Codes of nodemailer that say where it failed. */
const CODES: Readonly<Record<string, string>> = {
  ECONNECTION: 'connect',
  ESOCKET: 'connect',
  ETIMEDOUT: 'timeout',
  EDNS: 'dns',
  ETLS: 'tls',
  EAUTH: 'mail_auth',
  ENOAUTH: 'mail_auth',
}
/** No such mailbox, domain or address, or one that has moved (RFC 3463 section 3.2; RFC 7505). */
const NO_RECIPIENT = /^5\d\d[ -]5\.1\.(?:1|2|3|6|10)(?!\d)/

/**
 * Errors of a connection after which no message can have been sent. After any other error it may
 * have been.
 */
const BEFORE_MESSAGE = new Set(['EDNS', 'ETLS', 'EAUTH', 'ENOAUTH', 'EENVELOPE'])
const BEFORE_GREETING = new Set(['CONNECTION_TIMEOUT', 'GREETING_TIMEOUT'])
/** Matches errors about invalid certificates of OpenSSL and Node. */
const CERTIFICATE = /CERT|ALTNAME|UNABLE_TO_VERIFY/

/**
 * The reason why a message was not accepted. The server's own text is left out, because it may name
 * hosts of the internal network.
 */
export function refusalOf(error: unknown): MailRefusal {
  if (!(error instanceof Error)) return { code: 'smtp', isGone: false, isUnknown: true }
  const reply = 'responseCode' in error ? error.responseCode : null
  const code = 'code' in error && typeof error.code === 'string' ? CODES[error.code] : undefined
  const response = 'response' in error && typeof error.response === 'string' ? error.response : ''
  return {
    code: code ?? (typeof reply === 'number' ? `smtp_${reply}` : 'smtp'),
    isGone: code === undefined && NO_RECIPIENT.test(response),
    isUnknown: typeof reply !== 'number' && !isBeforeMessage(error),
  }
}

/**
 * nodemailer does not report the phase in which a connection was lost, so uncertain cases count as
 * unknown.
 */
function isBeforeMessage(error: Error): boolean {
  const textOf = (name: 'code' | 'syscall' | 'timeoutType' | 'originalCode'): string => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'string' ? value : ''
  }
  return (
    BEFORE_MESSAGE.has(textOf('code')) ||
    BEFORE_GREETING.has(textOf('timeoutType')) ||
    textOf('syscall') === 'connect' ||
    CERTIFICATE.test(textOf('originalCode'))
  )
}

/**
 * The headers for a button in mail programs that ends messages (RFC 2369). With https, the button
 * works without opening a page (RFC 8058).
 */
export function unsubscribeHeaders(url: string) {
  // Some mail programs read a folded URL with a space in it.
  const whole = (value: string) => ({ prepared: true, foldLines: false, value })
  return {
    'List-Unsubscribe': whole(`<${new URL(url).href}>`),
    ...(url.startsWith('https:') && {
      'List-Unsubscribe-Post': whole('List-Unsubscribe=One-Click'),
    }),
  }
}
