import { expect, it } from 'vitest'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import { createSharedWorld } from '../../support/worlds/shared-world.ts'
import type { Asked } from '../../support/worlds/shared-world.ts'
import { sharedSite } from '../../support/worlds/shared-site.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { fingerprint } from '../../support/worlds/invariants.ts'
import { OWNER } from '../../support/worlds/world.ts'

const NAMES = ['a', 'b', 'c']
/** The times between two pages of a host, in ms. */
function gapsOf(requests: readonly Asked[]): number[] {
  const ofHosts = Map.groupBy(requests.filter(isPage), ({ host }) => host)
  return [...ofHosts.values()].flatMap((pages) =>
    pages
      .toSorted((x, y) => x.from - y.from)
      .map(({ from }, i, all) => from - (all[i - 1]?.from ?? -Infinity)),
  )
}
const isPage = ({ path }: Asked): boolean => path !== '/robots.txt' && !path.endsWith('.png')

it.each([
  [
    'six pages at a time in all',
    sharedSite({ hosts: 9, pages: 8, concurrency: 6 }),
    { together: 6 },
  ],
  [
    'as many as each process allows by itself',
    sharedSite({ hosts: 9, pages: 8 }),
    { latencyMs: 1_200 },
  ],
])(
  'several processes visit the pages of one execution, each host in one of them at a time: %s',
  async (_, site, how) => {
    const shared = createSharedWorld(site.pages, how)
    const id = await shared.world.start(site.recipe)
    for (const name of NAMES) shared.spawn(name)
    await shared.until(id)
    expect(await shared.faults(id, site.rows)).toEqual([])
    const pages = shared.asked.filter(isPage)
    expect(pages).toHaveLength(site.urls)
    const shares = NAMES.map((name) => pages.filter(({ process }) => process === name).length)
    expect(Math.min(...shares)).toBeGreaterThan(site.urls / 6)
    // Also what other processes have visited says how it was asked for.
    const { items } = await shared.world.platform.api.executions.pages(OWNER, id, { limit: 100 })
    expect(items.map(({ visit }) => visit?.tries)).toEqual(items.map(() => 1))
    expect((await shared.world.read(id)).counters).toMatchObject({
      fetched: site.urls,
      discovered: site.urls,
      pending: 0,
    })
  },
)

it('no more processes than may share an execution visit its pages', async () => {
  const site = sharedSite({ hosts: 9, pages: 8, concurrency: 4 })
  const shared = createSharedWorld(site.pages, { share: 2, together: 4 })
  const id = await shared.world.start(site.recipe)
  for (const name of NAMES) shared.spawn(name)
  await shared.until(id)
  expect(await shared.faults(id, site.rows)).toEqual([])
  expect(new Set(shared.asked.map(({ process }) => process)).size).toBe(2)
})

it('the delay that hosts ask for is kept, whichever process sends a request, and when one dies', async () => {
  const site = sharedSite({ hosts: 5, pages: 4, crawlDelay: 1, concurrency: 6 })
  const shared = createSharedWorld(site.pages, { together: 6 })
  const id = await shared.world.start(site.recipe)
  const [, b] = NAMES.map((name) => shared.spawn(name))
  await shared.until(id, (ms) => ms === 4_000 && b?.kill())
  expect(await shared.faults(id, site.rows)).toEqual([])
  expect(Math.min(...gapsOf(shared.asked))).toBeGreaterThanOrEqual(1_000)
  expect(new Set(shared.asked.map(({ process }) => process))).toEqual(new Set(NAMES))
})

it('the delay of the recipe is kept, also when one holder after the other is stopped', async () => {
  const site = sharedSite({ hosts: 12, pages: 12, concurrency: 6 })
  const shared = createSharedWorld(site.pages, { together: 6 })
  const id = await shared.world.start({
    ...site.recipe,
    crawl: { concurrency: 6, delayMs: 2_500, robots: false },
  })
  const processes = NAMES.map((name) => shared.spawn(name))
  await shared.until(id, async (ms) => {
    if (ms % 3_000 !== 0 || ms > 18_000) return
    await processes.shift()?.stop()
    processes.push(shared.spawn(`after ${ms}`))
  })
  expect(await shared.faults(id, site.rows)).toEqual([])
  expect(Math.min(...gapsOf(shared.asked))).toBeGreaterThanOrEqual(2_500)
})

it.each([
  ['pages', { pages: 33 }, 33],
  ['credits', { credits: 21 }, 21],
])('the limit of %s is kept exactly', async (_, budget, fetched) => {
  const site = sharedSite({ hosts: 9, pages: 8, concurrency: 6 })
  const shared = createSharedWorld(site.pages, { together: 6 })
  const id = await shared.world.start({ ...site.recipe, budget })
  for (const name of NAMES) shared.spawn(name)
  await shared.until(id)
  await shared.faults(id, [])
  expect(await shared.world.read(id)).toMatchObject({
    status: 'succeeded',
    counters: { fetched, pending: 0, discovered: site.urls },
  })
  expect(
    (await createRecords(shared.world.store).progress.get(OWNER.account, id))?.value.credits,
  ).toBe(fetched)
  expect(shared.asked.filter(isPage)).toHaveLength(fetched)
})

