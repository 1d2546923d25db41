import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Commit } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { FAULTS } from '../../support/stores/fault-store.ts'
import type { CommitRange, Fault } from '../../support/stores/fault-store.ts'
import { playFaults } from '../../support/stores/play-fault.ts'
import type { OpenRuns } from '../../support/stores/play-fault.ts'
import { createWatchedWorld } from '../../support/worlds/watched-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

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
      // Of a store that takes a moment: what ends meanwhile can share the next commit.
      if (executions > 0) await clock.sleep(20)
      const isWritten = await base.commit(change)
      if (isWritten && executions > 0) ends.push({ commit, executions })
      return isWritten
    },
  }
  const watched = createWatchedWorld(PAGES, {
    clock,
    base: counted,
    billing: { plans: [{ id: 'pro', name: 'Pro', creditsPerMonth: 100, dailyCap }] },
  })
  return { ...watched, ends, commits: () => commits, records: createRecords(base) }
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
   * Plays four executions, with a fault at each of these commits of the worker. `first` and `last`
   * are the first and the last commit that ended any of them in the last play.
   */
  async function playEnds(fault: Fault, range: CommitRange) {
    let opened = open(50)
    let before = 0
    let joint = 0
    const run = async ({ world, broken, work }: OpenRuns): Promise<void> => {
      const ids: string[] = []
      for (const first of [0, 2, 4, 6]) ids.push(await world.start(recipe(first)))
      before = opened.commits()
      await work(ids)
      for (const { status, counters, cost } of await Promise.all(ids.map(world.read))) {
        if (status !== 'succeeded' || counters.fetched !== 2 || cost.credits !== 2)
          broken.add(`${status}, ${counters.fetched} pages, ${cost.credits} credits`)
      }
      const ended = opened.ends.reduce((sum, one) => sum + one.executions, 0)
      if (ended !== ids.length) broken.add(`${ended} ends`)
      if (opened.ends.some(({ executions }) => executions > 1)) joint++
    }
    const played = await playFaults(fault, { open: () => (opened = open(50)), run }, range)
    return {
      ...played,
      joint,
      first: (opened.ends[0]?.commit ?? 0) - before,
      last: (opened.ends.at(-1)?.commit ?? 0) - before,
    }
  }

  it.each(FAULTS)(
    '%s at any commit from the last pages on: each execution ends once, and the credits add up',
    async (fault) => {
      // No run has so many commits: this one has no fault.
      const { first, last } = await playEnds(fault, { first: 10_000 })
      expect(first).toBeGreaterThan(10)
      const { broken, joint, scenarios } = await playEnds(fault, {
        first: first - 8,
        last: last + 4,
      })
      expect(broken).toEqual([])
      expect(scenarios).toBeGreaterThan(8)
      expect(joint).toBeGreaterThan(0)
    },
  )
})
