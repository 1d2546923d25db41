import { setImmediate } from 'node:timers'
import { expect, test } from 'vitest'
import { createServiceHost, recipeOf } from '../support/worlds/service-host.ts'

const CHARACTERS = 300_000

/** Counts the turns of the event loop until a call is answered. */
async function turnsOf(call: () => Promise<{ readonly status: number }>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  expect((await call()).status).toBe(201)
  isOver = true
  return turns
}

test('a large body is read, checked, stored and shown in turns of their own', async () => {
  const { call } = await createServiceHost()
  const turnsFor = (length: number): Promise<number> =>
    turnsOf(() => {
      const recipe = { ...recipeOf(), extract: { fields: { a: { const: 'x'.repeat(length) } } } }
      return call('POST', '/api/v1/tasks', { body: { name: 'Large', recipe } })
    })
  // The first call loads code.
  await turnsFor(CHARACTERS)
  const small = await turnsFor(10)
  // Four rests, and each leaves four turns to other work.
  expect((await turnsFor(CHARACTERS)) - small).toBeGreaterThanOrEqual(16)
})
