import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Commit } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { FAULTS } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { CheckedStore, watch } from '../../support/worlds/invariants.ts'
import { faultyStore, workThrough } from '../../support/stores/play-fault.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const PAGES = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [`${SITE}/${i}`, `<h1>${i}</h1>`]),
)
const recipe = (first: number) => ({
  start: { urls: [`${SITE}/${first}`, `${SITE}/${first + 1}`] },
  crawl: { delayMs: 0, concurrency: 2 },
  extract: { fields: { title: 'h1' } },
})
const ALL = { limit: 100 }

function open(dailyCap: number | null = null) {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  const { check, broken } = watch(base, blobs, OWNER.account)
  /** The number of executions that each commit ends. */
  const ends: { commit: number; executions: number }[] = []
  let commits = 0
  const counted = {
    get: base.get.bind(base),
    list: base.list.bind(base),
    close: base.close.bind(base),
    async commit(change: Commit) {
      const commit = ++commits
      const executions = (change.delete ?? []).filter(
        ({ 1: collection }) => collection === 'holds',
      ).length
      const written = await base.commit(change)
      if (written && executions > 0) ends.push({ commit, executions })
      return written
    },
  }
  const world = createWorld(PAGES, {
    clock,
    blobs,
    store: new CheckedStore(counted, check),
    billing: { plans: [{ id: 'pro', name: 'Pro', creditsPerMonth: 100, dailyCap }] },
  })
  return { clock, world, broken, ends, commits: () => commits, records: createRecords(base) }
}

describe('executions of one account that end at the same time', () => {
  it('end together in few commits, and each returns its unused credits and sends its events', async () => {
    const { world, broken, ends, records } = open(50)
    const task = await world.platform.api.tasks.create(OWNER, { name: 'one', recipe: recipe(0) })
    const same = [
      await world.platform.api.executions.start(OWNER, task.id),
      await world.platform.api.executions.start(OWNER, task.id),
    ]
    const ids = [
      ...same.map(({ id }) => id),
      await world.start(recipe(4)),
      await world.start(recipe(6)),
    ]
    await world.work()
    for (const id of ids)
      expect(await world.read(id)).toMatchObject({
        status: 'succeeded',
        counters: { fetched: 2 },
        cost: { credits: 2 },
      })
    expect(ends.reduce((sum, { executions }) => sum + executions, 0)).toBe(4)
    expect(ends.length).toBeLessThan(4)
    expect((await records.wallets.get(OWNER.account))?.value.credits).toMatchObject({
      wallet: 92,
      held: 0,
      revenue: 8,
    })
    expect((await records.days.list(OWNER.account, ALL)).map(({ value }) => value.taken)).toEqual([
      8,
    ])
    // The samples of both executions of the task are stored, not only the last one.
    expect(
      (await records.health.get(OWNER.account, task.id))?.value.samples
        .map(({ execution }) => execution)
        .toSorted(),
    ).toEqual(same.map(({ id }) => id).toSorted())
    expect((await world.platform.verify()).differences).toEqual([])
    expect([...broken]).toEqual([])
  })

  /**
   * Plays four executions, with a fault at the k-th commit of the worker. `first` and `last` are
   * the first and the last commit that ended any of them.
   */
  async function play(fault: Fault, k: number) {
    const { world, broken, ends, commits } = open(50)
    const ids = [
      await world.start(recipe(0)),
      await world.start(recipe(2)),
      await world.start(recipe(4)),
      await world.start(recipe(6)),
    ]
    const before = commits()
    const faulty = faultyStore(world, k, fault)
    await workThrough(world, ids, faulty)
    const wrong = [...broken]
    for (const { status, counters, cost } of await Promise.all(ids.map(world.read))) {
      if (status !== 'succeeded' || counters.fetched !== 2 || cost.credits !== 2)
        wrong.push(`${status}, ${counters.fetched} pages, ${cost.credits} credits`)
    }
    const ended = ends.reduce((sum, one) => sum + one.executions, 0)
    if (ended !== ids.length) wrong.push(`${ended} ends`)
    return {
      wrong,
      isJoint: ends.some(({ executions }) => executions > 1),
      first: (ends[0]?.commit ?? 0) - before,
      last: (ends.at(-1)?.commit ?? 0) - before,
      fired: faulty.fired,
    }
  }

  it.each(FAULTS)(
    '%s at any commit from the last pages on: each execution ends once, and the credits add up',
    async (fault) => {
      const { first, last } = await play(fault, Infinity)
      expect(first).toBeGreaterThan(10)
      const wrong: string[] = []
      let joint = 0
      for (let k = first - 8; k <= last + 4; k++) {
        const played = await play(fault, k)
        wrong.push(...played.wrong.map((what) => `${fault}@${k}: ${what}`))
        if (played.fired && played.isJoint) joint++
      }
      expect(wrong).toEqual([])
      expect(joint).toBeGreaterThan(0)
    },
  )
})
