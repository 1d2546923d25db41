import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import * as v from 'valibot'
import { openDataDirectory, OPERATOR, OWNER } from '../../../adapters/command/data-directory.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createWorld } from '../../support/worlds/world.ts'

// Proves that data directories of earlier versions open, run on and verify. Each file of the folder
// is one that `seine serve` of a commit has left: two tasks (one with a schedule and a dataset), an
// execution that ended, one that was paused after 18 of its 60 pages, media, a webhook and a key. Those
// of WITH_RETRIES also have a run with failed pages, how each page was asked for, the retry of the
// failed ones, and an account that was closed and erased. make-data-directory.ts writes them.

const folder = join(import.meta.dirname, '../../fixtures/data-directories')
const SITE = 'http://old.example.com:40123'
const WITH_RETRIES = ['2026-11-78b868f.json.gz']
const opened: string[] = []
afterAll(() => {
  for (const path of opened) rmSync(path, { recursive: true })
})

/** Writes the files of a data directory into a folder of its own. */
function unpack(name: string): string {
  const path = mkdtempSync(join(tmpdir(), 'seine-old-'))
  opened.push(path)
  const files = v.parse(
    v.record(v.string(), v.string()),
    JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString()),
  )
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), Buffer.from(content, 'base64'))
  }
  return path
}

const LEAVER = { ...OWNER, account: 'gone' }
const pages = Object.fromEntries(
  ['a', 'p'].flatMap((prefix) =>
    Array.from({ length: 60 }, (_, i) => {
      const path = `/${prefix}${i + 1}`
      return [`${SITE}${path}`, `<h1>Page ${path}</h1><p class=price>1.50 €</p>`]
    }),
  ),
)

test.each(readdirSync(folder))(
  'the data directory %s opens, its paused execution runs on, and it verifies',
  async (name) => {
    const { store, blobs } = openDataDirectory(unpack(name))
    if (!store || !blobs) throw new Error('A data directory has a store and files')
    const clock = createFakeClock(Date.UTC(2026, 10, 24))
    const world = createWorld(pages, { clock, store, blobs })
    const { api } = world.platform

    const { items: tasks } = await api.tasks.list(OWNER, {})
    const { items: executions } = await api.executions.list(OWNER, {})
    const [done, paused] = ['small', 'long'].map((title) => {
      const task = tasks.find((candidate) => candidate.name === title)
      return executions.find(({ taskId }) => taskId === task?.id)
    })
    if (done?.status !== 'succeeded' || paused?.status !== 'paused')
      throw new Error('One execution has ended, one is paused')
    const before = await api.results.list(OWNER, done.id, { limit: 100 })
    expect(before.items.map(({ title }) => title)).toEqual(
      Array.from({ length: 12 }, (_, i) => `Page /a${i + 1}`),
    )
    expect(paused.counters).toMatchObject({ discovered: 60, fetched: 18 })

    await api.executions.resume(OWNER, paused.id)
    await world.work()
    expect(await api.executions.get(OWNER, paused.id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 60, pending: 0 },
    })
    const rows = await api.results.list(OWNER, paused.id, { limit: 100 })
    expect(rows.items.map(({ title }) => title).toSorted()).toEqual(
      Array.from({ length: 60 }, (_, i) => `Page /p${i + 1}`).toSorted(),
    )

    const { items: datasets } = await api.datasets.list(OWNER, {})
    const [dataset] = datasets
    expect(dataset).toMatchObject({ name: 'items', counters: { items: 12, present: 12 } })
    const small = tasks.find((task) => task.name === 'small')
    const again = await api.executions.start(OWNER, small?.id ?? '')
    await world.work()
    expect((await api.executions.get(OWNER, again.id)).status).toBe('succeeded')
    const after = await api.datasets.get(OWNER, dataset?.id ?? '')
    expect(after.counters).toMatchObject({ items: 12, present: 12 })

    expect(await world.platform.verify()).toMatchObject({ ok: true })
    await Promise.all([store.close(), blobs.close()])
  },
)

test.each(WITH_RETRIES)(
  'failed pages of the data directory %s are retried, and its erased account stays closed',
  async (name) => {
    const { store, blobs } = openDataDirectory(unpack(name))
    if (!store || !blobs) throw new Error('A data directory has a store and files')
    const mended = Object.fromEntries([5, 6].map((i) => [`${SITE}/f${i}`, `<h1>Page /f${i}</h1>`]))
    const clock = createFakeClock(Date.UTC(2026, 10, 24))
    const world = createWorld(mended, { clock, store, blobs, operator: true })
    const { api } = world.platform
    const { items } = await api.executions.list(OWNER, {})
    const retry = items.find(({ failedOf }) => failedOf !== null)
    const first = items.find(({ id }) => id === retry?.failedOf)
    if (!retry || !first) throw new Error('Failed pages were retried')
    expect([first.counters, retry.counters]).toMatchObject([
      { fetched: 4, failed: 2 },
      { discovered: 2, failed: 2 },
    ])
    const { items: pagesOfFirst } = await api.executions.pages(OWNER, first.id, { limit: 100 })
    expect(pagesOfFirst.map(({ visit }) => (visit?.tries ?? 0) > 0)).toEqual(Array(6).fill(true))

    const again = await api.executions.retry(OWNER, retry.id, { only: 'failed' })
    await world.work()
    expect(await api.executions.get(OWNER, again.id)).toMatchObject({
      status: 'succeeded',
      failedOf: retry.id,
      counters: { fetched: 2, failed: 0 },
    })
    const rows = await api.results.list(OWNER, again.id, { limit: 100 })
    expect(rows.items.map(({ title }) => title).toSorted()).toEqual(['Page /f5', 'Page /f6'])

    const { secret } = await api.keys.create(OPERATOR, { name: 'now', scopes: ['operator'] })
    const ask = async (path: string, key = secret) =>
      world.platform.fetch(
        new Request(`http://old.test/api/v1${path}`, { headers: { 'x-api-key': key } }),
      )
    expect(await (await ask('/operator/log?operation=operator.erase')).json()).toMatchObject({
      data: { items: [{ account: 'gone', changed: true, reason: 'Asked for by the customer' }] },
    })
    const late = await api.keys.create(LEAVER, { name: 'late', scopes: ['tasks:read'] })
    expect((await ask('/tasks', late.secret)).status).toBe(401)
    expect(await (await ask('/operator/accounts/gone')).json()).toMatchObject({
      data: { id: 'gone', state: 'closed' },
    })
    expect(await world.platform.verify()).toMatchObject({ ok: true })
    await Promise.all([store.close(), blobs.close()])
  },
)
