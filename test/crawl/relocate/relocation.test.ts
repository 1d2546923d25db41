import { describe, expect, test } from 'vitest'
import { keeping, NUMBERS, SHOP } from '../../support/worlds/drifting-task.ts'
import { OWNER } from '../../support/worlds/world.ts'
import { after, before, drifted, FIELDS, NEW_PRICE, page, whyNone } from './pens.ts'

describe('a field that stops matching', () => {
  test('is found by its earlier values', async () => {
    const { relocation, events } = await drifted(keeping({ fields: FIELDS }), before, after)
    expect(relocation).toMatchObject({
      status: 'proposed',
      reason: null,
      items: null,
      fields: [
        {
          field: 'price',
          source: FIELDS.price,
          proposal: NEW_PRICE,
          pages: 6,
          hits: 6,
          confidence: 1,
          samples: [{ url: `${SHOP}/1`, before: 1.5, after: 1.5 }, {}, {}],
        },
      ],
      repairedAt: null,
    })
    expect(await events()).toEqual(['task.drift', 'task.relocation'])
  })
})

describe('no source is proposed', () => {
  test('without kept pages', async () => {
    expect(await whyNone(keeping({ fields: FIELDS }, {}), before, after)).toBe('too_few_pages')
  })

  test('if the values are no longer on the pages', async () => {
    expect(await whyNone(keeping({ fields: FIELDS }), before, (n) => page(n, ''))).toBe(
      'values_not_found',
    )
  })
})

describe('a repair', () => {
  test('is applied on request, once, and the values are extracted again', async () => {
    const { world, api, task, execution, start, events } = await drifted(
      keeping({ fields: FIELDS }),
      before,
      after,
    )
    const { secret } = await api.keys.create(OWNER, { name: 'all', scopes: ['*'] })
    const repair = async () => {
      const response = await world.platform.fetch(
        new Request(`https://seine.example.com/api/v1/tasks/${task}/drift/repair`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body: JSON.stringify({ executionId: execution }),
        }),
      )
      return { status: response.status, body: await response.json() }
    }
    const repaired = await repair()
    expect(repaired).toMatchObject({
      status: 200,
      body: { data: { recipe: { extract: { fields: { name: 'h1', price: NEW_PRICE } } } } },
    })
    expect((await world.read(execution)).relocation).toMatchObject({
      status: 'repaired',
      repairedAt: expect.any(String),
    })
    await world.clock.advance(1_000)
    expect(await repair()).toEqual(repaired)
    const next = await start()
    await world.work()
    const prices = (await world.rows(next)).map(({ price }) => Number(price))
    expect(prices.toSorted((a, b) => a - b)).toEqual(NUMBERS.map((n) => n + 0.5))
    expect(await events()).toEqual(['task.drift', 'task.relocation', 'task.repaired'])
    const { items } = await api.audit.list(OWNER, { operation: 'tasks.repair' })
    expect(items.map(({ subjectId }) => subjectId)).toEqual([task, task])
  })

  test('is 409 after a change of the recipe, and without a proposal', async () => {
    const { api, task, execution } = await drifted(keeping({ fields: FIELDS }), before, after)
    const recipe = { ...(await api.tasks.get(OWNER, task)).recipe }
    await api.tasks.update(OWNER, task, {
      recipe: { ...recipe, extract: { fields: { name: 'h1', price: '.other' } } },
    })
    const repair = { executionId: execution }
    await expect(api.tasks.repair(OWNER, task, repair)).rejects.toMatchObject({ status: 409 })
    const unrepaired = await drifted(keeping({ fields: FIELDS }), before, (n) => page(n, ''))
    await expect(
      unrepaired.api.tasks.repair(OWNER, unrepaired.task, { executionId: unrepaired.execution }),
    ).rejects.toMatchObject({ status: 409, message: expect.stringContaining('navigation') })
  })
})
