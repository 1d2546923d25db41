import { createHmac } from 'node:crypto'
import { isFinal } from '../../../src/features/executions/lifecycle.ts'
import { createRecords } from '../../../src/features/records.ts'
import { MINUTE_MS } from '../../../src/kernel/time.ts'
import type { Luck } from '../luck.ts'
import { drawReading, GONE, RECEIVER } from '../sites.ts'
import type { Received } from '../sites.ts'
import type { World } from '../world.ts'
import { Client, madeBy } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000
/** An attempt that has begun may still arrive for this long. */
const IN_FLIGHT_MS = 10 * MINUTE_MS

const ENDS = ['execution.succeeded', 'execution.failed', 'execution.cancelled']

/** One who checks each message that it gets, and who stops listening to some. */
export class Listener implements Person {
  readonly account = 'listener'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  /** Secrets of webhooks whose creation was acknowledged, by the ends of their addresses. */
  readonly #secrets = new Map<string, string>()
  readonly #ids = new Map<string, string>()
  /** Since when it wants no more messages. `null`: it has not said so, or the outcome is unknown. */
  #silentSince: number | null = null

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    await this.#listen('ends', RECEIVER, ENDS)
    await this.#listen('silent', RECEIVER, ['*'])
    await this.#listen('gone', GONE, ['*'])
    for (;;) {
      await timeline.sleep(this.#luck.int(1_000, 120_000) * stretch)
      if (this.#world.isCalm) return
      const site = this.#luck.any(this.#world.sites)
      if (!site) throw new Error('A world has sites')
      const { recipe } = drawReading(this.#luck, site)
      const id = madeBy(await this.#client.write('POST', '/executions', { recipe }))
      if (id !== null && this.#luck.chance(0.3))
        await this.#client.write('POST', `/executions/${id}/cancel`)
      if (this.#luck.chance(0.2)) await this.#silence()
    }
  }

  async check(): Promise<void> {
    const world = this.#world
    const received = world.web.received.filter(({ url }) => url.includes(`/${this.account}/`))
    for (const message of received) this.#checkMessage(message)
    await this.#checkEnds(received)
    const since = this.#silentSince
    if (since !== null)
      for (const { url, at: time } of received)
        if (url.endsWith('/silent') && time > since + IN_FLIGHT_MS)
          world.broke('a webhook that was disabled is called')
    const gone = this.#ids.get('gone')
    if (gone === undefined) return
    const webhook = await createRecords(world.store).webhooks.get(this.account, gone)
    const calls = world.web.gone.filter(({ url }) => url.endsWith(`/${this.account}/gone`))
    if (calls.length > 0 && webhook?.value.disabledAt === null)
      world.broke('a receiver that is gone is still called')
  }

  async #listen(name: string, host: string, events: readonly string[]): Promise<void> {
    const url = `https://${host}/${this.account}/${name}`
    const answer = await this.#client.write('POST', '/webhooks', { url, events })
    const id = madeBy(answer)
    const secret = /"secret":"whsec_([^"]+)"/.exec(answer?.text ?? '')?.[1]
    if (id === null || secret === undefined) return
    this.#ids.set(name, id)
    this.#secrets.set(name, secret)
  }

  async #silence(): Promise<void> {
    const id = this.#ids.get('silent')
    if (id === undefined || this.#silentSince !== null) return
    const answer = await this.#client.write('PATCH', `/webhooks/${id}`, { enabled: false })
    if (answer?.status === 200) this.#silentSince = this.#world.timeline.now()
  }

  /** It was signed for this time, and is of a type that its webhook wants. */
  #checkMessage({ url, id, type, body, timestamp, signature }: Received): void {
    const name = url.split('/').at(-1) ?? ''
    if (name === 'ends' && !ENDS.includes(type))
      this.#world.broke('a receiver got an event that it does not want')
    const secret = this.#secrets.get(name)
    if (secret === undefined) return
    const key = Buffer.from(secret, 'base64')
    const text = `${id}.${timestamp}.${body}`
    if (signature !== `v1,${createHmac('sha256', key).update(text).digest('base64')}`)
      this.#world.broke('a message has no right signature')
  }

  /** Each end was told by one event, or the delivery says why it was not. */
  async #checkEnds(received: readonly Received[]): Promise<void> {
    const webhook = this.#ids.get('ends')
    if (webhook === undefined) return
    const records = createRecords(this.#world.store)
    const within = { within: [webhook], limit: ALL }
    const deliveries = await records.webhookDeliveries.list(this.account, within)
    const failed = deliveries.filter(({ value }) => value.status === 'failed')
    const events = new Map<string, Set<string>>()
    for (const { url, id, body } of received) {
      const execution = /exec_\w{26}/.exec(body)?.[0]
      if (!url.endsWith('/ends') || execution === undefined) continue
      events.set(execution, (events.get(execution) ?? new Set()).add(id))
    }
    for (const { value } of await records.executions.list(this.account, { limit: ALL })) {
      const count = events.get(value.id)?.size ?? 0
      if (count > 1) this.#world.broke('an execution has ended by two events')
      const isExcused = failed.some((delivery) => delivery.value.body.includes(value.id))
      if (isFinal(value.status) && count === 0 && !isExcused)
        this.#world.broke('a listener was not told of the end of an execution')
    }
  }
}
