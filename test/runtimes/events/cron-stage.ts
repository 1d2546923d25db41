import type { VerifyReport } from 'seine'
import type { Client } from 'seine/client'
import type { EventSite } from './event-site.ts'
import { ORIGIN, type CreateClient, type Workers } from './workers.ts'

/** What an event is put to; see hosts/worker-cron.ts. */
export interface CronOptions {
  /** Which isolate it is for. */
  readonly on?: 'one' | 'other'
  /** How long it works at most. */
  readonly tickMs?: number
  /** How long it keeps its work without a sign of life. */
  readonly leaseMs?: number
  /** Calls of D1 that still get through. */
  readonly calls?: number
}

/**
 * A platform on D1 in workerd, in which nothing works but cron triggers, at the time that the stage
 * says.
 */
export class CronStage {
  readonly client: Client
  readonly site: EventSite
  readonly #workers: Workers
  /** How far ahead of the machine's clock it is. */
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

  /** Lets time pass, in no time. */
  pass(ms: number): void {
    this.#ahead += ms
  }

  /** Lets it become `time`, Unix ms or ISO, if it is not past. */
  passTo(time: number | string): void {
    this.pass(Math.max(0, new Date(time).getTime() - this.now()))
  }

  /** The trigger fires; resolves with Cloudflare's word for what became of it, such as `ok`. */
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

  /** Does this, of which workerd or a platform must then have said these words. */
  async hears(words: string, work: () => Promise<void>): Promise<void> {
    this.#workers.forget()
    await work()
    await this.#workers.said(words)
  }

  /** What `platform.verify()` says. */
  async verify(): Promise<VerifyReport> {
    return JSON.parse(await (await this.#fetch(new Request(`${ORIGIN}/suite/verify`))).text())
  }

  #fetch(request: Request): Promise<Response> {
    request.headers.set('x-suite-now', String(this.now()))
    return this.#workers.fetch(request)
  }
}
