import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { OpenRecipe, Page, PageProcessor, Visit } from '../../../src/ports/page-processor.ts'
import { createTestPool, pageAt, TITLES } from '../../support/worlds/page-pool.ts'

// Proves that large pages are copied for threads in turns of the event loop, and that such a copy
// ends with its page, its recipe and the pool.

const START: Visit = { label: 'start', depth: 0, hop: 1 }
const paths = (count: number): string[] => Array.from({ length: count }, (_, index) => `/p${index}`)

/** A recipe of a pool whose thread has answered once. */
async function opened(pool: PageProcessor): Promise<OpenRecipe> {
  onTestFinished(() => pool.close())
  const recipe = pool.open(TITLES)
  await recipe.process(pageAt('/first'), START)
  return recipe
}

/** A page of some megabytes, whose copy for a thread takes several turns. */
function largePage(path: string, megabytes: number): Page {
  const body = new Uint8Array(megabytes * 1_024 * 1_024).fill(32)
  const page = pageAt(path)
  body.set(page.body)
  return { ...page, body }
}

test('large pages are copied in turns, and small ones of others pass them', async () => {
  const { pool } = await createTestPool({ threads: 1 })
  const recipe = await opened(pool)
  const other = pool.open(TITLES, { account: 'other' })
  const order: string[] = []
  const titled = async (path: string, page: Page, by = recipe): Promise<unknown> => {
    const { rows } = await by.process(page, START)
    order.push(path)
    return rows[0]?.['title']
  }
  const large = paths(3).map((path) => titled(path, largePage(path, 8)))
  // The copy of the first large page is under way, and holds nobody up.
  expect(await titled('/small', pageAt('/small'), other)).toBe('/small')
  expect(order).toEqual(['/small'])
  expect(await Promise.all(large)).toEqual(paths(3))
})

test('a large page that is cancelled while it is copied makes way for the next one', async () => {
  const { pool } = await createTestPool({ threads: 1 })
  const recipe = await opened(pool)
  const cancel = new AbortController()
  const cancelled = recipe.process(largePage('/a', 8), START, cancel.signal)
  await turn()
  cancel.abort(new Error('enough'))
  await expect(cancelled).rejects.toThrow('enough')
  expect((await recipe.process(largePage('/b', 8), START)).rows[0]?.['title']).toBe('/b')
})

test('a large page ends with its recipe and with the pool, also while it is copied', async () => {
  const { pool } = await createTestPool({ threads: 1 })
  const recipe = await opened(pool)
  const open = pool.open(TITLES)
  const first = open.process(largePage('/a', 8), START)
  await turn()
  open.close()
  await expect(first).rejects.toThrow('closed')
  const second = recipe.process(largePage('/b', 8), START)
  await turn()
  const closing = pool.close()
  await expect(second).rejects.toThrow('closed')
  await closing
})
