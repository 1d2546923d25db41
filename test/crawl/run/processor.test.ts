import { expect, test } from 'vitest'
import { openPageWork, openRowWork, PageFailure } from '../../../src/engine.ts'
import { defineRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page, PageProcessor } from '../../../src/ports/page-processor.ts'
import { createDefaultPageProcessor } from '../../support/worlds/inline-pages.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const RECIPE = {
  start: { urls: ['https://other.example.com/{1..20}'] },
  extract: { fields: { title: 'h1' } },
}
const PAGES = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [
    `https://other.example.com/${index + 1}`,
    { body: `<h1>Page ${index + 1}</h1>` },
  ]),
)

/** Answers a turn later, but not for the pages of `broken`; notes what is opened and closed. */
function createLateProcessor(broken: string): PageProcessor & { readonly log: string[] } {
  const log: string[] = []
  const pages = createDefaultPageProcessor(openPageWork, openRowWork)
  return {
    ...pages,
    log,
    open(recipe, options) {
      log.push(`open for ${options?.account}`)
      const open = pages.open(recipe, options)
      const refuse = async (page: Page): Promise<void> => {
        await Promise.resolve()
        if (!page.url.endsWith(broken)) return
        throw broken === '/7'
          ? new Error('planted')
          : new PageFailure('time', 'The page took more than 10 seconds of time and was given up')
      }
      return {
        ...open,
        process: (page, visit) => refuse(page).then(() => open.process(page, visit)),
        inspect: (page, visit) => refuse(page).then(() => open.inspect(page, visit)),
        close: () => void log.push('close'),
      }
    },
    openPages: (options) => pages.openPages(options),
    close: async () => void log.push('end'),
  }
}

test('when the processor fails on a page, only this page fails', async () => {
  const processor = createLateProcessor('/7')
  const world = createWorld(PAGES, { processor })
  const id = await world.start(RECIPE)
  await world.work()
  expect((await world.read(id)).status).toBe('succeeded')
  expect(await world.rows(id)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1)
      .filter((page) => page !== 7)
      .map((page) => ({ title: `Page ${page}` })),
  )
  expect((await world.receipt(id)).filter(({ outcome }) => outcome !== 'fetched')).toEqual([
    { url: 'https://other.example.com/7', outcome: 'failed', code: 'internal_error' },
  ])
  expect(processor.log).toEqual(['open for acme', 'close'])
  await world.platform.close()
  expect(processor.log).toEqual(['open for acme', 'close', 'end'])
})

test('a page that is given up has an outcome that says why', async () => {
  const world = createWorld(PAGES, { processor: createLateProcessor('/9') })
  const id = await world.start(RECIPE)
  await world.work()
  expect(await world.rows(id)).toHaveLength(19)
  const { items } = await world.platform.api.executions.pages(OWNER, id, { outcome: 'failed' })
  const reason = {
    code: 'page_too_costly',
    message: 'The page took more than 10 seconds of time and was given up',
  }
  expect(items.map(({ url, reason: shown }) => ({ url, reason: shown }))).toEqual([
    { url: 'https://other.example.com/9', reason },
  ])
  await world.platform.close()
})

test('a page that is given up has the same outcome and row in a preview', async () => {
  const world = createWorld(PAGES, { processor: createLateProcessor('/9') })
  const url = 'https://other.example.com/9'
  const recipe = defineRecipe({
    start: { urls: [url] },
    extract: { failed: true, fields: { title: 'h1', status: { page: 'status' } } },
  })
  const id = await world.start(recipe)
  await world.work()
  const { items } = await world.platform.api.executions.pages(OWNER, id)
  const row = { title: null, status: 200 }
  expect(await world.rows(id)).toEqual([row])
  const preview = await world.clock.runUntil(
    world.platform.api.previews.run(OWNER, { recipe, scope: 'recipe' }),
  )
  expect(preview.rows).toEqual([row])
  const { outcome, reason, httpStatus, finalUrl } = items[0] ?? {}
  expect(preview.pages).toMatchObject([{ url, outcome, reason, httpStatus, finalUrl, rows: 1 }])
  expect(reason?.code).toBe('page_too_costly')
  await world.platform.close()
})
