import { expect, test } from 'vitest'
import { leastTime, steepness, type Subject } from './measure.ts'
import type { Family } from './families.ts'

// Proves that sizes are measured far above those at which growth seems linear.

/** A size, and the time that it is made to take, so that the first sizes end about there. */
const EVEN_SIZE = 65_536
const EVEN_MS = 8.5
const EVEN_TO = 2 * EVEN_SIZE

function turnsOf(count: number): number {
  let sum = 0
  for (let index = 0; index < count; index++) sum = Math.imul(sum ^ index, 2_654_435_761)
  return sum
}

const family: Family = { name: 'spaces', make: (size) => ' '.repeat(size) }

/** Even up to twice the size at which the short form ends, and of the second power from there on. */
async function createPlanted(isSteep: boolean): Promise<Subject> {
  const count = 5_000_000
  turnsOf(count)
  const perMs = count / (await leastTime(() => turnsOf(count)))
  const perCharacter = (EVEN_MS * perMs) / EVEN_SIZE
  return {
    name: 'planted',
    families: [family],
    prepare: ({ length }) => {
      const steep = isSteep && length > EVEN_TO ? length / EVEN_TO : 1
      return () => turnsOf(perCharacter * length * steep)
    },
  }
}

test('planted: the measure notices work that grows evenly up to the end of the short form', async () => {
  const planted = await createPlanted(true)
  expect(await steepness(planted, family, 0)).toBeNull()
  expect(await steepness(planted, family, 1)).toBeGreaterThan(1.2)
})

test('the measure takes what goes on evenly for even', async () => {
  expect(await steepness(await createPlanted(false), family, 1)).toBeNull()
})
