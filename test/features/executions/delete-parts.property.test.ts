import { describe, expect, it } from 'vitest'
import type { Platform } from 'seine'
import { visitBytes } from '../../../src/features/executions/page-visit.ts'
import { createRecords } from '../../../src/features/records.ts'
import { FaultStore, playEach } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { LEASE_MS, OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'
import { uncheckedRecipe } from '../../support/worlds/unchecked-recipe.ts'

const SITE = 'https://ink.example.com'
const file = (body: string) => ({ headers: { 'content-type': 'application/pdf' }, body })
const PAGES = {
  [`${SITE}/a`]: '<h1>Black ink of oak</h1><img src="/a.bin"><a href="/both.bin">both</a>',
  [`${SITE}/b`]: '<h1>Blue ink of woad</h1><img src="/b.bin"><a href="/both.bin">both</a>',
  [`${SITE}/a.bin`]: file('only a'),
  [`${SITE}/b.bin`]: file('only b'),
  [`${SITE}/both.bin`]: file('a and b'),
}
const recipeOf = (name: string) => ({
  start: { urls: [`${SITE}/${name}`] },
  page: { keep: true },
  extract: {
    fields: {
      title: 'h1',
      own: { css: 'img', attr: 'src', as: 'media' },
      both: { css: 'a', attr: 'href', as: 'media' },
    },
  },
})
const ERASED_MS = 600_000

/** A world with a run of both pages. */
async function openInks() {
  const world = createWorld(PAGES)
  const run = async (name: string) => {
    const recipe = uncheckedRecipe(recipeOf(name))
    return (await world.platform.api.executions.run(OWNER, { recipe })).id
  }
  const [a, b] = [await run('a'), await run('b')]
  await world.work()
  return { world, a, b }
}

const used = async ({ platform }: World) => (await platform.api.me.get(OWNER)).limits.bytes.used
const differences = async ({ platform }: World) => (await platform.verify()).differences
const media = async ({ platform }: World) => (await platform.api.media.list(OWNER)).items
/** The real bytes of all blobs of a folder. */
async function stored({ blobs }: World, folder: string): Promise<number> {
  let bytes = 0
  for (const name of await blobs.list(folder)) bytes += (await blobs.get(name))?.length ?? 0
  return bytes
}
/** The bytes that the visits of all runs are counted with. */
async function visited({ store }: World): Promise<number> {
  const visits = await createRecords(store).visits.list('acme', { limit: 100 })
  return visits.reduce((sum, { value }) => sum + visitBytes(value), 0)
}
const search = async ({ platform }: World, query: string): Promise<unknown> =>
  Reflect.get(
    (await platform.api.agentic.call(OWNER, { tool: 'search', arguments: { query } })).result,
    'results',
  )

describe('the rows of an execution', () => {
  it('are 404 at once and erased later, and the rest of the execution stays', async () => {
    const { world, a, b } = await openInks()
    const { executions, results, billing } = world.platform.api
    const before = { ...(await world.read(a)), bytes: await used(world) }
    const keptBytes = before.kept?.bytes ?? 0
    const ofRows = (await stored(world, `rows/${a}/`)) - keptBytes
    const [receipt, ledger] = [await world.receipt(a), await billing.ledger(OWNER)]
    expect(await search(world, 'oak')).toHaveLength(1)

    const answer = await executions.deleteRows(OWNER, a)
    expect(answer).toEqual({
      ...(await world.read(a)),
      rowsDeletedAt: new Date(world.clock.now()).toISOString(),
    })
    expect(await executions.deleteRows(OWNER, a)).toEqual(answer)
    const error = { code: 'NOT_FOUND', message: 'The rows of this execution were deleted' }
    await expect(results.list(OWNER, a)).rejects.toMatchObject(error)
    await expect(results.export(OWNER, a)).rejects.toMatchObject(error)
    const outcome = await world.platform.api.agentic.call(OWNER, {
      tool: 'get_run',
      arguments: { runId: a },
    })
    expect(outcome.result).toMatchObject({
      rows: [],
      next: expect.stringContaining('were deleted'),
    })
    expect(await used(world)).toBe(Number(before.bytes) - ofRows)
    expect(await differences(world)).toEqual([])
    expect(await stored(world, `rows/${a}/`)).toBe(ofRows + keptBytes)
    await world.work()
    expect(await search(world, 'oak')).toEqual([])
    expect(await stored(world, `rows/${a}/`)).toBe(ofRows + keptBytes)

    await world.blobs.put(`rows/${a}/late.jsonl`, new Uint8Array(1))
    await world.clock.advance(ERASED_MS)
    await world.work()
    expect(await stored(world, `rows/${a}/`)).toBe(keptBytes)
    expect(await createRecords(world.store).segments.list('acme', { limit: 9 })).toHaveLength(1)
    expect(await search(world, 'oak')).toEqual([])
    expect(await world.rows(b)).toHaveLength(1)
    expect(await world.receipt(a)).toEqual(receipt)
    expect(await billing.ledger(OWNER)).toEqual(ledger)
    expect((await media(world)).length).toBe(3)
    const { bytes: _, ...rest } = before
    expect(await world.read(a)).toEqual({ ...rest, rowsDeletedAt: answer.rowsDeletedAt })
    expect(await differences(world)).toEqual([])

    // Kept pages can give rows again, and the rest of the execution can be deleted.
    const again = await executions.extract(OWNER, a, { recipe: {} })
    await world.work()
    expect((await world.rows(again.id)).map(({ title }) => title)).toEqual(['Black ink of oak'])
    await executions.delete(OWNER, a)
    await world.clock.advance(ERASED_MS)
    await world.work()
    expect(await stored(world, `rows/${a}/`)).toBe(0)
    const blobBytes = (await stored(world, 'rows/')) + (await stored(world, 'media/'))
    expect(await used(world)).toBe(blobBytes + (await visited(world)))
    expect(await differences(world)).toEqual([])
  })

  it('verify notices bytes of deleted rows that are still counted', async () => {
    const { world, a } = await openInks()
    const records = createRecords(world.store)
    const { value } = (await records.progress.get('acme', a)) ?? {}
    await world.platform.api.executions.deleteRows(OWNER, a)
    const key = records.progress.key('acme', [a])
    await world.store.commit({ set: [{ key, value }] })
    expect(JSON.stringify(await differences(world))).toMatch(
      /its rows are deleted, and \d+ bytes of them are still counted/,
    )
  })
})

describe('the media of an execution', () => {
  it('are deleted, also media that other rows name, and the rows stay', async () => {
    const { world, a, b } = await openInks()
    const { executions } = world.platform.api
    const before = Number(await used(world))
    const requestedAt = new Date(world.clock.now()).toISOString()
    const deletion = await executions.deleteMedia(OWNER, a)
    expect(deletion.mediaDeletion).toEqual({ requestedAt, finishedAt: null })
    // The job needs the rows, so the execution stays until then.
    await expect(executions.delete(OWNER, a)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Its media are still being deleted; try again in a minute',
    })
    await world.work()
    const { mediaDeletion } = await world.read(a)
    expect(mediaDeletion).toEqual({ requestedAt, finishedAt: requestedAt })
    expect((await media(world)).map(({ sourceUrl }) => sourceUrl)).toEqual([`${SITE}/b.bin`])
    expect(await used(world)).toBe(before - 'only aa and b'.length)
    expect(await differences(world)).toEqual([])
    for (const run of [a, b])
      expect((await world.rows(run))[0]).toMatchObject({
        both: { sourceUrl: `${SITE}/both.bin`, id: expect.stringMatching(/^med_/) },
      })
    await world.clock.advance(ERASED_MS)
    await world.work()
    expect(await stored(world, 'media/')).toBe('only b'.length)

    // Media that are stored again belong to the run that stored them.
    await world.start(recipeOf('a'))
    await world.work()
    expect(await media(world)).toHaveLength(3)
    expect((await executions.deleteMedia(OWNER, a)).mediaDeletion).toEqual(mediaDeletion)
    await world.work()
    expect(await media(world)).toHaveLength(3)
    expect(await differences(world)).toEqual([])
  })

  it('are deleted also if the rows are deleted before the job has begun', async () => {
    const { world, a } = await openInks()
    const { executions } = world.platform.api
    const records = createRecords(world.store)
    await executions.deleteMedia(OWNER, a)
    await executions.deleteRows(OWNER, a)
    // The queue runs the job of the media late; the job waits for nothing.
    const late = (await world.store.list({ prefix: ['~'], limit: 100 })).filter(({ key }) =>
      key.includes(`execution-media:${a}`),
    )
    expect(late).not.toEqual([])
    await world.store.commit({ delete: late.map(({ key }) => key) })
    await world.clock.advance(ERASED_MS)
    await world.work()
    expect(await records.segments.list('acme', { within: [a], limit: 9 })).toHaveLength(1)
    await world.store.commit({ set: late.map(({ key, value }) => ({ key, value })) })
    await world.work()
    await world.clock.advance(60_000)
    await world.work()
    expect(await records.segments.list('acme', { within: [a], limit: 9 })).toEqual([])
    expect((await media(world)).map(({ sourceUrl }) => sourceUrl)).toEqual([`${SITE}/b.bin`])
    expect(await differences(world)).toEqual([])
  })

  it('cannot be deleted if no row names them any more', async () => {
    const { world, a } = await openInks()
    await world.platform.api.executions.deleteRows(OWNER, a)
    await expect(world.platform.api.executions.deleteMedia(OWNER, a)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The rows that named its media were deleted; delete the media by their ids',
    })
  })

  it('are deleted also if some rows are damaged: these are skipped', async () => {
    const world = createWorld(PAGES)
    const id = await world.start({ ...recipeOf('a'), start: { urls: [`${SITE}/a`, `${SITE}/b`] } })
    await world.work()
    const records = createRecords(world.store)
    // Both pages may be in one segment, or in a segment each.
    const segments = await records.segments.list('acme', { within: [id], limit: 9 })
    const [first] = segments
    if (!first) throw new Error('There are no rows')
    // One more segment comes before, whose blob is gone.
    for (const [index, value] of [
      { ...first.value, blob: `rows/${id}/gone.jsonl` },
      ...segments.map((segment) => segment.value),
    ].entries())
      await world.store.commit({
        set: [{ key: records.segments.key('acme', [id, index]), value: { ...value, index } }],
      })
    await world.platform.api.executions.deleteMedia(OWNER, id)
    await world.work()
    expect(await media(world)).toEqual([])
    expect((await world.read(id)).mediaDeletion?.finishedAt).not.toBeNull()
  })
})

