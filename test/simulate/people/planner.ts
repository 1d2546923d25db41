import { createRecords } from '../../../src/features/records.ts'
import type { KnownSchedule, KnownTask } from '../customer.ts'
import type { Luck } from '../luck.ts'
import { checkTimetables } from '../oracles/schedules.ts'
import { drawReading } from '../sites.ts'
import type { World } from '../world.ts'
import { Client, madeBy } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000
const MOST_TASKS = 6

/** One whose tasks run by schedules that allow neither late runs nor two at once. */
export class Planner implements Person {
  readonly account = 'planner'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  readonly #tasks = new Map<string, KnownTask>()
  /** All its tasks have this one, so that many runs are merged into it. */
  #dataset: string | null = null

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    const body = { name: this.#client.canary, keyFields: ['title'] }
    this.#dataset = madeBy(await this.#client.write('POST', '/datasets', body))
    for (let count = 0; count < MOST_TASKS; count++) {
      if (this.#world.isCalm) return
      await this.#plan(count)
      await timeline.sleep(this.#luck.int(1_000, 60_000) * stretch)
    }
    for (;;) {
      await timeline.sleep(this.#luck.int(10_000, 300_000) * stretch)
      if (this.#world.isCalm) return
      // A run that someone starts is in the way of a scheduled one too.
      const task = this.#luck.any([...this.#tasks.keys()])
      if (task !== null) await this.#client.write('POST', `/tasks/${task}/executions`, {})
    }
  }

  async check(): Promise<void> {
    const records = createRecords(this.#world.store)
    const executions = await records.executions.list(this.account, { limit: ALL })
    checkTimetables(
      this.#world,
      this.#tasks,
      executions.map(({ value }) => value),
    )
    if (this.#dataset === null) return
    const gone = await this.#client.send('GET', `/datasets/${this.#dataset}/items?state=gone`)
    // No page of a site ever goes.
    if (gone?.text.includes('"state":"gone"') === true)
      this.#world.broke('an item of a page that is there is gone')
  }

  async #plan(count: number): Promise<void> {
    const site = this.#luck.any(this.#world.sites)
    if (!site) throw new Error('A world has sites')
    const reading = drawReading(this.#luck, site)
    const schedule = this.#schedule()
    const name = `${this.#client.canary} ${count}`
    const datasetId = this.#dataset
    const body = {
      name,
      recipe: reading.recipe,
      schedule,
      ...(datasetId !== null && { datasetId }),
    }
    const id = madeBy(await this.#client.write('POST', '/tasks', body))
    if (id === null) return
    const task = { id, name, reading, isDeleted: false, datasetId, schedules: [schedule] }
    this.#tasks.set(id, task)
  }

  /** Earlier worlds draw none, so that their seeds find what they found. */
  #zone(): string {
    const { zones } = this.#world
    return zones.length > 3 ? this.#luck.pick(zones) : 'Europe/Berlin'
  }

  #schedule(): KnownSchedule {
    return {
      cron: this.#luck.pick(
        this.#world.stretch <= 1
          ? ['*/5 * * * *', '* * * * *']
          : ['30 2 * * *', '*/30 * * * *', ...this.#world.furtherCrons],
      ),
      timeZone: this.#zone(),
      overlap: false,
      missed: this.#luck.pick(['run', 'skip']),
    }
  }
}
