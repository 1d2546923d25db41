import { uncheckedRecipe } from '../../support/worlds/unchecked-recipe.ts'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { loadAhead } from '../../support/worlds/load-ahead.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { OWNER } from '../../support/worlds/world.ts'

await loadAhead()

const CHILDREN = 5_000
const SILENT_MS = 15_000
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * A site whose sitemap is an index of 5,000 sitemaps. The first `speaking` of them have a page
 * each, and the others never answer.
 */
function createSite(speaking: number) {
  const clock = createFakeClock()
  const requests: string[] = []
  let underWay = 0
  let most = 0
  const textOf = (path: string): string | null => {
    if (path === '/robots.txt') return ''
    if (path === '/sitemap.xml')
      return (
        '<sitemapindex>' +
        Array.from(
          { length: CHILDREN },
          (_, i) => `<sitemap><loc>https://a.com/s/${i}.xml</loc></sitemap>`,
        ).join('') +
        '</sitemapindex>'
      )
    const [, child] = /^\/s\/(\d+)\.xml$/.exec(path) ?? []
    if (child !== undefined)
      return Number(child) < speaking
        ? `<urlset><url><loc>https://a.com/p/${child}</loc></url></urlset>`
        : null
    return '<h1>Page</h1>'
  }
  const platform = createPlatform({
    store: createMemoryStore({ clock }),
    clock,
    random: seededRandom(1),
    logger: silent,
    rateLimits: false,
    worker: { concurrency: 1 },
    fetcher: {
      capabilities: { pinsAddresses: true },
      resolve: async () => ['93.184.216.34'],
      async send({ url, signal }) {
        requests.push(url.pathname)
        most = Math.max(most, ++underWay)
        try {
          const text = textOf(url.pathname)
          if (text === null) await clock.sleep(10 * SILENT_MS, signal)
          else await clock.sleep(200, signal)
          return {
            status: 200,
            headers: { 'content-type': 'text/html' },
            body: new TextEncoder().encode(text ?? ''),
            truncated: false,
          }
        } finally {
          underWay--
        }
      },
      close: async () => {},
    },
  })
  const start = async (recipe: object, account = OWNER): Promise<string> => {
    const task = await platform.api.tasks.create(account, {
      name: 't',
      recipe: uncheckedRecipe({ extract: { fields: { title: 'h1' } }, ...recipe }),
    })
    return (await platform.api.executions.start(account, task.id)).id
  }
  return { clock, asked: requests, platform, start, most: () => most }
}

describe('a sitemap whose children never answer', () => {
  it('ends with the budget of its execution, to the second', async () => {
    const { clock, platform, start, most } = createSite(0)
    const id = await start({
      start: { sitemap: 'https://a.com/sitemap.xml' },
      budget: { seconds: 5 },
    })
    const began = clock.now()
    await clock.runUntil(platform.worker.tick())
    const ended = await platform.api.executions.get(OWNER, id)
    expect(ended).toMatchObject({ status: 'timed_out', reason: { code: 'time_limit' } })
    expect(Date.parse(ended.finishedAt ?? '') - began).toBe(5_000)
    expect(most()).toBeLessThanOrEqual(4)
  })

  it('keeps the URLs that were read before; the receipt lists those that were not visited', async () => {
    const { clock, platform, start } = createSite(3)
    const id = await start({
      start: { sitemap: 'https://a.com/sitemap.xml' },
      budget: { seconds: 5 },
    })
    await clock.runUntil(platform.worker.tick())
    const { items } = await platform.api.executions.pages(OWNER, id, {})
    expect(items.map(({ outcome }) => outcome)).toEqual([
      'skipped_limit',
      'skipped_limit',
      'skipped_limit',
    ])
  })

  it('ends after ten minutes if there is no budget, and the pages that it has named are visited', async () => {
    const { clock, platform, start, asked: requests } = createSite(3)
    const id = await start({ start: { sitemap: 'https://a.com/sitemap.xml' } })
    const began = clock.now()
    await clock.runUntil(platform.worker.tick())
    expect(await platform.api.executions.get(OWNER, id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 3 },
    })
    expect(clock.now() - began).toBeLessThan(10 * 60_000 + 20_000)
    expect(requests.length).toBeLessThan(CHILDREN / 10)
  })

  it('makes its execution fail if it has named no page', async () => {
    const { clock, platform, start } = createSite(0)
    const id = await start({ start: { sitemap: 'https://a.com/sitemap.xml' } })
    await clock.runUntil(platform.worker.tick())
    expect(await platform.api.executions.get(OWNER, id)).toMatchObject({
      status: 'failed',
      reason: { code: 'sitemap_timeout' },
    })
  })

  it('leaves the only place to another account, and goes on where it stopped', async () => {
    const { clock, platform, start, asked: requests } = createSite(CHILDREN)
    const list = await start({
      start: { sitemap: 'https://a.com/sitemap.xml' },
      budget: { pages: 400 },
    })
    const stop = new AbortController()
    const running = platform.worker.run({ signal: stop.signal })
    await clock.advance(10_000)
    const other = { ...OWNER, account: 'other' }
    const page = await start({ start: { urls: ['https://b.com/'] } }, other)
    await clock.advance(2_000)
    expect(await platform.api.executions.get(other, page)).toMatchObject({ status: 'succeeded' })
    await clock.advance(120_000)
    expect(await platform.api.executions.get(OWNER, list)).toMatchObject({ status: 'succeeded' })
    // No child was read twice.
    const children = requests.filter((path) => path.startsWith('/s/'))
    expect(new Set(children).size).toBe(children.length)
    stop.abort()
    await clock.runUntil(running)
  })
})
