import { codeFor } from '../../../../src/features/webhooks/mail/parts.ts'
import { addressKeyOf, unsubscribeUrl } from '../../../../src/features/webhooks/mail/unsubscribe.ts'
import { platformSecret } from '../../../../src/records/platform-secret.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { CANARY, type RouteRequest, type Seeded } from './route-request.ts'

type Host = Seeded['host']

const account = 'acme'
const address = 'ann@example.com'

const secretOf = (host: Host) => () => platformSecret(host.records, seededRandom(), 'mail')

/** Adds a webhook with an address of mail. Returns its id, and the code that confirms it. */
export async function addAsked(
  host: Host,
  to = address,
): Promise<{ readonly id: string; readonly code: string }> {
  const body = { url: `mailto:${to}`, events: ['*'], description: CANARY }
  const { id } = (await host.call('POST', '/api/v1/webhooks', { body })).body.data
  const subject = { account, webhook: id, address: to, askedAt: host.clock.now() }
  return { id, code: await codeFor(secretOf(host), subject) }
}

/** The token of the link that ends messages. */
export async function unsubscribeToken(host: Host): Promise<string> {
  const secret = secretOf(host)
  const key = await addressKeyOf(secret, address)
  const link = await unsubscribeUrl({ secret, base: 'http://host.test' }, { account, key })
  return new URL(link ?? '').searchParams.get('token') ?? ''
}

const askedOn = new WeakMap<Host, { readonly id: string; readonly code: string }>()

/** How to ask for each operation that a message by mail makes possible. */
export const MAIL_FIXTURES: Readonly<
  Record<string, (seeded: Seeded) => RouteRequest | Promise<RouteRequest>>
> = {
  async 'webhooks.confirm'({ host }) {
    // An address is asked once a day, and a code is right also for one that is confirmed.
    const confirmed = askedOn.get(host) ?? (await addAsked(host))
    askedOn.set(host, confirmed)
    return { params: { id: confirmed.id }, body: { code: confirmed.code } }
  },
  'webhooks.unsubscribePage': () => ({}),
  async 'webhooks.unsubscribe'({ host }) {
    return { query: { token: await unsubscribeToken(host) } }
  },
}
