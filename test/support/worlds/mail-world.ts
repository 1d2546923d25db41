import type { MailMessage } from '../../../src/ports/mailer.ts'
import { createWebhookWorld } from './webhook-world.ts'
import type { WebhookWorldOptions } from './webhook-world.ts'
import { OWNER } from './world.ts'

export const HOOKS = '/api/v1/webhooks'
export const ANN = 'mailto:ann@example.com'

/** A message without what only its sending needs. */
export type Mailed = Omit<MailMessage, 'signal'>

/** The code in a message. */
export const codeIn = (message: Mailed | undefined) =>
  /^ {4}([2-9A-Z]{4}-[2-9A-Z]{4})$/m.exec(message?.text ?? '')?.[1] ?? 'none'

/** A platform whose mailer notes its messages and gives the answers of `reply`, right or wrong. */
export async function openMailWorld(
  reply: (message: Mailed) => unknown = () => null,
  options: Partial<WebhookWorldOptions> = {},
) {
  const mailed: Mailed[] = []
  const world = createWebhookWorld({
    mail: {
      send: async ({ id, to, subject, text, unsubscribeUrl }) => {
        const message = {
          id,
          to,
          subject,
          text,
          ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
        }
        mailed.push(message)
        return Promise.resolve<ReturnType<typeof JSON.parse>>(reply(message))
      },
    },
    ...options,
  })
  const keyOf = async (account: string) =>
    (await world.platform.api.keys.create({ ...OWNER, account }, { name: 'k', scopes: ['*'] }))
      .secret
  const key = await keyOf(OWNER.account)
  const call = async (method: string, path: string, body?: object, as = key) => {
    const answer = await world.platform.fetch(
      new Request(`http://host.test${path}`, {
        method,
        headers: { 'x-api-key': as, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    const { data, error } = JSON.parse(await answer.text())
    return { status: answer.status, data, error }
  }
  /** Asks an address by a new webhook. */
  const ask = (url: string, as = key) => call('POST', HOOKS, { url, events: ['*'] }, as)
  /** Adds a webhook and confirms its address. */
  const confirmed = async (url = ANN, as = key) => {
    const { data } = await ask(url, as)
    await world.work()
    await call('POST', `${HOOKS}/${data.id}/confirm`, { code: codeIn(mailed.at(-1)) }, as)
    mailed.length = 0
    return data.id
  }
  return { ...world, mailed, call, ask, confirmed, keyOf }
}
