import { expect, it } from 'vitest'
import { PAGE_SIZE } from '../../src/records/paginate.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

type Host = Awaited<ReturnType<typeof createServiceHost>>

/** All items of a list, and the length of its longest page. */
async function readAll(
  host: Host,
  path: string,
): Promise<{ items: { name?: string; text?: string }[]; pages: number; longest: number }> {
  const items: { name?: string; text?: string }[] = []
  let [pages, longest] = [0, 0]
  for (let cursor = ''; ; pages++) {
    const response = await host.send(
      'GET',
      `${path}?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    const text = await response.text()
    const { data } = JSON.parse(text)
    expect(data.items.length).toBeGreaterThan(0)
    items.push(...data.items)
    longest = Math.max(longest, text.length)
    if (data.nextCursor === null) return { items, pages: pages + 1, longest }
    cursor = data.nextCursor
  }
}

it('a list of large records comes complete, in pages of a few megabytes', async () => {
  const host = await createServiceHost()
  const recipe = {
    start: { urls: ['https://shop.example.com/'] },
    extract: { fields: { a: { const: 'x'.repeat(900_000) } } },
  }
  for (let index = 0; index < 12; index++)
    expect(
      (await host.call('POST', '/api/v1/tasks', { body: { name: `t${index}`, recipe } })).status,
    ).toBe(201)
  const { items, pages, longest } = await readAll(host, '/api/v1/tasks')
  expect(items.map(({ name }) => name)).toEqual(
    Array.from({ length: 12 }, (_, index) => `t${11 - index}`),
  )
  expect(pages).toBe(6)
  expect(longest).toBeLessThan(PAGE_SIZE + 10_000)
})

it('large rows come complete, in pages of a few megabytes', async () => {
  const host = await createServiceHost()
  const recipe = {
    start: { urls: ['https://shop.example.com/'] },
    extract: { fields: { text: 'p' } },
  }
  const task = (await host.call('POST', '/api/v1/tasks', { body: { recipe } })).body.data.id
  const execution = (await host.call('POST', `/api/v1/tasks/${task}/executions`)).body.data.id
  const texts = [1, 5_000_000, 2_000_000, 1_900_000, 300_000, 5, 4_500_000, 10].map(
    (length, index) => `${index}${'x'.repeat(length)}`,
  )
  await host.addSegment(
    execution,
    texts.slice(0, 3).map((text) => ({ text })),
  )
  await host.addSegment(
    execution,
    texts.slice(3).map((text) => ({ text })),
  )
  const { items, pages, longest } = await readAll(host, `/api/v1/executions/${execution}/results`)
  expect(items.map(({ text }) => text?.length)).toEqual(texts.map(({ length }) => length))
  expect(pages).toBe(7)
  expect(longest).toBeLessThan(5_001_000)
})
