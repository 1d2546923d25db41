import type { VerifyReport } from 'seine'
import type { Client } from 'seine/client'
import type { EventSite } from './event-site.ts'
import { ORIGIN, type CreateClient, type Workers } from './workers.ts'

/** The conditions of an event; see hosts/worker-cron.ts. */
export interface CronOptions {
  /** Which isolate it is for. */
  readonly on?: 'one' | 'other'
  /** How long it works at most. */
  readonly tickMs?: number
  /** The length of its lease without a sign of life. */
  readonly leaseMs?: number
  /** The number of calls of D1 that still succeed. */
  readonly calls?: number
}

/** A platform on D1 in workerd whose work is done by cron triggers only, at the time of the stage. */
export class CronStage {
  readonly client: Client
  readonly site: EventSite
  readonly #workers: Workers
  /** The difference to the clock of the machine. */
  #ahead = 0

  private constructor(
    createClient: CreateClient,
    workers: Workers,
    site: EventSite,
    apiKey: string,
  ) {
    this.#workers = workers
    this.site = site
    this.client = createClient({
      baseUrl: ORIGIN,
      apiKey,
      fetch: (request) => this.#fetch(request),
    })
  }

  static async open(
    createClient: CreateClient,
    workers: Workers,
    site: EventSite,
  ): Promise<CronStage> {
    const key = await (
      await workers.fetch(
        new Request(`${ORIGIN}/suite/key`, { headers: { 'x-suite-now': String(Date.now()) } }),
      )
    ).text()
    return new CronStage(createClient, workers, site, key)
  }

  /** Unix ms. */
  now(): number {
    return Date.now() + this.#ahead
  }

  /** Lets time pass without a real wait. */
  pass(ms: number): void {
    this.#ahead += ms
  }

  /** Sets the time to `time`, in Unix ms or ISO, if that is in the future. */
  passTo(time: number | string): void {
    this.pass(Math.max(0, new Date(time).getTime() - this.now()))
  }

  /** Fires the trigger; resolves with Cloudflare's word for its outcome, such as `ok`. */
  fire({ on = 'one', ...trial }: CronOptions = {}): Promise<string> {
    return this.#workers.cron(
      on,
      this.now(),
      Object.keys(trial).length === 0 ? '* * * * *' : JSON.stringify(trial),
    )
  }

  /** Kills workerd, whatever it is doing. */
  crash(): Promise<void> {
    return this.#workers.crash()
  }

  /** Does this work; workerd or a platform must then have logged these words. */
  async hears(words: string, work: () => Promise<void>): Promise<void> {
    this.#workers.forget()
    await work()
    await this.#workers.said(words)
  }

  /** The result of `platform.verify()`. */
  async verify(): Promise<VerifyReport> {
    return JSON.parse(await (await this.#fetch(new Request(`${ORIGIN}/suite/verify`))).text())
  }

  #fetch(request: Request): Promise<Response> {
    request.headers.set('x-suite-now', String(this.now()))
    return this.#workers.fetch(request)
  }
}
