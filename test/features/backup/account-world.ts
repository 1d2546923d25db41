import { expect } from 'vitest'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { encodeKey } from '../../../src/kernel/key.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'
import { contentOf } from './backup-world.ts'

export const CANARY = 'kestrel7'
const SITE = `https://${CANARY}.example.com`
const png = (bytes: number[]): Uint8Array =>
  Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, ...bytes])
export const PAGES = {
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [
      `${SITE}/p${i}`,
      `<h1>${CANARY} ${i}</h1><img src="/i.png">`,
    ]),
  ),
  [`${SITE}/i.png`]: { headers: { 'content-type': 'image/png' }, body: png([1, 2, 3]) },
  'https://other.example.com/p': '<h1>Other</h1>',
}
const RECIPE = {
  start: { urls: Array.from({ length: 12 }, (_, i) => `${SITE}/p${i}`) },
  extract: { fields: { title: 'h1', image: { css: 'img', attr: 'src', as: 'media' } } },
  page: { maxAgeSeconds: 3600, keep: true },
}
export const own: Principal = { account: CANARY, user: `${CANARY}-ann`, scopes: ['*'] }
export const other: Principal = { account: 'other', user: 'bob', scopes: ['*'] }

/** Runs of two accounts; the first has keys, a webhook, a schedule and a dataset as well. */
export async function populated(store: Store, clock = createFakeClock()) {
  const world = createWorld(PAGES, { clock, store, media: { maxBytes: 10_000 }, operator: true })
  const { api } = world.platform
  const dataset = await api.datasets.create(own, {
    name: `${CANARY} items`,
    keyFields: ['title'],
  })
  const task = await api.tasks.create(own, {
    name: `${CANARY} task`,
    datasetId: dataset.id,
    schedule: { cron: '0 3 * * *', timeZone: 'UTC', missed: 'run', overlap: false },
    labels: [CANARY],
    recipe: parseRecipe({ ...RECIPE, output: { unique: ['title'] } }),
  })
  await api.webhooks.create(own, { url: `${SITE}/hook`, events: ['*'] })
  await api.keys.create(own, { name: `${CANARY} key`, scopes: ['tasks:read'] })
  const ownRun = (await api.executions.start(own, task.id)).id
  const othersTask = await api.tasks.create(other, {
    name: 'other',
    recipe: parseRecipe({
      start: { urls: ['https://other.example.com/p'] },
      extract: { fields: { title: 'h1' } },
    }),
  })
  const othersRun = (await api.executions.start(other, othersTask.id)).id
  await world.work()
  expect(await rowsOf(world, own, ownRun)).toHaveLength(12)
  return { world, task, ownRun, othersRun }
}

export async function rowsOf({ platform }: World, who: Principal, run: string) {
  return (await platform.api.results.list(who, run, { limit: 100 })).items
}

/** Every key, value and blob that contains the canary. */
export async function traces(store: Store, blobs: Blobs): Promise<string[]> {
  const leaks: string[] = []
  for await (const page of store.snapshot?.([[]]) ?? [])
    for (const { key, json } of page)
      if (`${encodeKey(key)} ${json}`.includes(CANARY)) leaks.push(JSON.stringify(key))
  for (const [name, bytes] of await contentOf(blobs))
    if (`${name} ${Buffer.from(bytes).toString('latin1')}`.includes(CANARY)) leaks.push(name)
  return leaks
}
