import { openOperatorRecords } from '../../../src/features/operator/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { OWNER } from './world.ts'
import type { World } from './world.ts'
import type { WriteScenario } from './write-scenarios.ts'

const REASON = { reason: 'A test' }
const OTHER = { account: 'beta', user: 'beta', scopes: ['*'] }

const keyOf = async ({ platform }: World): Promise<string> =>
  (await platform.api.keys.create(OTHER, { name: 'first', scopes: ['*'] })).id
const runOf = async ({ platform }: World): Promise<string> =>
  (
    await platform.api.executions.run(OWNER, {
      recipe: { start: { urls: ['https://shop.example.com/'] } },
    })
  ).id

/** An act has one entry in the audit log, however often and at whichever process it is requested. */
const act = (
  place: (world: World) => Promise<string>,
  body: object = {},
  method = 'POST',
): WriteScenario => ({
  collection: 'operator-acts',
  prepare: async (world) => ({
    method,
    path: `/api/v1/operator/accounts/${await place(world)}`,
    body: { ...REASON, ...body },
  }),
})
const setState = async ({ store }: World, state: 'suspended' | 'closed'): Promise<void> => {
  const change = new Change()
  openOperatorRecords(store).states.insert(change, SYSTEM, {
    account: 'beta',
    state,
    reason: 'A test',
    since: 0,
    by: { account: 'staff', user: 'olga', key: null },
  })
  await createRecords(store).commit(change)
}
const ofOther = (verb: string) => async (world: World) => {
  await keyOf(world)
  return `beta/${verb}`
}

/** The writes of operators, by operation. */
export const OPERATOR_SCENARIOS: Readonly<Record<string, WriteScenario>> = {
  'operator.suspend': act(ofOther('suspend')),
  'operator.close': act(ofOther('close')),
  'operator.erase': act(async (world) => {
    await keyOf(world)
    await setState(world, 'closed')
    return 'beta/erase'
  }),
  'operator.resume': act(async (world) => {
    await keyOf(world)
    await setState(world, 'suspended')
    return 'beta/resume'
  }),
  'operator.setPlan': act(ofOther('plan'), { plan: 'open' }, 'PUT'),
  'operator.adjust': act(ofOther('adjustments'), { credits: 5 }),
  'operator.createKey': act(async () => 'new/keys', { name: 'first', scopes: ['tasks:read'] }),
  'operator.revokeKey': act(async (world) => `beta/keys/${await keyOf(world)}/revoke`),
  'operator.release': act(async (world) => `acme/runs/${await runOf(world)}/release`),
  'operator.cancel': act(async (world) => `acme/runs/${await runOf(world)}/cancel`),
}
