import { expect, test } from 'vitest'
import { createDefaultPageProcessor } from '../../src/defaults/page-processor.ts'
import { openPageWork, openRowWork } from '../../src/engine.ts'
import { pageProcessorContract } from '../contracts/page-processor.ts'
import { pageAt, TITLES } from '../support/worlds/page-pool.ts'

pageProcessorContract('Pages without threads', async () =>
  createDefaultPageProcessor(openPageWork, openRowWork),
)

test('the event loop has a turn before each page', async () => {
  const log: string[] = []
  const pages = createDefaultPageProcessor(
    openPageWork,
    openRowWork,
    async () => void log.push('turn'),
  )
  const recipe = pages.open(TITLES)
  const start = { label: 'start', depth: 0, hop: 1 }
  await Promise.all(
    ['/a', '/b', '/c'].map(async (path) =>
      log.push(String((await recipe.process(pageAt(path), start)).rows[0]?.['title'])),
    ),
  )
  expect(log).toEqual(['turn', '/a', 'turn', '/b', 'turn', '/c'])
  await pages.close()
})

test('pages of several accounts are processed in turns', async () => {
  const pages = createDefaultPageProcessor(openPageWork, openRowWork, () => Promise.resolve())
  const order: string[] = []
  const ask = async (account: string, path: string): Promise<void> => {
    await pages.openPages({ account }).read(pageAt(path))
    order.push(account)
  }
  await Promise.all([
    ...Array.from({ length: 20 }, (_, index) => ask('flood', `/${index}`)),
    ask('honest', '/one'),
    ask('honest', '/two'),
  ])
  expect(order.indexOf('honest')).toBeLessThan(3)
  expect(order.lastIndexOf('honest')).toBeLessThan(6)
  await pages.close()
})
