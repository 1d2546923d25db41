/**
 * The mailer speaks SMTP with a server on loopback: one message a call, to one address, with no
 * password and no message without TLS unless the server is named as one of the own network.
 */
import { expect, test } from 'vitest'
import { createSmtpMailer } from '../../../adapters/smtp/index.ts'
import type { SmtpMailerOptions } from '../../../adapters/smtp/index.ts'
import { readSender } from '../../../adapters/smtp/messages.ts'
import { serveSmtp } from '../../support/fakes/smtp-server.ts'
import type { SmtpOptions } from '../../support/fakes/smtp-server.ts'
import { freePort } from '../../support/free-port.ts'
import { serveHttps } from '../../support/loopback.ts'

const FROM = 'Seine Ärger <seine@example.com>'
const message = {
  id: 'evt_1.hook_1.1',
  to: 'ann@example.com',
  subject: 'Seine: a run has ended',
  text: 'One line.\n.\nFrom the ä.\n',
}
const signal = new AbortController().signal

/** A mailer that sends to this server. */
const mailerOf = ({ port }: { readonly port: number }, options: Partial<SmtpMailerOptions> = {}) =>
  createSmtpMailer({
    url: `smtp://us%40er:pa%3Ass@127.0.0.1:${port}`,
    from: FROM,
    privateHost: '127.0.0.1',
    ...options,
  })

/** Sends the message to a server, and gives the answer and what came there. */
async function sendTo(server: SmtpOptions, options: Partial<SmtpMailerOptions> = {}, more = {}) {
  await using smtp = await serveSmtp(server)
  const mailer = mailerOf(smtp, options)
  const refusal = await mailer.send({ ...message, ...more, signal })
  await mailer.close?.()
  return { refusal, taken: smtp.taken, commands: smtp.commands }
}

test('a message arrives whole, from the sender, with the password of the URL', async () => {
  const { refusal, taken } = await sendTo({})
  expect(refusal).toBe(null)
  expect(taken).toHaveLength(1)
  const [mail] = taken
  expect(mail?.account).toEqual(['us@er', 'pa:ss'])
  expect(mail?.from).toMatch(/^MAIL FROM:<seine@example\.com>/)
  expect(mail?.to).toEqual(['RCPT TO:<ann@example.com>'])
  expect(mail?.headers).toMatchObject({
    to: 'ann@example.com',
    from: expect.stringMatching(/^=\?UTF-8\?.*\?= <seine@example\.com>$/),
    subject: message.subject,
    'message-id': '<evt_1.hook_1.1@example.com>',
    'auto-submitted': 'auto-generated',
  })
  expect(mail?.headers['content-type']).toMatch(/^text\/plain/)
  expect(mail?.text).toContain('One line.\r\n')
})

test.for([
  // The local part is quoted as a whole: a mailbox of example.com, which that server does not have.
  [{ to: 'ann@example.com,bob@example.com' }, '"ann@example.com,bob"@example.com'],
  [{ to: 'ann@example.com\r\nBcc: bob@example.com' }, '"ann@example.com Bcc: bob"@example.com'],
  [{ subject: 'a\r\nBcc: bob@example.com' }, message.to],
  [{ id: 'x>\r\nBcc: <bob@example.com' }, message.to],
] as const)('%j goes to one recipient, and is no second header', async ([more, recipient]) => {
  const { refusal, taken, commands } = await sendTo({}, {}, more)
  expect(refusal).toBe(null)
  expect(taken.map(({ to }) => to)).toEqual([[`RCPT TO:<${recipient}>`]])
  expect(commands.filter((line) => line.startsWith('RCPT'))).toHaveLength(1)
  expect(taken.flatMap(({ headers }) => Object.keys(headers))).not.toContain('bcc')
})

test.for<readonly [answers: Record<string, string>, code: string, isGone: boolean]>([
  [{ RCPT: '550 5.1.1 no such user' }, 'smtp_550', true],
  [{ RCPT: '550 5.7.1 relaying denied' }, 'smtp_550', false],
  [{ RCPT: '550 no' }, 'smtp_550', false],
  [{ RCPT: '450 4.2.1 later' }, 'smtp_450', false],
  [{ AUTH: '535 5.7.8 wrong' }, 'mail_auth', false],
  [{ MESSAGE: '554 5.6.0 no' }, 'smtp_554', false],
])('a server that says %j is %s', async ([answers, code, isGone]) => {
  const { refusal } = await sendTo({ answers })
  expect(refusal).toEqual({ code, isGone, isUnknown: false })
})

test('a server without TLS gets neither password nor message, unless it is named again', async () => {
  await using smtp = await serveSmtp()
  const url = `smtp://user:pass@127.0.0.1:${smtp.port}`
  const refusal = await createSmtpMailer({ url, from: FROM }).send({ ...message, signal })
  expect(refusal).toEqual({ code: 'tls', isGone: false, isUnknown: false })
  expect(smtp.taken).toEqual([])
  expect(smtp.commands.filter((line) => /^(?:AUTH|MAIL)/.test(line))).toEqual([])
})

