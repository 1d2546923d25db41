import { describe, expect, it } from 'vitest'
import { LIST, modelOf, SHOP } from '../../support/fakes/model-pages.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

describe('an answer that is too large', () => {
  const recipe = {
    start: { urls: [SHOP] },
    extract: { items: ':model(every mark)', fields: { mark: { model: 'The mark' } } },
  }
  const read = async (rows: readonly { readonly mark: string }[]) => {
    const world = createWorld({ [SHOP]: LIST }, { model: modelOf(() => ({ rows: [...rows] })) })
    const id = await world.start(recipe)
    await world.work()
    return { world, id, execution: await world.read(id) }
  }

  it('keeps its first 5,000 rows, and says that there were more', async () => {
    const { world, id, execution } = await read(
      Array.from({ length: 5_001 }, (_, index) => ({ mark: `m${index}` })),
    )
    expect(execution.filled).toEqual({ mark: 5_000 })
    const { items } = await world.platform.api.executions.pages(OWNER, id)
    expect(items[0]?.reason).toEqual({
      code: 'page_too_costly',
      message:
        'The page has more than 5,000 rows at the answer of the model; the rest of these is left out',
    })
  })

  it('is not reported if no row is left out', async () => {
    const { world, id } = await read(
      Array.from({ length: 5_000 }, (_, index) => ({ mark: `m${index}` })),
    )
    expect(await world.receipt(id)).toMatchObject([{ outcome: 'fetched', code: null }])
  })

  it('keeps the rows that were read before the limit of costs', async () => {
    const long = 'x'.repeat(500_000)
    const { world, id, execution } = await read(Array.from({ length: 40 }, () => ({ mark: long })))
    const { items } = await world.platform.api.executions.pages(OWNER, id)
    expect(items[0]?.reason?.code).toBe('page_too_costly')
    expect(items[0]?.reason?.message).toContain('at the answer of the model')
    expect(execution.filled['mark']).toBeGreaterThan(0)
    expect(execution.filled['mark']).toBeLessThan(40)
  })
})
