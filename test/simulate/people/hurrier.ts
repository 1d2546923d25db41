import { isFinal } from '../../../src/features/executions/lifecycle.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Luck } from '../luck.ts'
import { drawReading } from '../sites.ts'
import type { World } from '../world.ts'
import { Client } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000
/** More at once than any plan of a world allows to run. */
const MOST_AT_ONCE = 7

/** One who starts many runs at once, as often as not more than its plan allows. */
export class Hurrier implements Person {
  readonly account = 'hurrier'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch, sites } = this.#world
    for (;;) {
      await timeline.sleep(this.#luck.int(5_000, 120_000) * stretch)
      const site = this.#luck.any(sites)
      if (this.#world.isCalm || !site) return
      const recipes = Array.from(
        { length: this.#luck.int(2, MOST_AT_ONCE) },
        () => drawReading(this.#luck, site).recipe,
      )
      await Promise.all(
        recipes.map((recipe) => this.#client.write('POST', '/executions', { recipe })),
      )
      await this.#checkCap()
    }
  }

  async check(): Promise<void> {
    await this.#checkCap()
  }

  /** Asked when the runs have just begun, as most of them have ended by the next look at the world. */
  async #checkCap(): Promise<void> {
    const { store, options } = this.#world
    const most = options.billing?.plans?.[0]?.concurrentExecutions ?? null
    const executions = await createRecords(store).executions.list(this.account, { limit: ALL })
    const open = executions.filter(({ value }) => !isFinal(value.status)).length
    if (most !== null && open > most)
      this.#world.broke('more executions are unfinished than the plan allows')
  }
}