it.each([
  ['results', 'rows'],
  ['media', 'media'],
])('DELETE …/%s of an unfinished execution is 409, and audited', async (path, part) => {
  const { call } = await createServiceHost()
  const recipe = { start: { urls: [`${SITE}/a`] }, extract: { fields: { title: 'h1' } } }
  const { id } = (await call('POST', '/api/v1/executions', { body: { recipe } })).body.data
  const base = `/api/v1/executions/${id}`
  const refused = await call('DELETE', `${base}/${path}`)
  expect([refused.status, refused.body.error.message]).toEqual([
    409,
    `The execution is queued; cancel it, then delete its ${part}`,
  ])
  await call('POST', `${base}/cancel`)
  const tag = (await call('GET', base)).headers.get('etag') ?? ''
  const done = await call('DELETE', `${base}/${path}`, { headers: { 'if-match': tag } })
  expect(done.status).toBe(200)
  expect((await call('DELETE', `${base}/${path}`, { headers: { 'if-match': tag } })).status).toBe(
    412,
  )
  expect((await call('DELETE', `${base}/${path}`)).body.data).toEqual(done.body.data)
  expect((await call('DELETE', `/api/v1/executions/exec_none/${path}`)).status).toBe(404)
  const entries: { operation: string; subject: string; status: number }[] = (
    await call('GET', '/api/v1/audit')
  ).body.data.items
  const operation = part === 'rows' ? 'executions.deleteRows' : 'executions.deleteMedia'
  expect(
    entries.filter((entry) => entry.operation === operation).map(({ status }) => status),
  ).toEqual([404, 200, 412, 200, 409])
})

