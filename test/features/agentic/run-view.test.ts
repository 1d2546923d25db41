import { afterEach, expect, test, vi } from 'vitest'
import { runWithRows } from '../../../src/features/agentic/runs.ts'
import type { AgenticRun } from '../../../src/features/agentic/runs.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

afterEach(() => vi.restoreAllMocks())

const SITE = 'https://shop.example.com'

async function someExecution(): Promise<AgenticRun> {
  const world = createWorld({ [`${SITE}/`]: '<h1>Pen</h1>' })
  const task = await world.platform.api.tasks.create(OWNER, {
    name: 'pens',
    recipe: { start: { urls: [`${SITE}/`] }, extract: { fields: { a: 'h1' } } },
  })
  return world.platform.api.executions.start(OWNER, task.id)
}

/** An execution without failed pages, and with these rows. */
const servicesOf = (items: readonly Row[]): Parameters<typeof runWithRows>[0] => ({
  results: {
    list: async (_principal, _id, { limit = 20 } = {}) => ({
      items: items.slice(0, limit),
      nextCursor: null,
      columns: ['a', 'b', 'c'],
    }),
  },
  executions: { pages: () => Promise.reject(new Error('not asked for')) },
})

test('rows of tens of megabytes are shown in part, and never serialised whole', async () => {
  const execution = await someExecution()
  const row: Row = {
    a: 'x'.repeat(5_000_000),
    b: Array.from({ length: 300_000 }, (_, index) => ({ at: index })),
    c: 'pen',
  }
  const { stringify } = JSON
  let longest = 0
  vi.spyOn(JSON, 'stringify').mockImplementation((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args)
    longest = Math.max(longest, text.length)
    return text
  })
  const { rows } = await runWithRows(
    servicesOf([row, row]),
    OWNER,
    execution,
    {},
    'https://data.test',
  )
  expect(longest).toBeGreaterThan(0)
  expect(longest).toBeLessThan(100_000)
  expect(rows).toHaveLength(1)
  expect(rows[0]?.['c']).toBe('pen')
  expect(rows[0]?.['a']).toBe(`${'x'.repeat(6_000)} [4994000 more characters: see exportUrl]`)
  expect(rows[0]?.['b']).toMatch(/^\[\{"at":0\},\{"at":1\}.{5900,} \[more: see exportUrl\]$/)
})

test('rows that fit are shown whole', async () => {
  const items: Row[] = [
    { a: 'pen', b: [1, { d: null }], c: null },
    { a: 'ink', b: 2, c: true },
  ]
  const { rows } = await runWithRows(
    servicesOf(items),
    OWNER,
    await someExecution(),
    {},
    'https://data.test',
  )
  expect(rows).toEqual(items)
})
