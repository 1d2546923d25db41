import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { listenTcp } from '../loopback.ts'

/** A message as a server got it. */
export interface TakenMail {
  readonly from: string
  readonly to: readonly string[]
  /** User and password of `AUTH PLAIN`; `null`: none were sent. */
  readonly account: readonly [user: string, password: string] | null
  /** Headers by their name in small letters, folded lines joined. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Options of {@link serveSmtp}. */
export interface SmtpOptions {
  /** The answer to a command, by its first word, in the place of that of a server that takes all. */
  readonly answers?: Readonly<Record<string, string>>
  /** The answer to `DATA` waits for this. Default: for nothing. */
  readonly beforeData?: Promise<void>
  /** True: a whole message is taken, and the connection ends without an answer. */
  readonly losesAnswer?: boolean
}

/** A server of SMTP without TLS on 127.0.0.1 that keeps what it takes, and every command. */
export async function serveSmtp({
  answers = {},
  beforeData,
  losesAnswer = false,
}: SmtpOptions = {}) {
  const mails: TakenMail[] = []
  const commands: string[] = []
  const arrivals = new EventEmitter()
  let closed = 0
  const server = await listenTcp((socket) => {
    socket.once('close', () => (closed++, arrivals.emit('news')))
    converse(socket, {
      answers,
      beforeData,
      losesAnswer,
      take: (mail) => (mails.push(mail), void arrivals.emit('news')),
      hear: (line) => (commands.push(line), void arrivals.emit('news')),
    })
  })
  const when = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await once(arrivals, 'news')
  }
  return {
    /** Waits for so many messages. */
    until: (count: number) => when(() => mails.length >= count),
    /** Waits until a command, by its first word, has come so often. */
    untilCommand: (verb: string, count: number) =>
      when(() => commands.filter((line) => line.startsWith(verb)).length >= count),
    /** Waits until every connection has ended, of which there is at least one. */
    untilClosed: () => when(() => closed > 0 && closed === server.connections),
    taken: mails,
    commands,
    connections: () => server.connections,
    port: server.port,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

interface Conversation {
  readonly answers: Readonly<Record<string, string>>
  readonly beforeData: Promise<void> | undefined
  readonly losesAnswer: boolean
  readonly take: (mail: TakenMail) => void
  readonly hear: (line: string) => void
}

function converse(
  socket: Socket,
  { answers, beforeData, losesAnswer, take, hear }: Conversation,
): void {
  let seen = ''
  let isData = false
  let envelope = { from: '', to: [] as string[], account: null as TakenMail['account'] }
  const say = (line: string) => socket.write(`${line}\r\n`)
  const command = (line: string) => {
    hear(line)
    const [verb = '', ...rest] = line.split(' ')
    const answer = answers[verb.toUpperCase()]
    if (answer !== undefined) return say(answer)
    if (verb === 'EHLO') return say('250-mail.test\r\n250 AUTH PLAIN')
    if (verb === 'AUTH') {
      const [, user = '', password = ''] = atob(rest[1] ?? '').split('\0')
      envelope.account = [user, password]
      return say('235 2.7.0 welcome')
    }
    if (verb === 'STARTTLS') return say('502 5.5.1 not here')
    if (verb === 'MAIL') envelope.from = line
    if (verb === 'RCPT') envelope.to.push(line)
    if (verb === 'QUIT') return void socket.end('221 bye\r\n')
    if (verb !== 'DATA') return say('250 2.0.0 ok')
    const goOn = () => {
      isData = true
      say('354 go on')
    }
    return beforeData ? void beforeData.then(goOn) : goOn()
  }
  socket.setEncoding('utf8')
  socket.on('error', () => undefined)
  socket.on('data', (part: string) => {
    seen += part
    for (;;) {
      const end = seen.indexOf(isData ? '\r\n.\r\n' : '\r\n')
      if (end < 0) return
      const whole = seen.slice(0, end)
      seen = seen.slice(end + (isData ? 5 : 2))
      if (!isData) command(whole)
      else {
        isData = false
        take({ ...envelope, ...readMessage(whole) })
        envelope = { ...envelope, from: '', to: [] }
        if (losesAnswer) return void socket.destroy()
        say(answers['MESSAGE'] ?? '250 2.0.0 taken')
      }
    }
  })
  say('220 mail.test')
}

function readMessage(whole: string): Pick<TakenMail, 'headers' | 'text'> {
  const [head = '', ...rest] = whole.split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return {
    headers: Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(': ')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
      }),
    ),
    text: rest.join('\r\n\r\n'),
  }
}
