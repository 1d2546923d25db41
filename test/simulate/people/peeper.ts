import type { Customer } from '../customer.ts'
import type { Luck } from '../luck.ts'
import type { World } from '../world.ts'
import { withoutIds } from '../without-ids.ts'
import { Client } from './client.ts'
import type { Person } from './client.ts'

/** One who has got ids and cursors of others, and tries whether they open anything. */
export class Peeper implements Person {
  readonly account = 'peeper'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  readonly #victims: readonly Customer[]

  constructor(world: World, luck: Luck, victims: readonly Customer[]) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
    this.#victims = victims
  }

  async live(): Promise<void> {
    const world = this.#world
    for (;;) {
      await world.timeline.sleep(this.#luck.int(1_000, 90_000) * world.stretch)
      if (world.isCalm) return
      const victim = this.#luck.any(this.#victims)
      if (!victim) continue
      if (this.#luck.chance(0.3)) await this.#useCursor(victim)
      else await this.#useId(victim)
    }
  }

  async check(): Promise<void> {
    for (const victim of this.#victims) {
      await this.#useCursor(victim)
      for (const id of victim.tasks.keys()) await this.#refused('GET', `/tasks/${id}`)
      for (const id of victim.executions.keys())
        await this.#refused('GET', `/executions/${id}/results`)
    }
  }

  async #useId({ tasks, executions, datasets, webhook }: Customer): Promise<void> {
    const any = (ids: Iterable<string>): string => this.#luck.any([...ids]) ?? 'none'
    const [task, run, dataset] = [any(tasks.keys()), any(executions.keys()), any(datasets)]
    const [method, path] = this.#luck.pick<readonly [string, string]>([
      ['GET', `/tasks/${task}`],
      ['DELETE', `/tasks/${task}`],
      ['POST', `/tasks/${task}/executions`],
      ['GET', `/executions/${run}`],
      ['GET', `/executions/${run}/results`],
      ['GET', `/executions/${run}/results/export?format=csv`],
      ['POST', `/executions/${run}/cancel`],
      ['POST', `/executions/${run}/retry`],
      ['DELETE', `/executions/${run}`],
      ['GET', `/datasets/${dataset}/items`],
      ['DELETE', `/datasets/${dataset}`],
      ['GET', `/webhooks/${webhook ?? 'none'}/deliveries`],
      ['POST', `/webhooks/${webhook ?? 'none'}/rotate`],
    ])
    await this.#refused(method, path)
  }

  /** A cursor goes on only with the list of its account. */
  async #useCursor({ account }: Customer): Promise<void> {
    const list = this.#luck.pick(['/tasks', '/executions', '/audit'])
    const page = await this.#world.call(account, 'GET', `/api/v1${list}?limit=1`, {}, this.#luck)
    const cursor = /"nextCursor":"([^"]+)"/.exec(page?.text ?? '')?.[1]
    if (cursor !== undefined)
      await this.#refused('GET', `${list}?limit=1&cursor=${encodeURIComponent(cursor)}`)
  }

  async #refused(method: string, path: string): Promise<void> {
    const body = method === 'POST' ? {} : undefined
    const answer = await this.#client.send(method, path, body)
    if (answer !== null && answer.status < 400)
      this.#world.broke(
        `what is another's was opened: ${method} ${withoutIds(path).split('?')[0]} ${answer.status}`,
      )
  }
}
