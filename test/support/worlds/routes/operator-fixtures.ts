import { OPEN_PLAN } from '../../../../src/features/ledger/plans.ts'
import type { createServiceHost } from '../service-host.ts'

/** The account `acme`, as operators meet it. */
interface SeenByOperators {
  readonly host: Awaited<ReturnType<typeof createServiceHost>>
  readonly execution: string
  readonly key: string
}

/** The parts of an operator's request. */
interface OperatorRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Nobody suspends the account that the own credential belongs to. */
async function ofOther({ host }: SeenByOperators): Promise<OperatorRequest> {
  await host.keyOf('other')
  return { params: { id: 'other' }, body: { reason: 'test' } }
}

/** How to ask for each operation of operators. */
export const OPERATOR_FIXTURES: Readonly<
  Record<string, (seen: SeenByOperators) => OperatorRequest | Promise<OperatorRequest>>
> = {
  'operator.accounts': () => ({ query: { state: 'active' } }),
  'operator.account': () => ({ params: { id: 'acme' } }),
  'operator.suspend': ofOther,
  'operator.resume': ofOther,
  'operator.close': ofOther,
  'operator.erase': async ({ host }) => {
    await host.keyOf('other')
    await host.call('POST', '/api/v1/operator/accounts/other/close', { body: { reason: 'test' } })
    return { params: { id: 'other' }, body: { reason: 'test' } }
  },
  'operator.verify': () => ({ query: { account: 'acme' } }),
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
