import { isFinal } from '../../../src/features/executions/lifecycle.ts'
import { createRecords } from '../../../src/features/records.ts'
import { MINUTE_MS } from '../../../src/kernel/time.ts'
import type { Luck } from '../luck.ts'
import type { Mailed } from '../later/services.ts'
import { drawReading } from '../sites.ts'
import type { World } from '../world.ts'
import { Client, madeBy } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000
/** An attempt that has begun may still arrive for this long. */
const IN_FLIGHT_MS = 10 * MINUTE_MS
/** The platform asks an address no more often in thirty days, which no world lasts. */
const MOST_ASKED = 3
const CODE = /^ {4}([2-9A-Z]{4}-[2-9A-Z]{4})$/m
const ENDS = ['execution.succeeded', 'execution.failed', 'execution.cancelled']

/** One who gets the ends of its runs by mail, once it has confirmed, until it wants no more. */
export class Correspondent implements Person {
  readonly account = 'correspondent'
  readonly #address = 'ann@example.com'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  #webhook: string | null = null
  /** When it sent the code for the first time. `null`: never. */
  #codeSentAt: number | null = null
  /** When it was told that its address is confirmed. */
  #confirmedAt: number | null = null
  /** When it asked for an end, and when it was told of it. */
  #endSentAt: number | null = null
  #endedAt: number | null = null

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    await this.#listen(this.#address)
    for (;;) {
      await timeline.sleep(this.#luck.int(2_000, 90_000) * stretch)
      if (this.#world.isCalm) return
      if (this.#confirmedAt === null) await this.#confirm()
      // Another spelling is the same mailbox.
      if (this.#luck.chance(0.1)) await this.#listen('Ann+more@example.com')
      if (this.#luck.chance(0.05)) await this.#end()
      const site = this.#luck.any(this.#world.sites)
      if (!site) throw new Error('A world has sites')
      const { recipe } = drawReading(this.#luck, site)
      await this.#client.write('POST', '/executions', { recipe })
    }
  }

  async check(): Promise<void> {
    const world = this.#world
    const mailed = this.#mailed()
    const events = mailed.filter(({ text }) => !CODE.test(text))
    const codes = mailed.filter(({ text }) => CODE.test(text)).map(({ id }) => id)
    if (new Set(codes).size < codes.length) world.broke('one code was mailed twice')
    if (codes.length > MOST_ASKED) world.broke('an address was asked for its consent too often')
    for (const { time } of events) {
      if (this.#codeSentAt === null || time < this.#codeSentAt)
        world.broke('an event was mailed to an address that nobody has confirmed')
      if (this.#endedAt !== null && time > this.#endedAt + IN_FLIGHT_MS)
        world.broke('an event was mailed to one who wants no more')
    }
    await this.#checkEnds(events)
  }

  /** Each end was told by one message, which may have come twice, or its delivery says why not. */
  async #checkEnds(events: readonly Mailed[]): Promise<void> {
    const records = createRecords(this.#world.store)
    const messages = new Map<string, Set<string>>()
    for (const { id, text } of events) {
      const run = /exec_\w{26}/.exec(text)?.[0]
      if (run !== undefined) messages.set(run, (messages.get(run) ?? new Set()).add(id))
    }
    const webhook = this.#webhook
    const deliveries =
      webhook === null
        ? []
        : await records.webhookDeliveries.list(this.account, { within: [webhook], limit: ALL })
    const isExcused = (run: string): boolean =>
      deliveries.some(({ value }) => value.status === 'failed' && value.body.includes(run))
    for (const { value } of await records.executions.list(this.account, { limit: ALL })) {
      const count = messages.get(value.id)?.size ?? 0
      if (count > 1) this.#world.broke('two messages were mailed of one end')
      const isWanted =
        this.#confirmedAt !== null &&
        value.createdAt > this.#confirmedAt + MINUTE_MS &&
        this.#endSentAt === null
      if (isWanted && isFinal(value.status) && count === 0 && !isExcused(value.id))
        this.#world.broke('nobody was mailed the end of an execution')
    }
  }

  #mailed(): readonly Mailed[] {
    return this.#world.services.mailed.filter(({ to }) => /^ann(\+more)?@/i.test(to))
  }

  async #listen(address: string): Promise<void> {
    const body = { url: `mailto:${address}`, events: ENDS }
    const id = madeBy(await this.#client.write('POST', '/webhooks', body))
    if (address === this.#address) this.#webhook = id
  }

  /** Gives the code that came, or sometimes a wrong one. */
  async #confirm(): Promise<void> {
    const mail = this.#mailed().find(({ to, text }) => to === this.#address && CODE.test(text))
    const code = CODE.exec(mail?.text ?? '')?.[1]
    if (this.#webhook === null || code === undefined) return
    const path = `/webhooks/${this.#webhook}/confirm`
    if (this.#luck.chance(0.1)) {
      const refused = await this.#client.send('POST', path, { code: 'AAAA-2222' })
      if (refused !== null && refused.status < 300) this.#world.broke('a wrong code was taken')
      return
    }
    this.#codeSentAt ??= this.#world.timeline.now()
    const answer = await this.#client.write('POST', path, { code })
    if (answer?.status === 200) this.#confirmedAt = this.#world.timeline.now()
  }

  async #end(): Promise<void> {
    const url = this.#mailed().find(({ unsubscribeUrl }) => unsubscribeUrl !== null)?.unsubscribeUrl
    if (this.#endSentAt !== null || url === undefined || url === null) return
    this.#endSentAt = this.#world.timeline.now()
    const { pathname, search } = new URL(url)
    const send = () => this.#world.call(this.account, 'POST', pathname + search, {}, this.#luck)
    const answer = await this.#world.untilKnown(send, this.#luck)
    this.#world.tell(`${this.account}: wants no more mail: ${answer?.status}`)
    if (answer?.status === 200) this.#endedAt = this.#world.timeline.now()
  }
}
