import { describe, expect, it } from 'vitest'
import type { Model } from '../../../src/ports/model.ts'
import { createSharedWorld } from '../../support/worlds/shared-world.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { FAULTS } from '../../support/stores/fault-store.ts'
import { fingerprint } from '../../support/worlds/invariants.ts'
import { playFaults } from '../../support/stores/play-fault.ts'
import type { OpenRuns } from '../../support/stores/play-fault.ts'
import { createWatchedWorld } from '../../support/worlds/watched-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const PAGES = 4
const WEB = Object.fromEntries(
  Array.from({ length: PAGES }, (_, n) => [
    `${SITE}/p/${n}`,
    `<h1>Pen ${n}</h1><p>It costs ${n} euros</p>${n + 1 < PAGES ? `<a class="next" href="/p/${n + 1}">n</a>` : ''}`,
  ]),
)
const FIELDS = { name: 'h1', price: { model: 'The price', as: 'number' } }
const RECIPE = {
  start: { urls: [`${SITE}/p/0`] },
  follow: [{ next: 'a.next' }],
  crawl: { concurrency: 2 },
  extract: { fields: FIELDS },
}
const ROWS = Array.from({ length: PAGES }, (_, n) => ({ name: `Pen ${n}`, price: n }))

/** A slow model that reads the values of such pages. */
function readerOf(
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): Model & { asked: number } {
  return {
    asked: 0,
    async ask({ text, signal }) {
      this.asked++
      await sleep(1_500, signal)
      return {
        json: { price: /costs (\d+) euros/.exec(text)?.[1] ?? null },
        inputTokens: 10,
        outputTokens: 1,
      }
    },
  }
}

describe.each(FAULTS)('with the fault "%s" at any commit', (fault) => {
  it('the model may be asked about a page again, but the page is charged once', async () => {
    let model = readerOf(async () => {})
    let most = 0
    const open = () => {
      const clock = createFakeClock()
      model = readerOf(clock.sleep)
      return createWatchedWorld(WEB, { clock, model })
    }
    const run = async ({ world, broken, work }: OpenRuns): Promise<void> => {
      const id = await world.start(RECIPE)
      await work(id)
      most = Math.max(most, model.asked)
      const { status, cost, model: counted } = await world.read(id)
      if (status !== 'succeeded') broken.add(`the execution is ${status}`)
      if (JSON.stringify(fingerprint(await world.rows(id))) !== JSON.stringify(fingerprint(ROWS)))
        broken.add('the rows are not exact')
      if (
        cost.credits !== 2 * PAGES ||
        counted?.pages !== PAGES ||
        counted.inputTokens !== 10 * PAGES
      )
        broken.add(`it has cost ${cost.credits} for ${counted?.pages} pages`)
      const { items } = await world.platform.api.billing.activity(OWNER)
      if (items.length !== 1 || items[0]?.credits !== -2 * PAGES)
        broken.add('the account has paid something else')
      const report = await world.platform.verify()
      if (!report.ok) broken.add(`verify: ${JSON.stringify(report)}`)
    }
    expect((await playFaults(fault, { open, run })).broken).toEqual([])
    expect(most).toBeGreaterThanOrEqual(PAGES)
  })
})

it('several processes ask a model about the pages of one execution, and one process dies', async () => {
  const urls = Array.from({ length: 18 }, (_, n) => `https://shop${n % 6}.example.com/p/${n}`)
  const pages = Object.fromEntries(
    urls.map((url, n) => [url, `<h1>Pen ${n}</h1><p>It costs ${n} euros</p>`]),
  )
  let sleep: Parameters<typeof readerOf>[0] = async () => {}
  const shared = createSharedWorld(pages, { model: readerOf((...args) => sleep(...args)) })
  sleep = shared.clock.sleep
  const id = await shared.world.start({ start: { urls }, extract: { fields: FIELDS } })
  const [, b] = ['a', 'b', 'c'].map((name) => shared.spawn(name))
  await shared.until(id, (ms) => ms === 3_000 && b?.kill())
  expect(
    await shared.faults(
      id,
      urls.map((_, n) => ({ name: `Pen ${n}`, price: n })),
    ),
  ).toEqual([])
  expect(await shared.world.read(id)).toMatchObject({
    cost: { credits: 36 },
    model: { pages: 18, inputTokens: 180, outputTokens: 18 },
  })
})
