import { codeFor } from '../../../../src/features/webhooks/mail/parts.ts'
import { addressKeyOf, unsubscribeUrl } from '../../../../src/features/webhooks/mail/unsubscribe.ts'
import { platformSecret } from '../../../../src/records/platform-secret.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { CANARY, type RouteRequest, type Seeded } from './route-request.ts'

const account = 'acme'
const address = 'ann@example.com'

const secretOf =
  ({ host }: Seeded) =>
  () =>
    platformSecret(host.records, seededRandom(), 'mail')

/** How to ask for each operation that a message by mail makes possible. */
export const MAIL_FIXTURES: Readonly<
  Record<string, (seeded: Seeded) => RouteRequest | Promise<RouteRequest>>
> = {
  async 'webhooks.confirm'(seeded) {
    const { host } = seeded
    const body = { url: `mailto:${address}`, events: ['*'], description: CANARY }
    const webhook = (await host.call('POST', '/api/v1/webhooks', { body })).body.data.id
    const subject = { account, webhook, address, askedAt: host.clock.now() }
    return { params: { id: webhook }, body: { code: await codeFor(secretOf(seeded), subject) } }
  },
  'webhooks.unsubscribePage': () => ({}),
  async 'webhooks.unsubscribe'(seeded) {
    const secret = secretOf(seeded)
    const key = await addressKeyOf(secret, address)
    const link = await unsubscribeUrl({ secret, base: 'http://host.test' }, { account, key })
    return { query: { token: new URL(link ?? '').searchParams.get('token') ?? '' } }
  },
}
