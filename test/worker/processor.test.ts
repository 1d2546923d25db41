import { expect, test } from 'vitest'
import { compileRecipe, parseRecipe } from '../../src/engine.ts'
import type { PageProcessor } from '../../src/ports/page-processor.ts'
import { createWorld } from '../support/world.ts'

const RECIPE = { start: { urls: ['https://other.example.com/{1..20}'] }, extract: { fields: { title: 'h1' } } }
const PAGES = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`https://other.example.com/${at + 1}`, { body: `<h1>Page ${at + 1}</h1>` }]))

/** Answers a turn later, and not for the pages of `broken`; notes what is opened and closed. */
function createLateProcessor(broken: string): PageProcessor & { readonly log: string[] } {
  const log: string[] = []
  return {
    log,
    open(recipe) {
      log.push('open')
      const plan = compileRecipe(parseRecipe(recipe))
      return {
        async process(page, visit) {
          await Promise.resolve()
          if (page.url.endsWith(broken)) throw new Error('planted')
          return plan.process(page, visit)
        },
        close: () => void log.push('close'),
      }
    },
    close: async () => void log.push('end'),
  }
}

test('a page that its processor fails on is the only one that fails', async () => {
  const processor = createLateProcessor('/7')
  const world = createWorld(PAGES, { processor })
  const id = await world.start(RECIPE)
  await world.work()
  expect((await world.read(id)).status).toBe('succeeded')
  expect(await world.rows(id)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1).filter((at) => at !== 7).map((at) => ({ title: `Page ${at}` })))
  expect((await world.receipt(id)).filter(({ outcome }) => outcome !== 'fetched')).toEqual([{ url: 'https://other.example.com/7', outcome: 'failed', code: 'internal_error' }])
  expect(processor.log).toEqual(['open', 'close'])
  await world.platform.close()
  expect(processor.log).toEqual(['open', 'close', 'end'])
})
