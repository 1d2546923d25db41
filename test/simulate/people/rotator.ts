import { createHmac } from 'node:crypto'
import type { Luck } from '../luck.ts'
import { RECEIVER } from '../sites.ts'
import type { Received } from '../sites.ts'
import type { World } from '../world.ts'
import { Client, madeBy } from './client.ts'
import type { Person } from './client.ts'

const SECOND_MS = 1_000
/** An attempt that has read its webhook may still arrive for this long, while things go wrong. */
const IN_FLIGHT_MS = 600_000
/** So long it takes while nothing goes wrong. */
const CALM_IN_FLIGHT_MS = 2_000
/** For how long an old secret signs too. */
const OVERLAPS = [0, 30, 600, 86_400] as const
const LAST_OVERLAP = 60

/** A secret of the webhook. */
interface Key {
  readonly secret: string
  /** When it was asked for, and when the answer came. */
  readonly sentAt: number
  readonly toldAt: number
  /** For how long the secret before it signs too, in ms. */
  readonly overlapMs: number
}

/**
 * One who rotates the secret of its webhook again and again: the new one signs from the answer on,
 * and the old one too until its overlap ends, but never after it.
 */
export class Rotator implements Person {
  readonly account = 'rotator'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  readonly #keys: Key[] = []
  #webhook: string | null = null
  /** From when on nothing goes wrong. */
  #calmSince = Infinity

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    const url = `https://${RECEIVER}/${this.account}/all`
    this.#webhook = await this.#ask('/webhooks', 0, { url, events: ['*'] })
    for (;;) {
      await timeline.sleep(this.#luck.int(1_000, 60_000) * stretch)
      if (this.#world.isCalm || this.#webhook === null) return
      if (this.#luck.chance(0.5)) await this.#test(this.#webhook)
      else await this.#rotate(this.#webhook, this.#luck.pick(OVERLAPS))
    }
  }

  async check(): Promise<void> {
    const { timeline } = this.#world
    this.#calmSince = timeline.now()
    if (this.#webhook !== null) {
      await this.#rotate(this.#webhook, LAST_OVERLAP)
      // The old secret signs the first of these, and not the last one.
      await this.#test(this.#webhook)
      await this.#world.processes[0]?.tick()
      await timeline.sleep((LAST_OVERLAP + 1) * SECOND_MS + CALM_IN_FLIGHT_MS)
      await this.#test(this.#webhook)
      await this.#world.processes[0]?.tick()
    }
    for (const message of this.#world.web.received)
      if (message.url.includes(`/${this.account}/`)) this.#checkMessage(message)
  }

  async #rotate(webhook: string, overlapSeconds: number): Promise<void> {
    await this.#ask(`/webhooks/${webhook}/rotate`, overlapSeconds * SECOND_MS, { overlapSeconds })
  }

  async #test(webhook: string): Promise<void> {
    await this.#client.write('POST', `/webhooks/${webhook}/test`)
  }

  /** Asks for a secret; the id of the webhook. */
  async #ask(path: string, overlapMs: number, body: object): Promise<string | null> {
    const { timeline } = this.#world
    const sentAt = timeline.now()
    const answer = await this.#client.write('POST', path, body)
    const [, secret] = /"secret":"whsec_([^"]+)"/.exec(answer?.text ?? '') ?? []
    const id = madeBy(answer)
    if (id === null || secret === undefined) {
      // Its outcome is unknown, so what signs is unknown.
      this.#webhook = null
      return null
    }
    this.#keys.push({ secret, sentAt, toldAt: timeline.now(), overlapMs })
    return id
  }

  #checkMessage({ id, at, timestamp, body, signature }: Received): void {
    const isCalm = at >= this.#calmSince
    const graceMs = isCalm ? CALM_IN_FLIGHT_MS : IN_FLIGHT_MS
    // One process notes the end of an overlap, and another one signs.
    const skewMs = isCalm ? 0 : 2 * this.#world.mostSkewMs
    const signatures = signature.split(' ')
    const signs = ({ secret }: Key): boolean => {
      const key = Buffer.from(secret, 'base64')
      const text = `${id}.${timestamp}.${body}`
      return signatures.includes(`v1,${createHmac('sha256', key).update(text).digest('base64')}`)
    }
    for (const [index, key] of this.#keys.entries()) {
      const next = this.#keys[index + 1]
      const isPresent = next === undefined || at < next.sentAt
      // Without a webhook the outcome of the last rotation is unknown.
      if (isPresent && key.toldAt + graceMs < at && this.#webhook !== null && !signs(key))
        this.#world.broke('a message is not signed by the present secret')
      if (!next) continue
      const isOver = at > next.toldAt + next.overlapMs + graceMs + skewMs
      if (isOver && signs(key)) this.#world.broke('a secret signs after its overlap')
      const further = this.#keys[index + 2]
      const overlaps =
        at > next.toldAt &&
        at < next.sentAt + next.overlapMs - graceMs - skewMs &&
        (further === undefined || at < further.sentAt)
      if (overlaps && this.#webhook !== null && !signs(key))
        this.#world.broke('a secret that was rotated does not sign until its overlap ends')
    }
    if (this.#webhook !== null && !this.#keys.some(signs))
      this.#world.broke('a message to one who rotates has no right signature')
  }
}