test('a certificate that nobody vouches for is refused', async () => {
  await using server = await serveHttps(() => undefined)
  const mailer = createSmtpMailer({ url: `smtps://127.0.0.1:${server.port}`, from: FROM })
  expect(await mailer.send({ ...message, signal })).toEqual({
    code: 'connect',
    isGone: false,
    isUnknown: false,
  })
})

test('a connection that ends after the message leaves unknown whether it was accepted', async () => {
  const { refusal, taken } = await sendTo({ losesAnswer: true })
  expect(taken).toHaveLength(1)
  expect(refusal).toEqual({ code: 'connect', isGone: false, isUnknown: true })
})

test('a message that is aborted is not sent, although the server lets it begin later', async () => {
  const late = Promise.withResolvers<void>()
  await using smtp = await serveSmtp({ beforeData: late.promise })
  const mailer = mailerOf(smtp)
  const [first, other] = [new AbortController(), new AbortController()]
  const sending = mailer.send({ ...message, signal: first.signal })
  const going = mailer.send({ ...message, to: 'bob@example.com', signal: other.signal })
  await smtp.untilCommand('DATA', 2)
  first.abort(new Error('too late'))
  late.resolve()
  await expect(sending).rejects.toThrow('too late')
  expect(await going).toBe(null)
  await smtp.untilClosed()
  // Each message has a connection of its own, so the other one is sent.
  expect(smtp.taken.map(({ to }) => to)).toEqual([['RCPT TO:<bob@example.com>']])
})

test('a message that is aborted before it begins, or after the mailer was closed, opens no connection', async () => {
  await using smtp = await serveSmtp()
  const mailer = mailerOf(smtp)
  const gone = AbortSignal.abort(new Error('too late'))
  await expect(mailer.send({ ...message, signal: gone })).rejects.toThrow('too late')
  await mailer.close?.()
  await expect(mailer.send({ ...message, signal })).rejects.toThrow('The mailer was closed')
  expect(smtp.connections()).toBe(0)
})

test('the address that ends messages is a header, whole, and a button only for https', async () => {
  const unsubscribeUrl = `https://data.example.com/api/v1/unsubscribe?token=${'x'.repeat(300)}`
  const headersOf = async (url: string) =>
    (await sendTo({}, {}, { unsubscribeUrl: url })).taken[0]?.headers
  expect(await headersOf(unsubscribeUrl)).toMatchObject({
    'list-unsubscribe': `<${unsubscribeUrl}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
  })
  const plain = await headersOf('http://localhost:8080/u\r\nBcc: <bob@example.com>')
  expect(plain).toHaveProperty('list-unsubscribe')
  expect(plain).not.toHaveProperty('list-unsubscribe-post')
  expect(plain).not.toHaveProperty('bcc')
  expect((await sendTo({})).taken[0]?.headers).not.toHaveProperty('list-unsubscribe')
})

test('a server that is not there is no error of the message', async () => {
  const mailer = createSmtpMailer({
    url: `smtp://127.0.0.1:${await freePort()}`,
    from: FROM,
    privateHost: '127.0.0.1',
  })
  expect(await mailer.send({ ...message, signal })).toEqual({
    code: 'connect',
    isGone: false,
    isUnknown: false,
  })
  await mailer.close?.()
  await mailer.close?.()
})

test.for<readonly [options: object, wrong: string]>([
  [{ url: 'https://mail.example.com', from: FROM }, 'url must be smtp://host or smtps://host'],
  [{ url: 'smtp:mail', from: FROM }, 'url must be smtp://host'],
  [{ url: 'smtp://u:%zz@mail.example.com', from: FROM }, 'percent-encoded'],
  [{ url: 'smtp://a.test', from: FROM, privateHost: 'b.test' }, 'must be the host of url'],
  [{ url: 'smtp://a.test', from: 'nobody' }, 'from must be an address'],
  [{ url: 'smtp://a.test' }, 'from'],
])('%j is refused', ([options, wrong]) => {
  const create = () => createSmtpMailer(JSON.parse(JSON.stringify(options)))
  expect(create).toThrow(TypeError)
  expect(create).toThrow(wrong)
  expect(create).not.toThrow('%zz')
})

test.for<readonly [text: string, sender: readonly [string, string] | null]>([
  ['seine@example.com', ['', 'seine@example.com']],
  ['Seine Ärger <seine@example.com>', ['Seine Ärger', 'seine@example.com']],
  ['<seine@example.com>', ['', 'seine@example.com']],
  ['Seine\r\nBcc: x <seine@example.com>', null],
  ['a@example.com, b@example.com', null],
  ['a <a@example.com>, b <b@example.com>', null],
  ['seine@example.com\r\n', null],
  ['seine', null],
])('the sender %j is %j', ([text, sender]) => {
  expect(readSender(text)).toEqual(sender && { name: sender[0], address: sender[1] })
})
