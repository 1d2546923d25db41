import { expect, test } from 'vitest'
import { createDefaultPageProcessor } from '../../src/defaults/page-processor.ts'
import { openPageWork, openRowWork } from '../../src/engine.ts'
import { pageProcessorContract } from '../contracts/page-processor.ts'
import { pageAt, TITLES } from '../support/worlds/page-pool.ts'
import { pageOf } from '../support/worlds/page-run.ts'

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

test.each(['the recipe', 'all pages'])(
  'closing %s ends a page between two of its turns',
  async (what) => {
    let turns = 0
    const pages = createDefaultPageProcessor(openPageWork, openRowWork, async () => {
      if (++turns === 3) await (what === 'the recipe' ? recipe : pages).close()
    })
    const recipe = pages.open({
      start: { urls: ['https://a.example/'] },
      extract: { items: 'li', fields: { text: { css: ':scope', transform: ['upper'] } } },
    })
    const page = pageOf(`<ul>${'<li>one</li>'.repeat(40_000)}</ul>`)
    await expect(recipe.process(page, { label: 'start', depth: 0, hop: 1 })).rejects.toThrow(
      'The page processor is closed',
    )
    expect(turns).toBe(3)
    await pages.close()
  },
)
