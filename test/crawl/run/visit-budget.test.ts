import type { RecipeInput } from 'seine'
import { describe, expect, test } from 'vitest'
import { openPageWork, openRowWork } from '../../../src/engine.ts'
import type { OpenRecipe, Page, PageProcessor } from '../../../src/ports/page-processor.ts'
import type { PageSpent } from '../../../src/ports/page-limits.ts'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import { createDefaultPageProcessor } from '../../support/worlds/inline-pages.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

// Proves that all questions about one page share the budget of its visit: the cost of the question
// whether to render it reduces the budget of the next ones.

const SITE = 'https://shop.example.com/'
const item =
  '<li class="pen"><a href="/a">Pen of the shop</a> <span class="price">3,50 €</span></li>'
const html = (body: string) => ({ headers: { 'content-type': 'text/html' }, body })
const PAGES = {
  [SITE]: html('<title>Shop</title><div id="app"></div><script src="/app.js"></script>'),
  [`${SITE}rich`]: html(
    `<title>Shop</title><ul>${item.repeat(8)}</ul><p>${'word '.repeat(600)}</p><script></script>`,
  ),
}
const EXTRACT = { items: '.pen', fields: { name: 'a' } }

/** Notes each question about a page, and how much of the budget was spent before it. */
function spyOn(
  pages: PageProcessor,
): PageProcessor & { readonly asked: string[]; readonly spent: (PageSpent | undefined)[] } {
  const requests: string[] = []
  const spent: (PageSpent | undefined)[] = []
  const note = (task: string, page: Page): void => {
    requests.push(task)
    spent.push(page.spent)
  }
  const noting = (open: OpenRecipe): OpenRecipe => ({
    ...open,
    process: (page, ...more) => (note('process', page), open.process(page, ...more)),
    inspect: (page, ...more) => (note('inspect', page), open.inspect(page, ...more)),
    propose: (page, ...more) => (note('propose', page), open.propose(page, ...more)),
    complete: (page, ...more) => (note('complete', page), open.complete(page, ...more)),
    isShell: (page, ...more) => (note('isShell', page), open.isShell(page, ...more)),
  })
  return {
    ...pages,
    asked: requests,
    spent,
    open: (...args) => noting(pages.open(...args)),
    openPages(options) {
      const open = pages.openPages(options)
      return { ...open, read: (page, ...more) => (note('read', page), open.read(page, ...more)) }
    },
  }
}

function worldOf() {
  const processor = spyOn(createDefaultPageProcessor(openPageWork, openRowWork))
  const browser = createFakeBrowser((page) => ({
    html: page.replace('<div id="app">', `<div id="app"><ul>${item.repeat(8)}</ul>`),
  }))
  return { processor, browser, world: createWorld(PAGES, { processor, browser }) }
}

/** Steps that were spent before the last question. */
const stepsBefore = (spent: readonly (PageSpent | undefined)[]): number => spent.at(-1)?.steps ?? 0

describe.each([
  ['that is rendered', SITE, 1],
  ['that is not', `${SITE}rich`, 0],
])('a page %s', (_, url, rendered) => {
  test('of an execution', async () => {
    const { processor, browser, world } = worldOf()
    const id = await world.start({
      start: { urls: [url] },
      page: { render: 'auto' },
      extract: EXTRACT,
    })
    await world.work()
    expect([(await world.rows(id)).length, browser.requests.length]).toEqual([8, rendered])
    expect(processor.asked).toEqual(['isShell', 'process'])
    expect(stepsBefore(processor.spent)).toBeGreaterThan(10)
  })

  test('on which fields are detected', async () => {
    const { processor, world } = worldOf()
    await world.start({ start: { urls: [url] }, page: { render: 'auto' }, extract: 'auto' })
    await world.work()
    expect(processor.asked).toEqual(['isShell', 'complete', 'isShell', 'process'])
    expect(processor.spent.map((spent) => spent !== undefined && spent.steps > 10)).toEqual([
      false,
      true,
      false,
      true,
    ])
  })

  test.each(['auto', EXTRACT] as const)('of a preview of %j', async (extract) => {
    const { processor, world } = worldOf()
    const recipe: RecipeInput = { start: { urls: [url] }, page: { render: 'auto' }, extract }
    await world.clock.runUntil(world.platform.api.previews.run(OWNER, { recipe, scope: 'recipe' }))
    expect(processor.asked.slice(0, 2)).toEqual([
      'isShell',
      extract === 'auto' ? 'propose' : 'inspect',
    ])
    expect(stepsBefore(processor.spent.slice(0, 2))).toBeGreaterThan(10)
  })

  test('that an agent reads', async () => {
    const { processor, world } = worldOf()
    await world.clock.runUntil(
      world.platform.api.agentic.call(OWNER, { tool: 'fetch', arguments: { id: url } }),
    )
    expect(processor.asked).toEqual(rendered === 1 ? ['read', 'read'] : ['read'])
    if (rendered === 1) expect(stepsBefore(processor.spent)).toBeGreaterThan(10)
  })
})
