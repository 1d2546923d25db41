import { uncheckedRecipe } from '../../support/worlds/unchecked-recipe.ts'
import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { SearchFailure } from '../../../src/kernel/failures.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { SearchProvider } from '../../../src/ports/search-provider.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { loadAhead } from '../../support/worlds/load-ahead.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { through } from '../../support/stores/fault-store.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

await loadAhead()

const SITE = 'https://a.com'
const NEVER_MS = 3_600_000
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const TITLE = { fields: { title: 'h1' } }

/** A platform with a web in which the paths of `mute` never answer, and the others answer at once. */
function createMuteWorld(
  mute: readonly string[],
  search: (
    signal: AbortSignal,
    sleep: (ms: number, signal?: AbortSignal) => Promise<void>,
  ) => Promise<never>,
) {
  const clock = createFakeClock()
  const provider: SearchProvider = {
    name: 'Finder',
    search: (_, { signal }) => search(signal, (ms, until) => clock.sleep(ms, until)),
  }
  const platform = createPlatform({
    store: createMemoryStore({ clock }),
    clock,
    random: seededRandom(1),
    logger: silent,
    rateLimits: false,
    search: provider,
    fetcher: {
      capabilities: { pinsAddresses: true },
      resolve: async () => ['93.184.216.34'],
      async send({ url, signal }) {
        if (mute.includes(url.pathname)) await clock.sleep(NEVER_MS, signal)
        const body = new TextEncoder().encode(url.pathname === '/robots.txt' ? '' : '<h1>Page</h1>')
        return { status: 200, headers: { 'content-type': 'text/html' }, body, truncated: false }
      },
      close: async () => {},
    },
  })
  return { clock, platform }
}

const noSearch = async (): Promise<never> =>
  Promise.reject(new SearchFailure('limited', 'Too many searches', { retryAfter: 20 }))

it.for<{
  phase: string
  recipe: Record<string, Json>
  mute?: readonly string[]
  search?: Parameters<typeof createMuteWorld>[1]
}>([
  {
    phase: 'a search that is slow',
    recipe: { start: { search: 'bikes' } },
    search: async (signal, sleep) => sleep(NEVER_MS, signal).then(noSearch),
  },
  {
    phase: 'a search that does not listen',
    recipe: { start: { search: 'bikes' } },
    search: async (_, sleep) => sleep(NEVER_MS).then(noSearch),
  },
  {
    phase: 'a search that is to be tried again later',
    recipe: { start: { search: 'bikes' } },
    search: noSearch,
  },
  {
    phase: 'a sitemap',
    recipe: { start: { sitemap: `${SITE}/sitemap.xml` } },
    mute: ['/sitemap.xml'],
  },
  { phase: 'a feed', recipe: { start: { feed: `${SITE}/feed.xml` } }, mute: ['/feed.xml'] },
  {
    phase: 'the rules of a site',
    recipe: { start: { urls: [`${SITE}/1`] } },
    mute: ['/robots.txt'],
  },
  { phase: 'a page', recipe: { start: { urls: [`${SITE}/1`] } }, mute: ['/1'] },
  {
    phase: 'the first page, from which the columns are found',
    recipe: { start: { urls: [`${SITE}/1`] }, extract: 'auto' },
    mute: ['/1'],
  },
])(
  'the seconds of a budget end an execution that waits in this phase: $phase',
  async ({ recipe, mute = [], search = noSearch }) => {
    const { clock, platform } = createMuteWorld(mute, search)
    const task = await platform.api.tasks.create(OWNER, {
      name: 't',
      recipe: uncheckedRecipe({ extract: TITLE, ...recipe, budget: { seconds: 5 } }),
    })
    const { id } = await platform.api.executions.start(OWNER, task.id)
    const began = clock.now()
    await clock.runUntil(platform.worker.tick())
    const ended = await platform.api.executions.get(OWNER, id)
    expect(ended).toMatchObject({ status: 'timed_out', reason: { code: 'time_limit' } })
    expect(Date.parse(ended.finishedAt ?? '') - began).toBe(5_000)
  },
)

it('a run that met another limit tells of URLs that the time did not suffice to skip', async () => {
  const base = createFakeClock()
  let ahead = 0
  const clock = { ...base, now: () => base.now() + ahead }
  const urls = Array.from({ length: 3_000 }, (_, i) => `${SITE}/${i}`)
  const inner = createMemoryStore({ clock })
  const store = through(inner, async (change) => {
    const isWritten = await inner.commit(change)
    const visits = change.set?.filter(({ key }) => key[1] === 'visits').length ?? 0
    // The commit that skips the first URLs takes longer than there is time.
    if (visits > 1) ahead = 6_000
    return isWritten
  })
  const world = createWorld({ [`${SITE}/0`]: '<h1>Page</h1>' }, { clock, store })
  const id = await world.start({
    start: { urls },
    extract: TITLE,
    budget: { pages: 1, seconds: 5 },
  })
  await world.work()
  const ended = await world.read(id)
  expect(ended.counters).toMatchObject({ fetched: 1, skipped_limit: 1_500, pending: 1_499 })
  expect([ended.status, ended.reason]).toEqual([
    'succeeded',
    {
      code: 'page_limit',
      message:
        'The page limit was reached. 1,499 URLs were not visited, and stay pending, because the ' +
        'time limit was reached while others were skipped',
    },
  ])
})
