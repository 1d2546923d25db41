import { describe, expect, it } from 'vitest'
import { OPEN_TARIFF } from '../../../src/features/ledger/plans.ts'
import type { Caps } from '../../../src/features/ledger/plans.ts'
import { Change } from '../../../src/records/change.ts'
import type { HoldingKind } from '../../../src/features/limits/records.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

const tariff = (caps: Partial<Caps>) => ({
  ...OPEN_TARIFF,
  plans: [{ id: 'small', name: 'Small', creditsPerMonth: 0, overdraft: null, caps }] as const,
})

const KINDS = [
  ['tasks', '/api/v1/tasks', { recipe: recipeOf() }, 3],
  ['datasets', '/api/v1/datasets', { name: 'd', keyFields: ['url'] }, 3],
  // The key of the caller is one of them.
  ['keys', '/api/v1/keys', { name: 'k', scopes: ['*'] }, 4],
  ['webhooks', '/api/v1/webhooks', { url: 'https://hooks.example.com/in', events: ['*'] }, 3],
] as const

describe.each(KINDS)('%s', (kind, path, body, most) => {
  const open = async (cap: number | null = most) => {
    const host = await createServiceHost({ tariff: tariff({ [kind]: cap }) })
    return { ...host, add: () => host.call('POST', path, { body }) }
  }

  it('above the cap are refused, with the cap and advice', async () => {
    const { add, call } = await open()
    const answers = [await add(), await add(), await add()]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    const refused = await add()
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
    expect(refused.body.error.limit).toEqual({ of: kind, used: most, most })
    expect(refused.body.error.message).toMatch(
      new RegExp(`has ${most} .* may have ${most}: (delete|revoke) .* plan with more`),
    )
    expect((await call('DELETE', `${path}/${answers[0]?.body.data.id}`)).status).toBe(200)
    expect([(await add()).status, (await add()).status]).toEqual([201, 409])
  })

  it('that are made at the same moment are counted one by one', async () => {
    const { add } = await open()
    const answers = await Promise.all(Array.from({ length: 12 }, add))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
  })

  it('can be made later with the Idempotency-Key of a refused call', async () => {
    const { call, add } = await open()
    const answers = [await add(), await add(), await add()]
    const again = () => call('POST', path, { body, headers: { 'idempotency-key': 'one' } })
    expect((await again()).status).toBe(409)
    await call('DELETE', `${path}/${answers[0]?.body.data.id}`)
    expect((await again()).status).toBe(201)
  })

  it('have no cap if the plan says null', async () => {
    const { add } = await open(null)
    for (let i = 0; i < 6; i++) expect((await add()).status).toBe(201)
  })
})

describe('records from before they were counted', () => {
  const forget = async (host: Awaited<ReturnType<typeof createServiceHost>>, kind: HoldingKind) => {
    const stored = await host.records.holdings.get('acme', kind)
    if (!stored) throw new Error('nothing was counted')
    const change = new Change()
    host.records.holdings.remove(change, 'acme', stored)
    expect(await host.records.commit(change)).toBe(true)
  }

  it.each(KINDS.filter(([kind]) => kind !== 'webhooks'))(
    'that are %s are counted when the next one is made or deleted',
    async (kind, path, body, most) => {
      if (kind === 'webhooks') return
      const host = await createServiceHost({ tariff: tariff({ [kind]: most }) })
      const add = () => host.call('POST', path, { body })
      const first = await add()
      await add()
      await forget(host, kind)
      expect([(await add()).status, (await add()).status]).toEqual([201, 409])
      await forget(host, kind)
      await host.call('DELETE', `${path}/${first.body.data.id}`)
      expect((await host.records.holdings.get('acme', kind))?.value.count).toBe(most - 1)
    },
  )
})