it.each<Fault>(['fail-before', 'fail-after', 'crash-before', 'crash-after'])(
  'both deletions are completed with %s at each commit',
  async (fault) => {
    const { scenarios } = await playEach(fault, async (k) => {
      const { world, a } = await openInks()
      const entries = await world.platform.api.billing.ledger(OWNER)
      const faulty = new FaultStore(world.store, k, fault)
      const deleteBoth = async (platform: Platform) => {
        await platform.api.executions.deleteMedia(OWNER, a)
        await platform.api.executions.deleteRows(OWNER, a)
      }
      const dying = world.join(faulty)
      const attempt = async () => {
        await deleteBoth(dying)
        await world.clock.runUntil(dying.worker.tick({ signal: faulty.death }))
        await world.clock.advance(ERASED_MS)
        await world.clock.runUntil(dying.worker.tick({ signal: faulty.death }))
      }
      await attempt().catch(() => {})
      // The caller asks again, as it got no answer.
      await world.clock.advance(LEASE_MS + 1)
      await deleteBoth(world.platform)
      for (let tick = 0; tick < 4; tick++) {
        await world.work()
        await world.clock.advance(ERASED_MS)
      }
      const scenario = `${fault} at ${k}`
      expect(
        (await media(world)).map(({ sourceUrl }) => sourceUrl),
        scenario,
      ).toEqual([`${SITE}/b.bin`])
      expect(await stored(world, 'media/'), scenario).toBe('only b'.length)
      expect(await stored(world, `rows/${a}/`), scenario).toBe((await world.read(a)).kept?.bytes)
      const others = (await visited(world)) + 'only b'.length
      expect(await used(world), scenario).toBe((await stored(world, 'rows/')) + others)
      expect(await world.platform.api.billing.ledger(OWNER)).toEqual(entries)
      expect(await differences(world), scenario).toEqual([])
      return { fired: faulty.fired, broken: [] }
    })
    // One commit for each part at least, and one that erases each.
    expect(scenarios).toBeGreaterThan(3)
  },
)
