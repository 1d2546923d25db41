import { describe, expect, it } from 'vitest'
import type { Commit, Store } from '../../../src/ports/store.ts'
import { LEASE_MS, createSharedWorld } from '../../support/worlds/shared-world.ts'
import type { SharedWorldOptions } from '../../support/worlds/shared-world.ts'
import { sharedSite } from '../../support/worlds/shared-site.ts'
import type { SharedSite } from '../../support/worlds/shared-site.ts'
import { playEach } from '../../support/stores/fault-store.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const PAGES = { hosts: 5, pages: 5 }
/**
 * `TOGETHER`: a limit of requests at a time over all processes. `EACH`: no such limit, and pages
 * with media. `BOTH`: the limit, and pages with media.
 */
const TOGETHER: Played = { site: sharedSite({ ...PAGES, concurrency: 6 }), how: { together: 6 } }
const EACH: Played = {
  site: sharedSite({ hosts: 4, pages: 3, media: true }),
  how: { latencyMs: 1_200 },
}
const BOTH: Played = {
  site: sharedSite({ hosts: 4, pages: 3, concurrency: 5, media: true }),
  how: { together: 5 },
}
const MODES = [
  'fail-before',
  'fail-after',
  'crash-before',
  'crash-after',
  'stall-before',
  'stall-after',
] as const
interface Played {
  readonly site: SharedSite
  readonly how: SharedWorldOptions
}
type Mode = (typeof MODES)[number]

/** The way in which a call of the store fails. */
interface Failure {
  readonly k: number
  readonly mode: Mode
  readonly counts: 'commits' | 'calls'
  readonly die: () => void
  /**
   * Lets some time pass in which no call of the process reaches the store, but its requests reach
   * the web.
   */
  readonly stall: () => Promise<void>
  readonly fired: () => void
}

/** A store whose counted call number `k` fails. */
function failing(own: Store, { k, mode, counts, die, stall, fired }: Failure): Store {
  let calls = 0
  let stalled: Promise<void> | null = null
  const hit = async <T>(call: () => Promise<T>, isCounted: boolean): Promise<T> => {
    await stalled
    if (!isCounted || ++calls !== k) return call()
    fired()
    const early = mode.endsWith('after') ? await call() : null
    if (mode.startsWith('stall')) {
      await (stalled = stall())
      return early ?? call()
    }
    if (mode.startsWith('crash')) die()
    throw new Error(mode)
  }
  return {
    get: (keys) => hit(() => own.get(keys), counts === 'calls'),
    list: (range) => hit(() => own.list(range), counts === 'calls'),
    commit: (change: Commit) => hit(() => own.commit(change), true),
    close: async () => {},
  }
}

/**
 * One run in which a call of `who` fails. A process that died is started again later. `a` begins
 * first, and so holds the fence.
 */
async function play(
  { site, how }: Played,
  who: 'a' | 'b',
  k: number,
  mode: Mode,
  counts: 'commits' | 'calls',
  spoil = (own: Store): Store => own,
): Promise<{ fired: boolean; broken: string[] }> {
  const shared = createSharedWorld(site.pages, how)
  const id = await shared.world.start(site.recipe)
  let fired = false
  let again: number | null = null
  const spawn = (name: string): void => {
    shared.spawn(name, (own, kill) => {
      const die = (): void => {
        kill()
        again = shared.clock.now() + LEASE_MS / 3
      }
      return name === who
        ? failing(spoil(own), {
            k,
            mode,
            counts,
            die,
            stall: () => shared.clock.sleep(2 * LEASE_MS),
            fired: () => (fired = true),
          })
        : own
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
  return { fired, broken: await shared.faults(id, site.rows) }
}

describe.each([
  ['a', 'so many in all', TOGETHER],
  ['b', 'so many in all', TOGETHER],
  ['a', 'so many each, with media', EACH],
  ['b', 'so many each, with media', EACH],
] as const)('each commit of process %s fails in each possible way; %s', (who, _, played) => {
  it.each(MODES)(
    '%s: no page is lost or doubled, and no two processes request one host at the same time',
    { timeout: 300_000 },
    async (mode) => {
      const { scenarios, broken } = await playEach(mode, (k) =>
        play(played, who, k, mode, 'commits'),
      )
      expect(broken).toEqual([])
      expect(scenarios).toBeGreaterThan(7)
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
      const played = await play(
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
    const broken: string[] = []
    for (let k = 3; k < 12; k++)
      broken.push(...(await play(EACH, 'b', k, 'stall-before', 'commits', unchecked)).broken)
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
