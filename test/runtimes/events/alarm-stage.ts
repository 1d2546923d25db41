import type { VerifyReport } from 'seine'
import type { Client } from 'seine/client'
import type { EventSite } from './event-site.ts'
import { ORIGIN, type CreateClient, type Workers } from './workers.ts'

/** A platform in a Durable Object in workerd. */
export class AlarmStage {
  readonly client: Client
  readonly site: EventSite
  readonly #workers: Workers

  private constructor(client: Client, workers: Workers, site: EventSite) {
    this.client = client
    this.#workers = workers
    this.site = site
  }

  static async open(
    createClient: CreateClient,
    workers: Workers,
    site: EventSite,
  ): Promise<AlarmStage> {
    const apiKey = await (await workers.fetch(new Request(`${ORIGIN}/suite/key`))).text()
    return new AlarmStage(
      createClient({ baseUrl: ORIGIN, apiKey, fetch: (request) => workers.fetch(request) }),
      workers,
      site,
    )
  }

  /** Evicts the object from memory, whatever it is doing. */
  async evict(): Promise<void> {
    await this.#workers.fetch(new Request(`${ORIGIN}/suite/abort`)).catch(() => undefined)
  }

  /** Kills workerd, and starts it again `aheadMs` later; nothing is sent to it. */
  crash(aheadMs = 0): Promise<void> {
    return this.#workers.crash({ AHEAD: aheadMs })
  }

  /** The result of `platform.verify()`. */
  async verify(): Promise<VerifyReport> {
    return JSON.parse(
      await (await this.#workers.fetch(new Request(`${ORIGIN}/suite/verify`))).text(),
    )
  }
}
