import { createRecords } from '../../../src/features/records.ts'
import type { Luck } from '../luck.ts'
import { drawReading } from '../sites.ts'
import type { Answer, World } from '../world.ts'
import { Client, madeBy } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000

const OPERATIONS = { task: 3, run: 3, topUp: 2, otherRequest: 1, quarrel: 2 } as const

/** A client that sends each write twice at once with one key, to any two processes. */
export class Twin implements Person {
  readonly account = 'twin'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  readonly #made = { task: new Set<string>(), run: new Set<string>(), topUp: new Set<string>() }
  /** Calls whose outcome was never known. */
  readonly #unknown = { task: 0, run: 0, topUp: 0 }

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const world = this.#world
    for (;;) {
      await world.timeline.sleep(this.#luck.int(500, 40_000) * world.stretch)
      if (world.isCalm) return
      await this.#do(this.#luck.weighed(OPERATIONS))
    }
  }

  async check(): Promise<void> {
    const world = this.#world
    const records = createRecords(world.store)
    const list = { limit: ALL }
    const counts = {
      task: (await records.tasks.list(this.account, list)).length,
      run: (await records.executions.list(this.account, list)).length,
      topUp: [...world.charged.values()].filter(({ account }) => account === this.account).length,
    }
    for (const kind of ['task', 'run', 'topUp'] as const) {
      const least = this.#made[kind].size
      if (counts[kind] < least) world.broke(`twin: what was acknowledged is not there: ${kind}`)
      if (counts[kind] > least + this.#unknown[kind])
        world.broke(`twin: two calls with one key had two effects: ${kind}`)
    }
  }

  async #do(operation: keyof typeof OPERATIONS): Promise<void> {
    const luck = this.#luck
    const { canary } = this.#client
    switch (operation) {
      case 'task': {
        const body = { name: `${canary} ${luck.int(1, 1e9)}`, recipe: this.#recipe() }
        return this.#make('task', '/tasks', body)
      }
      case 'run':
        return this.#make('run', '/executions', { recipe: this.#recipe() })
      case 'topUp':
        return this.#make('topUp', '/billing/top-ups', { credits: luck.int(1, 300) })
      case 'otherRequest':
        return this.#sendAnother()
      case 'quarrel':
        return this.#quarrel()
    }
  }

  /** With a budget, which a run may not exceed. */
  #recipe(): object {
    const site = this.#luck.any(this.#world.sites)
    if (!site) throw new Error('A world has sites')
    const { recipe } = drawReading(this.#luck, site)
    return { ...recipe, budget: { ...recipe.budget, credits: this.#luck.int(1, 12) } }
  }

  async #make(kind: 'task' | 'run' | 'topUp', path: string, body: object): Promise<void> {
    const answer = await this.#twice('POST', path, body)
    const id = madeBy(answer)
    if (id !== null) this.#made[kind].add(id)
    else if (answer === null || answer.status === 403) this.#unknown[kind]++
  }

  /** Sends a call twice, and again until its outcome is known. */
  async #twice(method: string, path: string, body: object): Promise<Answer | null> {
    const { timeline } = this.#world
    const key = this.#client.newKey()
    const send = () => this.#client.send(method, path, body, key)
    const behindMs = this.#luck.int(0, this.#luck.pick([0, 30, 2_000, 70_000]))
    const [first, second] = await Promise.all([send(), timeline.sleep(behindMs).then(send)])
    const [one, other] = [madeBy(first), madeBy(second)]
    if (one !== null && other !== null && one !== other)
      this.#world.broke('two calls with one key made two things')
    if (one !== null) return first
    if (other !== null) return second
    return this.#client.write(method, path, body, key)
  }

  /** A key that was used for one request is refused for another. */
  async #sendAnother(): Promise<void> {
    const key = this.#client.newKey()
    const body = (keyField: string): object => ({
      name: this.#client.canary,
      keyFields: [keyField],
    })
    const first = await this.#client.write('POST', '/datasets', body('title'), key)
    if (madeBy(first) === null) return
    const second = await this.#client.send('POST', '/datasets', body('price'), key)
    if (second !== null && second.status < 300)
      this.#world.broke('a key was accepted with another request')
  }

  /** Two orders for one run at once: at most one of two that exclude one another is followed. */
  async #quarrel(): Promise<void> {
    const id = this.#luck.any([...this.#made.run])
    if (id === null) return
    const order = () => this.#luck.pick(['pause', 'resume', 'cancel', 'retry'])
    const send = (name: string) =>
      this.#client.write('POST', `/executions/${id}/${name}`, name === 'retry' ? {} : undefined)
    const orders = [order(), order()] as const
    for (const [index, answer] of (await Promise.all(orders.map(send))).entries()) {
      if (orders[index] !== 'retry') continue
      const again = madeBy(answer)
      if (again !== null) this.#made.run.add(again)
      else if (answer === null || answer.status === 403) this.#unknown.run++
    }
  }
}
