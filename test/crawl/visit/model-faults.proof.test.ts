import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Model } from '../../../src/ports/model.ts'
import { createSharedWorld } from '../../support/worlds/shared-world.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { FAULTS, playEach } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { CheckedStore, fingerprint, watch } from '../../support/worlds/invariants.ts'
import { faultyStore, workThrough } from '../../support/stores/play-fault.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

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

/** Plays a run whose k-th commit has a fault. */
async function play(
  k: number,
  fault: Fault,
): Promise<{ fired: boolean; broken: string[]; asked: number }> {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  const { check, broken } = watch(base, blobs, OWNER.account)
  const model = readerOf(clock.sleep)
  const world = createWorld(WEB, { store: new CheckedStore(base, check), blobs, clock, model })
  const id = await world.start(RECIPE)
  const faulty = faultyStore(world, k, fault)
  await workThrough(world, id, faulty)
  const { status, cost, model: counted } = await world.read(id)
  if (status !== 'succeeded') broken.add(`the execution is ${status}`)
  if (JSON.stringify(fingerprint(await world.rows(id))) !== JSON.stringify(fingerprint(ROWS)))
    broken.add('the rows are not exact')
  if (cost.credits !== 2 * PAGES || counted?.pages !== PAGES || counted.inputTokens !== 10 * PAGES)
    broken.add(`it has cost ${cost.credits} for ${counted?.pages} pages`)
  const { items } = await world.platform.api.billing.activity(OWNER)
  if (items.length !== 1 || items[0]?.credits !== -2 * PAGES)
    broken.add('the account has paid something else')
  const report = await world.platform.verify()
  if (!report.ok) broken.add(`verify: ${JSON.stringify(report)}`)
  return { fired: faulty.fired, broken: [...broken], asked: model.asked }
}

describe.each(FAULTS)('with the fault "%s" at any commit', (fault) => {
  it('the model may be asked about a page again, but the page is charged once', async () => {
    let most = 0
    const { broken } = await playEach(fault, async (k) => {
      const played = await play(k, fault)
      most = Math.max(most, played.asked)
      return played
    })
    expect(broken).toEqual([])
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
