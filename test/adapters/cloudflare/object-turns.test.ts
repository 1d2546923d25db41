import { expect, it } from 'vitest'
import { createDurableObjectStore } from '../../../adapters/cloudflare/index.ts'
import { commitTurns, storeTurns } from '../../contracts/store-turns.ts'
import { largeTurns } from '../../support/stores/large-turns.ts'
import { createObjectStorage } from '../../support/worlds/object-host.ts'

const open = async () => createDurableObjectStore({ storage: createObjectStorage() })

storeTurns('createDurableObjectStore', open)
commitTurns('createDurableObjectStore', open)
largeTurns('createDurableObjectStore', open)

it('a commit that is larger than a turn is written, and those behind it keep their order', async () => {
  const store = await open()
  const order: number[] = []
  const write = async (commit: number, count: number): Promise<void> => {
    const set = Array.from({ length: count }, (_, i) => ({ key: ['a', commit, i], value: i }))
    expect(await store.commit({ set })).toBe(true)
    order.push(commit)
  }
  await Promise.all([write(1, 900), write(2, 900), write(3, 3_000), write(4, 1), write(5, 3_000)])
  expect(order).toEqual([1, 2, 3, 4, 5])
  expect(await store.list({ prefix: ['a'], limit: 10_000 })).toHaveLength(7_801)
  await store.close()
})

it('a waiting commit that adds to a text is refused alone', async () => {
  const store = await open()
  const set = Array.from({ length: 2_000 }, (_, i) => ({ key: ['a', i], value: 'text' }))
  const add = (key: string | number) => store.commit({ add: [{ key: ['a', key], amount: 1 }] })
  const answers = await Promise.allSettled([store.commit({ set }), add(1), add('sum')])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((await store.get([['a', 'sum']]))[0]?.value).toBe(1)
  await store.close()
})
