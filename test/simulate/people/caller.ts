import type { Luck } from '../luck.ts'
import { RATED } from '../options.ts'
import type { World } from '../world.ts'
import { Client } from './client.ts'
import type { Person } from './client.ts'

/** Calls at once: more than the burst of its plan. */
const MOST_AT_ONCE = 24
/** Until all processes know of its plan, in ms. */
const SETTLED = 120_000

/** One who calls more often than its plan allows, at all processes at once. */
export class Caller implements Person {
  readonly account = 'caller'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch, hasRates } = this.#world
    if (!hasRates) return
    const plan = { plan: RATED.id }
    const answer = await this.#client.write('PUT', '/billing/subscription', plan)
    if (answer?.status !== 200) return
    await timeline.sleep(SETTLED)
    for (;;) {
      if (this.#world.isCalm) return
      await this.#call(this.#luck.int(2, MOST_AT_ONCE))
      await timeline.sleep(this.#luck.int(1_000, 120_000) * stretch)
    }
  }

  async check(): Promise<void> {}

  /** All processes together let through no more than the rate, but for calls that none could count. */
  async #call(count: number): Promise<void> {
    const world = this.#world
    const { limit, periodMs, burst } = RATED.rate
    const [began, uncounted] = [world.timeline.now(), world.uncounted]
    const call = () => world.call(this.account, 'GET', '/api/v1/tasks?limit=1', {}, this.#luck)
    const answers = await Promise.all(Array.from({ length: count }, call))
    const passed = answers.filter((answer) => answer?.status === 200).length
    // Clocks differ, and may jump meanwhile.
    const ms = world.timeline.now() - began + 8 * world.mostSkewMs
    const most = burst + 1 + Math.ceil((limit * ms) / periodMs) + (world.uncounted - uncounted)
    if (passed > most) world.broke('more calls have passed than the rate of a plan allows')
  }
}
