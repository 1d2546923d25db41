import { expect, it } from 'vitest'
import { createD1Store } from '../../../adapters/cloudflare/index.ts'
import { commitTurns, storeTurns } from '../../contracts/store-turns.ts'
import { createFakeD1 } from '../../support/stores/fake-d1.ts'

const open = async () => createD1Store({ database: createFakeD1() })

storeTurns('createD1Store', open)
commitTurns('createD1Store', open)

it('a list is full although large values are removed while it is read', async () => {
  const database = createFakeD1()
  const other = createD1Store({ database })
  let meanwhile: (() => Promise<unknown>) | null = null
  const store = createD1Store({
    database: {
      prepare: (sql) => database.prepare(sql),
      async batch(statements) {
        const results = await database.batch(statements)
        const change = meanwhile
        meanwhile = null
        await change?.()
        return results
      },
    },
  })
  const key = (i: number) => ['acme', 'tasks', i]
  const set = Array.from({ length: 6 }, (_, i) => ({ key: key(i), value: 'x'.repeat(500_000) }))
  await store.commit({ set })
  const idsOf = async (reverse: boolean): Promise<unknown[]> => {
    meanwhile = () => other.commit({ delete: [key(reverse ? 4 : 1)] })
    const entries = await store.list({ prefix: ['acme', 'tasks'], limit: 3, reverse })
    return entries.map(({ key: [, , id] }) => id)
  }
  expect(await idsOf(false)).toEqual([0, 2, 3])
  expect(await idsOf(true)).toEqual([5, 3, 2])
  await store.close()
})
