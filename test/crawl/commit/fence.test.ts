import { describe, expect, it } from 'vitest'
import { Fence } from '../../../src/crawl/commit/fence.ts'
import { Change } from '../../../src/records/change.ts'
import { through } from '../../support/stores/fault-store.ts'
import { ACCOUNT, openRun } from '../../support/worlds/open-run.ts'

const RECIPE = { start: { urls: ['https://shop.example.com/'] }, extract: { fields: { id: 'h1' } } }

/** A run that calls `meanwhile` before its next commit. */
async function runWith(meanwhile: { before: (() => Promise<void>) | null }) {
  return openRun(RECIPE, (store) =>
    through(store, async (change) => {
      const { before } = meanwhile
      meanwhile.before = null
      await before?.()
      return store.commit(change)
    }),
  )
}

it('the fence is taken by one of two workers that see it free at the same moment', async () => {
  const meanwhile: { before: (() => Promise<void>) | null } = { before: null }
  const run = await runWith(meanwhile)
  // The execution runs, and its holder has given it back: only fence and heartbeat show other workers.
  const first = await run.takeFence('worker 1')
  if (!(first instanceof Fence)) throw new Error('The fence was not taken')
  const release = new Change()
  first.release(release)
  await run.records.commit(release)
  const others: unknown[] = []
  meanwhile.before = async () => void others.push(await run.takeFence('worker 2'))
  expect(await run.takeFence('worker 3')).toBe('lost')
  expect(others).toEqual([expect.objectContaining({ holder: 'worker 2' })])
})

it('the fence stays with a holder that gives a sign of life at the last moment', async () => {
  const meanwhile: { before: (() => Promise<void>) | null } = { before: null }
  const run = await runWith(meanwhile)
  const first = await run.takeFence('worker 1')
  if (!(first instanceof Fence)) throw new Error('The fence was not taken')
  await run.clock.advance(60_000)
  meanwhile.before = async () => {
    const beat = new Change()
    first.guard(beat, run.clock.now())
    await run.records.commit(beat)
  }
  expect(await run.takeFence('worker 2')).toBe('lost')
  expect(await first.holds()).toBe(true)
})

it('the fence is not taken while its holder gives signs of life', async () => {
  const run = await openRun(RECIPE)
  const first = await run.takeFence('worker 1')
  if (!(first instanceof Fence)) throw new Error('The fence was not taken')
  const busy = await run.takeFence('worker 2')
  expect(busy).toEqual({ busyUntil: run.clock.now() + 30_000 })
  await run.clock.advance(30_000)
  expect(await run.takeFence('worker 2')).toMatchObject({ holder: 'worker 2' })
  expect(await first.holds()).toBe(false)
})

it('a holder whose heartbeats were refused is safe no longer than the lease that others see', async () => {
  const run = await openRun(RECIPE)
  const first = await run.takeFence('worker 1')
  if (!(first instanceof Fence)) throw new Error('The fence was not taken')
  const begun = run.clock.now()
  for (const ms of [10_000, 10_000]) {
    await run.clock.advance(ms)
    const beat = new Change()
    first.guard(beat, run.clock.now())
    // As when the month is closed meanwhile.
    beat.check([ACCOUNT, 'periods'], 'another version')
    expect(await run.records.commit(beat)).toBe(false)
    expect(first.due(run.clock.now())).toBe(true)
  }
  expect(first.safeUntil - begun).toBe(30_000)
  await run.clock.advance(10_000)
  expect(await run.takeFence('worker 2')).toMatchObject({ holder: 'worker 2' })
})

describe('a holder whose clock was a year ahead', () => {
  const YEAR = 365 * 86_400_000
  const held = async () => {
    const run = await openRun(RECIPE)
    const ahead = await run.takeFence('worker 1', run.clock.now() + YEAR)
    if (!(ahead instanceof Fence)) throw new Error('The fence was not taken')
    return { run, ahead }
  }

  it('delays others no longer than any dead holder', async () => {
    const { run, ahead } = await held()
    for (let waited = 0; waited < 300_000; waited += 30_000) {
      expect(await run.takeFence('worker 2')).toEqual({ busyUntil: run.clock.now() + 30_000 })
      await run.clock.advance(30_000)
    }
    expect(await run.takeFence('worker 2')).toMatchObject({ holder: 'worker 2' })
    expect(await ahead.holds()).toBe(false)
  })

  it('keeps the fence while it gives signs of life', async () => {
    const { run, ahead } = await held()
    for (let beats = 0; beats < 40; beats++) {
      expect(await run.takeFence('worker 2')).toEqual({ busyUntil: run.clock.now() + 30_000 })
      await run.clock.advance(10_000)
      const beat = new Change()
      ahead.guard(beat, run.clock.now() + YEAR)
      await run.records.commit(beat)
    }
    expect(await ahead.holds()).toBe(true)
  })
})
