import { OPEN_PLAN } from '../../../src/features/ledger/plans.ts'
import type { RouteRequest, Seeded } from './route-fixtures.ts'

/** Nobody suspends the account that the own credential belongs to. */
async function ofOther({ host }: Seeded): Promise<RouteRequest> {
  await host.keyOf('other')
  return { params: { id: 'other' }, body: { reason: 'test' } }
}

/** How to ask for each operation of operators. */
export const OPERATOR_FIXTURES: Readonly<
  Record<string, (seeded: Seeded) => RouteRequest | Promise<RouteRequest>>
> = {
  'operator.accounts': () => ({ query: { state: 'active' } }),
  'operator.account': () => ({ params: { id: 'acme' } }),
  'operator.suspend': ofOther,
  'operator.resume': ofOther,
  'operator.close': ofOther,
  'operator.setPlan': () => ({
    params: { id: 'acme' },
    body: { plan: OPEN_PLAN.id, reason: 'test' },
  }),
  'operator.adjust': () => ({ params: { id: 'acme' }, body: { credits: 5, reason: 'test' } }),
  'operator.usage': () => ({ params: { id: 'acme' } }),
  'operator.keys': () => ({ params: { id: 'acme' } }),
  'operator.createKey': () => ({
    params: { id: 'acme' },
    body: { name: 'new', scopes: ['tasks:read'], reason: 'test' },
  }),
  'operator.revokeKey': ({ key }) => ({
    params: { id: 'acme', key },
    body: { reason: 'test' },
  }),
  'operator.runs': () => ({ query: { account: 'acme' } }),
  'operator.stuck': () => ({}),
  'operator.release': ({ execution }) => ({
    params: { id: 'acme', run: execution },
    body: { reason: 'test' },
  }),
  'operator.cancel': ({ execution }) => ({
    params: { id: 'acme', run: execution },
    body: { reason: 'test' },
  }),
  'operator.workers': () => ({}),
  'operator.health': () => ({}),
  'operator.log': () => ({}),
}
