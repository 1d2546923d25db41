import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ports/store.ts'
import { LEASE_MS, createSharedWorld } from '../../support/worlds/shared-world.ts'
import type { SharedWorldOptions } from '../../support/worlds/shared-world.ts'
import { sharedSite } from '../../support/worlds/shared-site.ts'
import type { SharedSite } from '../../support/worlds/shared-site.ts'
import { FAULTS, FaultStore, playEach } from '../../support/stores/fault-store.ts'
import type { Fault, Played } from '../../support/stores/fault-store.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const PAGES = { hosts: 5, pages: 5 }
/**
 * `TOGETHER`: a limit of requests at a time over all processes. `EACH`: no such limit, and pages
 * with media. `BOTH`: the limit, and pages with media.
 */
const TOGETHER: Setting = { site: sharedSite({ ...PAGES, concurrency: 6 }), how: { together: 6 } }
const EACH: Setting = {
  site: sharedSite({ hosts: 4, pages: 3, media: true }),
  how: { latencyMs: 1_200 },
}
const BOTH: Setting = {
  site: sharedSite({ hosts: 4, pages: 3, concurrency: 5, media: true }),
  how: { together: 5 },
}
/** Pages whose reports are too large for a record. */
const LARGE: Setting = {
  site: sharedSite({ hosts: 4, pages: 2, titleLength: 120_000 }),
  how: { latencyMs: 1_200 },
}
/** A process that has died is lost, so its commits do not fail three times. */
const MODES = FAULTS.filter((fault) => fault !== 'fail-3x')
interface Setting {
  readonly site: SharedSite
  readonly how: SharedWorldOptions
}

/**
 * One run in which a call of `who` fails. A process that died is started again later. `a` begins
 * first, and so holds the fence.
 */
async function runTogether(
  { site, how }: Setting,
  who: 'a' | 'b',
  k: number,
  fault: Fault,
  counts: 'commits' | 'calls',
  spoil = (own: Store): Store => own,
): Promise<Played> {
  const shared = createSharedWorld(site.pages, how)
  const id = await shared.world.start(site.recipe)
  let fired = () => false
  let again: number | null = null
  const spawn = (name: string): void => {
    shared.spawn(name, (own, kill) => {
      if (name !== who) return own
      // While it stalls, its requests reach the web, but no call of it reaches the store.
      const onStall = () => shared.clock.sleep(2 * LEASE_MS)
      const faulty = new FaultStore(spoil(own), k, fault, { counts, onStall })
      fired = () => faulty.fired
      faulty.death.addEventListener('abort', () => {
        kill()
        again = shared.clock.now() + LEASE_MS / 3
      })
      return faulty
    })
  }
  spawn('a')
  await shared.clock.advance(100)
  spawn('b')
  spawn('c')
  await shared.until(id, () => {
    if (again === null || shared.clock.now() < again) return
    again = null
    shared.spawn(`${who}2`)
  })
  return { fired: fired(), broken: await shared.faults(id, site.rows) }
}

describe.each([
  ['a', 'so many in all', TOGETHER],
  ['b', 'so many in all', TOGETHER],
  ['a', 'so many each, with media', EACH],
  ['b', 'so many each, with media', EACH],
  ['a', 'large pages', LARGE],
  ['b', 'large pages', LARGE],
] as const)('each commit of process %s fails in each possible way; %s', (who, _, setting) => {
  it.each(MODES)(
    '%s: no page is lost or doubled, and no two processes request one host at the same time',
    { timeout: 300_000 },
    async (mode) => {
      const { scenarios, broken } = await playEach(mode, (k) =>
        runTogether(setting, who, k, mode, 'commits'),
      )
      expect(broken).toEqual([])
      expect(scenarios).toBeGreaterThan(setting === LARGE ? 3 : 7)
    },
  )
})

it(
  'no page is lost or doubled when a process dies at any call of the store',
  { timeout: 300_000 },
  async () => {
    const random = seededRandom(31)
    const broken: string[] = []
    for (let round = 0; round < 60; round++) {
      const [high = 0, low = 0] = random(2)
      const played = await runTogether(
        [BOTH, EACH, TOGETHER][round % 3] ?? BOTH,
        round % 2 === 0 ? 'a' : 'b',
        1 + ((high * 256 + low) % 220),
        round % 4 < 2 ? 'crash-before' : 'crash-after',
        'calls',
      )
      broken.push(...played.broken.map((what) => `round ${round}: ${what}`))
    }
    expect(broken).toEqual([])
  },
)

it(
  'no page is lost or doubled when processes are killed at random, again and again',
  { timeout: 300_000 },
  async () => {
    const random = seededRandom(32)
    const sites = [
      { site: sharedSite({ hosts: 7, pages: 12, concurrency: 6 }), how: { together: 6 } },
      { site: sharedSite({ hosts: 5, pages: 5, media: true }), how: { latencyMs: 1_200 } },
    ] as const
    const broken: string[] = []
    let all = 0
    for (let round = 0; round < 12; round++) {
      const { site, how } = sites[round % 2 === 0 ? 0 : 1]
      const shared = createSharedWorld(site.pages, how)
      const id = await shared.world.start(site.recipe)
      const alive = ['a', 'b', 'c'].map((name) => shared.spawn(name))
      const back: number[] = []
      let names = 0
      let kills = 0
      await shared.until(id, async () => {
        const [chance = 0, which = 0] = random(2)
        // A third death in a row, before a page has come, would rightly end the execution.
        const mayDie = chance < 10 && kills < 8 && (await shared.lost(id)) < 2
        const victim = mayDie ? alive.splice(which % alive.length, 1)[0] : undefined
        if (victim) {
          kills++
          victim.kill()
          back.push(shared.clock.now() + 500)
        }
        while (back[0] !== undefined && back[0] <= shared.clock.now()) {
          back.shift()
          alive.push(shared.spawn(`r${names++}`))
        }
      })
      broken.push(...(await shared.faults(id, site.rows)).map((what) => `round ${round}: ${what}`))
      all += kills
    }
    expect(all).toBeGreaterThan(50)
    expect(broken).toEqual([])
  },
)

it(
  'planted: the checks notice helpers whose commits do not check whether they were dismissed',
  { timeout: 300_000 },
  async () => {
    const unchecked = (own: Store): Store => ({
      ...own,
      commit: (change) =>
        own.commit({
          ...change,
          check: (change.check ?? []).filter(({ key }) => key[1] !== 'hands'),
        }),
    })
    const { broken } = await playEach(
      'stall-before',
      (k) => runTogether(EACH, 'b', k, 'stall-before', 'commits', unchecked),
      { first: 3, last: 11 },
    )
    expect(broken).not.toEqual([])
  },
)

it('planted: the checks notice helpers that visit the pages of a lane all at once', async () => {
  const shared = createSharedWorld(TOGETHER.site.pages, TOGETHER.how)
  const id = await shared.world.start(TOGETHER.site.recipe)
  const withoutTokens = (own: Store): Store => ({
    ...own,
    list: async (range) =>
      (await own.list(range)).map((entry) =>
        entry.key[1] === 'errands'
          ? { ...entry, value: { ...Object(entry.value), lane: null } }
          : entry,
      ),
  })
  for (const name of ['a', 'b', 'c']) shared.spawn(name, withoutTokens)
  await shared.until(id)
  expect(await shared.faults(id, TOGETHER.site.rows)).toEqual([
    expect.stringMatching(/^\d+ requests at once$/),
  ])
})
