import { expect, test } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'

const entries = (account: string, from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: [account, 'x', from + index], value: index }))

/** The number of entries that are written in each turn of the event loop, until `work` ends. */
async function turnsOf(
  work: (note: (entries: number) => void) => Promise<void>,
): Promise<number[]> {
  const turns = [0]
  let isOver = false
  const next = (): void => {
    turns.push(0)
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  await work((count) => (turns[turns.length - 1] = (turns.at(-1) ?? 0) + count))
  isOver = true
  return turns
}

test('commits that follow one another leave turns of the event loop for other work', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  const turns = await turnsOf(async (note) => {
    for (let index = 0; index < 20; index++) {
      await store.commit({ set: entries('one', index * 500, 500) })
      note(500)
    }
  })
  expect(Math.max(...turns)).toBeLessThanOrEqual(1_500)
  expect(await store.list({ prefix: ['one'], limit: 20_000 })).toHaveLength(10_000)
  await store.close()
})

test('large commits of one turn become several transactions, in their order', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  const answers: (boolean | null)[] = []
  const turns = await turnsOf(async (note) => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        // Each commit overwrites the one before it; every second one is refused.
        const check = [{ key: ['none'], version: index % 2 === 0 ? null : '1' }]
        answers.push(
          await store.commit({
            check,
            set: [...entries('many', index * 600, 600), { key: ['last'], value: index }],
          }),
        )
        note(600)
      }),
    )
  })
  expect(Math.max(...turns)).toBeLessThanOrEqual(1_800)
  expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => index % 2 === 0))
  const [last] = await store.get([['last']])
  expect(last?.value).toBe(18)
  await store.close()
})