it('a cancel stops every process at once, and leaves no records behind', async () => {
  const site = sharedSite({ hosts: 9, pages: 30, concurrency: 6 })
  const shared = createSharedWorld(site.pages, { together: 6 })
  const id = await shared.world.start(site.recipe)
  for (const name of NAMES) shared.spawn(name)
  let cancelled = Infinity
  await shared.until(id, (ms) => {
    if (ms !== 4_000) return
    cancelled = shared.clock.now()
    void shared.world.platform.api.executions.cancel(OWNER, id)
  })
  const broken = await shared.faults(id, [])
  expect(broken.filter((what) => !/rows are not exact|is cancelled/.test(what))).toEqual([])
  const late = shared.asked.filter(({ from }) => from > cancelled + 2_500)
  expect(late).toEqual([])
  const helpers = shared.asked.filter(
    ({ process, from }) => process !== shared.asked[0]?.process && from > cancelled + 150,
  )
  expect(helpers).toEqual([])
})

it('the execution goes on after a pause, and after each process was ended in turn', async () => {
  const site = sharedSite({ hosts: 9, pages: 20, concurrency: 6 })
  const shared = createSharedWorld(site.pages, { together: 6 })
  const id = await shared.world.start(site.recipe)
  const { executions } = shared.world.platform.api
  const processes = NAMES.map((name) => shared.spawn(name))
  await shared.until(id, (ms) => {
    if (ms === 3_000) void executions.pause(OWNER, id)
    if (ms === 5_000) void executions.resume(OWNER, id)
    if (ms === 9_000) void processes[0]?.stop().then(() => shared.spawn('d'))
    if (ms === 12_000) void processes[1]?.stop().then(() => shared.spawn('e'))
  })
  expect(await shared.faults(id, site.rows)).toEqual([])
  expect(new Set(shared.asked.map(({ process }) => process)).size).toBeGreaterThan(3)
})

it('all processes use the columns that were detected on the first page', async () => {
  const site = sharedSite({ hosts: 6, pages: 6 })
  const cards = (host: number) =>
    '<ul>' +
    Array.from(
      { length: 6 },
      (_, n) =>
        `<li class="card"><h2>Thing ${host}-${n}</h2><span class="price">$${n}` +
        `.50</span><a href="/p/${n}">more</a></li>`,
    ).join('') +
    '</ul>'
  const pages = Object.fromEntries(Object.keys(site.pages).map((url, n) => [url, cards(n)]))
  const runOn = async (names: readonly string[]) => {
    const shared = createSharedWorld(pages, { latencyMs: 1_200 })
    const id = await shared.world.start({ start: { urls: Object.keys(pages) }, extract: 'auto' })
    for (const name of names) shared.spawn(name)
    await shared.until(id)
    const rows = await shared.world.rows(id)
    return {
      rows: fingerprint(rows),
      broken: await shared.faults(id, rows),
      processes: new Set(shared.asked.map(({ process }) => process)).size,
    }
  }
  const [alone, together] = [await runOn(['a']), await runOn(NAMES)]
  expect(together).toEqual({ ...alone, processes: 3 })
  expect(together.broken).toEqual([])
  expect(together.rows).toHaveLength(6 * 42)
})

it.each([1, 2, 3, 5, 12])(
  'all processes together make %i requests at a time, whoever joins, and use that number nearly always',
  async (together) => {
    const site = sharedSite({ hosts: 12, pages: 12, concurrency: together })
    const shared = createSharedWorld(site.pages, { together, latencyMs: 1_000 })
    const id = await shared.world.start(site.recipe)
    for (const name of NAMES) shared.spawn(name)
    await shared.until(id, (ms) => ms === 4_000 && void shared.spawn('d'))
    expect(await shared.faults(id, site.rows)).toEqual([])
    const end = Math.max(...shared.asked.map(({ to }) => to)) - (shared.asked[0]?.from ?? 0)
    const used = shared.asked.reduce((sum, { from, to }) => sum + to - from, 0)
    expect(used / (end * together)).toBeGreaterThan(0.8)
  },
)

it.each([
  [
    'six requests at a time in all',
    sharedSite({ hosts: 6, pages: 6, concurrency: 6, media: true }),
    { together: 6 },
  ],
  [
    'as many as each process allows by itself',
    sharedSite({ hosts: 6, pages: 6, media: true }),
    { latencyMs: 1_200 },
  ],
  ['with a distance', sharedSite({ hosts: 4, pages: 3, media: true, crawlDelay: 1 }), {}],
])(
  'files to which pages refer are fetched once, by the process that has their host: %s',
  async (_, site, how) => {
    const shared = createSharedWorld(site.pages, how)
    const id = await shared.world.start(site.recipe)
    for (const name of NAMES) shared.spawn(name)
    await shared.until(id)
    expect(await shared.faults(id, site.rows)).toEqual([])
    const images = shared.asked.filter(
      ({ path }) => path.endsWith('.png') && !path.endsWith('gone.png'),
    )
    expect(images.map(({ host, path }) => `https://${host}${path}`).toSorted()).toEqual(
      site.images.toSorted(),
    )
    expect(new Set(images.map(({ process }) => process)).size).toBe(3)
    expect(
      (await createRecords(shared.world.store).progress.get(OWNER.account, id))?.value.media?.items,
    ).toBe(site.images.length)
  },
)

it('each process keeps the screenshots of pages that it renders, and one process counts all', async () => {
  const urls = Array.from({ length: 24 }, (_, n) => `https://h${n % 6}.example.com/${n}`)
  const pages = Object.fromEntries(urls.map((url) => [url, `<title>${url}</title>`]))
  const browser = createFakeBrowser((_, { url }) => ({
    screenshot: pngOf(1 + urls.indexOf(url), 1),
  }))
  const shared = createSharedWorld(pages, {
    latencyMs: 1_000,
    browser,
    together: 6,
    mediaItems: 20,
  })
  const id = await shared.world.start({
    start: { urls },
    crawl: { concurrency: 6 },
    page: { render: 'browser' },
    formats: ['screenshot'],
    extract: { fields: { title: 'title' } },
  })
  for (const name of NAMES) shared.spawn(name)
  await shared.until(id)
  const rows = await shared.world.rows(id)
  const shown = rows.map((row) => JSON.stringify(row['screenshot']))
  expect([
    shown.filter((picture) => picture?.includes('"id":"med_')).length,
    shown.filter((picture) => picture?.includes('"media_limit"')).length,
  ]).toEqual([20, 4])
  expect(new Set(shared.asked.filter(isPage).map(({ process }) => process)).size).toBe(3)
  expect(
    (await createRecords(shared.world.store).progress.get(OWNER.account, id))?.value.media?.items,
  ).toBe(20)
  expect(
    (await createRecords(shared.world.store).media.list(OWNER.account, { limit: 100 })).map(
      ({ value }) => value.kind,
    ),
  ).toEqual(Array.from({ length: 20 }, () => 'screenshot'))
})

it('an execution that keeps pages is run by one process', async () => {
  const site = sharedSite({ hosts: 4, pages: 3, concurrency: 4 })
  const shared = createSharedWorld(site.pages, {})
  const id = await shared.world.start({ ...site.recipe, page: { keep: true } })
  for (const name of NAMES) shared.spawn(name)
  await shared.until(id)
  expect(await shared.faults(id, site.rows)).toEqual([])
  expect(new Set(shared.asked.map(({ process }) => process)).size).toBe(1)
  expect((await shared.world.read(id)).kept).toMatchObject({ pages: site.urls, omitted: 0 })
})

it('an execution that reads cached pages is run by one process', async () => {
  const site = sharedSite({ hosts: 4, pages: 3, concurrency: 4 })
  const shared = createSharedWorld(site.pages, {})
  const recipe = { ...site.recipe, page: { maxAgeSeconds: 86_400 } }
  const first = await shared.world.start(recipe)
  for (const name of NAMES) shared.spawn(name)
  await shared.until(first)
  expect(new Set(shared.asked.map(({ process }) => process)).size).toBe(1)
  const before = shared.asked.filter(isPage).length
  const second = await shared.world.start(recipe)
  await shared.until(second)
  expect([...shared.broken]).toEqual([])
  expect(await shared.world.rows(second)).toHaveLength(site.rows.length)
  expect((await shared.world.read(second)).counters).toMatchObject({
    fetched: 0,
    unchanged: site.urls,
  })
  expect(shared.asked.filter(isPage).length).toBe(before)
})

it(
  'a page that kills its process kills at most one helper and then the holder, and ends the execution',
  { timeout: 120_000 },
  async () => {
    const site = sharedSite({ hosts: 9, pages: 120, concurrency: 6 })
    const shared = createSharedWorld(site.pages, { together: 6 })
    const id = await shared.world.start(site.recipe)
    const { fences } = createRecords(shared.world.store)
    const processes = new Map(NAMES.map((name) => [name, shared.spawn(name)]))
    const killed = new Map<string, string | undefined>()
    await shared.until(id, async () => {
      const holder = (await fences.get(OWNER.account, id))?.value.holder
      for (const { process, host, path } of shared.asked) {
        if (host !== 'h8.example.com' || path !== '/p/3' || killed.has(process)) continue
        killed.set(process, holder)
        processes.get(process)?.kill()
        processes.set(`${process}+`, shared.spawn(`${process}+`))
      }
    })
    expect(await shared.world.read(id)).toMatchObject({
      status: 'failed',
      reason: { code: 'worker_lost' },
    })
    const deaths = [...Map.groupBy(killed.values(), (holder) => holder).values()].map(
      (of) => of.length,
    )
    expect(deaths.length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...deaths)).toBeLessThanOrEqual(2)
  },
)
