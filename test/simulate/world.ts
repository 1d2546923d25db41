import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { Platform, PlatformOptions } from '../../src/platform/options.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Store } from '../../src/ports/store.ts'
import type { TopUpOrder } from '../../src/ports/payments.ts'
import { createStoreQueue } from '../../src/defaults/store-queue.ts'
import { createRecords } from '../../src/features/records.ts'
import { blobsOf, drawFaults, fetcherOf, Life, NO_FAULTS, queueOf, storeOf } from './faults.ts'
import type { Ground } from './faults.ts'
import { History } from '../model/history.ts'
import { Luck } from './luck.ts'
import { furtherCronsOf, hasRates, isBrief, isLater, stretchesOf, zonesOf } from './later/later.ts'
import { drawOptions } from './options.ts'
import { followLots } from './oracles/lots.ts'
import { drawSizes } from './later/rare.ts'
import { isArchived, withSnapshots } from './snapshots.ts'
import { enterWorld } from './runtime.ts'
import { createWeb, drawSite } from './sites.ts'
import type { SimulatedWeb, Site } from './sites.ts'
import { servicesOf } from './later/services.ts'
import type { ServiceLog } from './later/services.ts'
import { Timeline } from './timeline.ts'
import { trimFaults } from './trims.ts'
import type { Trims } from './trims.ts'

const SECOND = 1_000
const HOUR = 3_600_000
/** A crash happens during a tick in this part of its rate by the hour. */
const TICKS_AN_HOUR = 100
/** Clocks in Europe go from 2:00 to 3:00 five hours later. */
const START = Date.UTC(2026, 2, 28, 20)
/** Clocks in Europe go from 3:00 to 2:00 soon. */
const START_OF_WINTER = Date.UTC(2026, 9, 24, 23, 50)
/** A month ends soon. */
const START_OF_MONTH = Date.UTC(2026, 2, 31, 23, 40)
/** Clocks in Australia and Chile go back soon. */
const START_OF_SOUTH = Date.UTC(2026, 3, 4, 13, 30)
/** When clocks in Europe change, from these starts. */
const CHANGES = [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)] as const
const START_SALT = 0x57a7009b
/** How long a caller waits for an answer, in ms. */
const PATIENCE = 90 * SECOND

/** The number of tries of a call until its outcome is known. */
const MOST_TRIES = 40

/** An answer, or `null` if none came. */
export interface Answer {
  readonly status: number
  readonly text: string
}

/** The parts of a call apart from method and path. */
export interface Sent {
  /** A text is sent unchanged, any other value as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The `Idempotency-Key`. */
  readonly key?: string
  /** An API key, in the place of the account. */
  readonly secret?: string
  /** The processes that may answer. Default: those of the world. */
  readonly to?: readonly SimulatedProcess[]
}

/** The data of a deployment. */
export interface Data {
  readonly store: Store
  readonly blobs: Blobs
}

/** A write whose success was acknowledged. */
export interface Acknowledged {
  readonly account: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly key: string
  readonly answer: Answer
  /** On the timeline. */
  readonly time: number
}

/** A process of the platform: one life after the other. */
export class SimulatedProcess {
  readonly name: string
  readonly #world: World
  readonly #luck: Luck
  #life: Life | null = null
  #platform: Platform | null = null
  #stop = new AbortController()
  readonly #data: Data

  /** `data`: what it works on. Default: that of its world. */
  constructor(world: World, name: string, luck: Luck, data: Data = world) {
    this.#world = world
    this.name = name
    this.#luck = luck
    this.#data = data
  }

  get platform(): Platform | null {
    return this.#platform
  }

  /** Starts a life; `works`: it takes jobs all the time. */
  start(works = true): void {
    const world = this.#world
    const skew = world.ground.faults.skewMs
    const luck = this.#luck.fork()
    const life = new Life(world.ground, luck, this.#luck.int(-skew, skew), () => {
      // A trigger starts the next life itself.
      if (world.tickMs === null && this.#life === life) void this.crash(luck)
      else life.end()
    })
    const store = storeOf(life, this.#data.store)
    const { leaseMs } = world.options.worker ?? {}
    const queue = createStoreQueue({
      records: createRecords(store),
      clock: life.clock,
      random: life.luck.bytes,
      pollMs: world.pollMs,
      ...(leaseMs !== undefined && { leaseMs }),
    })
    const services = world.hasServices
      ? servicesOf(life, world.ground, world.services, world.sites)
      : null
    const platform = createPlatform({
      ...world.options,
      ...(services && { ...services, publicUrl: 'http://seine.test' }),
      store,
      queue: queueOf(life, world.ground, queue),
      blobs: blobsOf(life, this.#data.blobs),
      fetcher: fetcherOf(life, world.ground, world.web),
      clock: life.clock,
      random: life.luck.bytes,
      payments: {
        createTopUp: (order) =>
          life.call('write', async () => {
            world.charged.set(order.id, order)
            return { status: 'completed' }
          }),
      },
    })
    this.#life = life
    this.#platform = platform
    if (!works) return
    if (world.tickMs !== null) return void this.#tickOften(life, platform, world.tickMs)
    this.#stop = new AbortController()
    platform.worker
      .run({ signal: this.#stop.signal })
      .catch((error: unknown) => world.broke(`the worker ended: ${String(error)}`))
  }

  /** Works as a cron trigger does: now and then. It may die meanwhile. */
  async #tickOften(life: Life, platform: Platform, tickMs: number): Promise<void> {
    const { timeline, ground } = this.#world
    const luck = this.#luck.fork()
    while (!life.isOver) {
      await timeline.sleep(tickMs)
      if (luck.chance(ground.faults.crashes / TICKS_AN_HOUR)) {
        this.#world.tell(`${this.name} will die`)
        timeline.sleep(luck.int(0, 20 * SECOND)).then(
          () => life.end(),
          () => {},
        )
      }
      // A trigger that fails is called again.
      const tick = platform.worker.tick({ budgetMs: tickMs }).catch(() => {})
      await Promise.race([tick, timeline.sleep(tickMs)])
    }
    await timeline.sleep(luck.int(100, 60_000))
    if (this.#life === life && !this.#world.isCalm) this.start()
  }

  kill(): void {
    this.#life?.end()
    this.#life = null
    this.#platform = null
  }

  /** Dies, and starts again after a while. */
  async crash(luck: Luck): Promise<void> {
    const world = this.#world
    world.tell(`${this.name} dies`)
    this.kill()
    await world.timeline.sleep(luck.int(100, 60_000))
    // It may have started meanwhile.
    if (world.isCalm || this.#life) return
    world.tell(`${this.name} starts`)
    this.start()
  }

  /** A new version starts, and the old one ends what it has begun, for some seconds at most. */
  deploy(graceMs: number): void {
    const old = this.#life
    this.#stop.abort()
    this.start()
    this.#world.timeline.sleep(graceMs).then(
      () => old?.end(),
      () => {},
    )
  }

  stall(ms: number): void {
    this.#life?.stall(ms)
  }

  jump(skewMs: number): void {
    if (this.#life) this.#life.skewMs = skewMs
  }

  /** Does all due work, and no more. */
  async tick(): Promise<void> {
    await this.#platform?.worker.tick({ budgetMs: HOUR })
  }
}

/** Everything that one seed makes. */
export class World {
  readonly luck: Luck
  readonly timeline: Timeline
  readonly ground: Ground
  readonly store: Store
  readonly blobs: Blobs
  readonly sites: readonly Site[]
  readonly web: SimulatedWeb
  readonly processes: readonly SimulatedProcess[]
  readonly options: PlatformOptions
  /** How many times longer than others this world takes: its people do things more rarely. */
  readonly stretch: number
  /** Patterns of schedules beside those of all worlds. */
  readonly furtherCrons: readonly string[]
  /** Time zones of schedules. */
  readonly zones: readonly [string, ...string[]]
  /** How often processes work, in ms. `null`: all the time. */
  readonly tickMs: number | null
  /** How often an idle queue looks for jobs of other processes, in ms. */
  readonly pollMs: number
  /** True if as much as in others happens in a fraction of the time. */
  readonly isBrief: boolean
  /** True if it has a model, a search of the web and a mail server. */
  readonly hasServices: boolean
  readonly services: ServiceLog = { mailed: [], answers: 0 }
  /** True if one plan has a rate of calls. */
  readonly hasRates: boolean
  /** Calls that the limiter let through as it could not count them. */
  uncounted = 0
  /** The largest difference of a clock from the timeline, while faults occur. */
  readonly mostSkewMs: number
  /** True if these never lie. */
  readonly hasHonestServices: boolean
  /** The charges of payers. */
  readonly charged = new Map<string, TopUpOrder>()
  /** A short list of events with their times. */
  readonly story: string[] = []
  /** Accounts that the operator may have suspended. */
  readonly suspended = new Set<string>()
  /** Method and path of the calls that were answered as asked for, of all but strangers. */
  readonly done = new Set<string>()
  /** Writes whose success was acknowledged, of customers. */
  readonly acknowledged: Acknowledged[] = []
  /** Datasets without the rows of a run whose merge was given up. */
  readonly unmerged = new Set<string>()
  /** The broken promises. */
  readonly broken = new Set<string>()
  /** Compares each commit with the model of leases, fences and shared crawls. */
  readonly history = new History((promise) => this.broke(promise))
  /** True once there are no more faults. */
  isCalm = false

  constructor(seed: number, trims: Trims) {
    this.luck = new Luck(seed)
    this.zones = zonesOf(seed)
    this.furtherCrons = furtherCronsOf(seed)
    this.isBrief = isBrief(seed)
    this.hasServices = isLater(seed)
    this.timeline = new Timeline(startOf(seed))
    enterWorld(this.timeline, this.luck.fork())
    this.ground = {
      timeline: this.timeline,
      broke: (promise) => this.broke(promise),
      faults: trimFaults(drawFaults(this.luck, new Luck(~seed), isLater(seed)), trims),
      awayUntil: 0,
      fullUntil: 0,
    }
    drawSizes(seed, this.ground.faults.rare)
    this.mostSkewMs = 2 * this.ground.faults.skewMs
    this.hasHonestServices = this.ground.faults.services === 0
    const base = this.history.follow(createMemoryStore({ clock: this.timeline }))
    const followed = followLots(base, (promise) => this.broke(promise))
    this.store = isArchived(seed) ? withSnapshots(followed) : followed
    this.blobs = createMemoryBlobs()
    this.sites = Array.from({ length: this.luck.int(1, 4) }, (_, i) => drawSite(this.luck, i))
    this.web = createWeb(this.ground, this.luck.fork(), this.sites)
    this.options = drawOptions(
      this.luck,
      {
        tell: (text) => this.tell(text),
        gaveUpMerge: (dataset) => this.unmerged.add(dataset),
        letThrough: () => this.uncounted++,
      },
      hasRates(seed),
    )
    this.hasRates = this.options.limiter === 'store' && this.options.billing !== undefined
    this.stretch = this.luck.pick(stretchesOf(seed))
    this.tickMs = this.stretch <= 1 ? null : this.luck.pick([1, 5, 20]) * 60 * SECOND
    this.pollMs = this.luck.pick([1_000, 4_000, 15_000])
    this.processes = Array.from(
      { length: this.luck.int(1, 4) },
      (_, i) => new SimulatedProcess(this, `p${i}`, this.luck.fork()),
    ).slice(0, trims.processes)
  }

  tell(text: string): void {
    this.story.push(`${new Date(this.timeline.now()).toISOString().slice(5, 23)} ${text}`)
  }

  broke(promise: string): void {
    if (!this.broken.has(promise)) this.tell(`BROKEN: ${promise}`)
    this.broken.add(promise)
  }

  acknowledge(call: Omit<Acknowledged, 'time'>): void {
    this.acknowledged.push({ ...call, path: `/api/v1${call.path}`, time: this.timeline.now() })
  }

  /** Starts the processes and their faults. */
  start(): void {
    const { faults } = this.ground
    for (const process of this.processes) {
      process.start()
      this.#often(this.tickMs === null ? faults.crashes : 0, (luck) => process.crash(luck))
      this.#often(faults.stalls, async (luck) => {
        const ms = luck.int(1, faults.stallMs)
        this.tell(`${process.name} stands still for ${ms} ms`)
        process.stall(ms)
      })
      this.#often(this.tickMs === null ? faults.deploys : 0, async (luck) => {
        if (!process.platform) return
        this.tell(`a new ${process.name} starts beside the old one`)
        process.deploy(luck.int(100, 30_000))
      })
      if (faults.jumps > 0) void this.#jumpAtChange(process, this.luck.fork())
      this.#often(faults.jumps, async (luck) => {
        const ms = luck.int(-2 * faults.skewMs, 2 * faults.skewMs)
        this.tell(`the clock of ${process.name} jumps to ${ms} ms ahead`)
        process.jump(ms)
      })
    }
    this.#often(faults.full, async (luck) => {
      const ms = luck.int(100, faults.awayMs)
      this.tell(`the disk is full for ${ms} ms`)
      this.ground.fullUntil = this.timeline.now() + ms
      await this.timeline.sleep(ms)
    })
    this.#often(faults.away, async (luck) => {
      const ms = luck.int(100, faults.awayMs)
      this.tell(`the store is away for ${ms} ms`)
      this.ground.awayUntil = this.timeline.now() + ms
      await this.timeline.sleep(ms)
    })
  }

  /** Ends all faults: one new process is started, and the others have ended. */
  calmDown(): void {
    this.isCalm = true
    this.ground.faults = NO_FAULTS
    this.ground.awayUntil = 0
    this.ground.fullUntil = 0
    for (const process of this.processes) process.kill()
    this.processes[0]?.start(false)
    this.tell('calm')
  }

  /** Calls any process; `null` if none has answered in time. */
  async call(
    account: string,
    method: string,
    path: string,
    sent: Sent = {},
    luck: Luck = this.luck,
  ): Promise<Answer | null> {
    const alive = (sent.to ?? this.processes).flatMap(({ platform }) =>
      platform ? [platform] : [],
    )
    const platform = luck.any(alive)
    if (!platform) return null
    const headers = new Headers(sent.headers)
    if (sent.secret === undefined) headers.set('x-account', account)
    else headers.set('x-api-key', sent.secret)
    if (sent.body !== undefined) headers.set('content-type', 'application/json')
    if (sent.key !== undefined) headers.set('idempotency-key', sent.key)
    const over = new AbortController()
    const request = new Request(`http://seine.test${path}`, {
      method,
      headers,
      signal: over.signal,
      ...(sent.body !== undefined && {
        body: typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body),
      }),
    })
    const answer = async (): Promise<Answer> => {
      const response = await platform.fetch(request)
      return { status: response.status, text: await response.text() }
    }
    const late = this.timeline.sleep(PATIENCE, over.signal).then(
      () => null,
      () => null,
    )
    const result = await Promise.race([
      answer().catch((error: unknown) => {
        // The stream of an answer may break off if the store fails.
        if (this.isCalm) this.broke(`an answer broke off: ${String(error)}`)
        return null
      }),
      late,
    ])
    over.abort()
    if (result && result.status < 400 && account !== 'stranger')
      this.done.add(`${method} ${path.split('?')[0]}`)
    return result
  }

  /**
   * Sends a call again until its outcome is known; `null`: it never was. A refusal says nothing
   * about an earlier try without an answer, which a process that stands still may do later.
   */
  async untilKnown(send: () => Promise<Answer | null>, luck: Luck): Promise<Answer | null> {
    let isUnderWay = false
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const answer = await send()
      isUnderWay ||= answer === null
      if (answer !== null && answer.status < 500 && answer.status !== 429 && !isBusy(answer))
        return isUnderWay && answer.status >= 400 ? null : answer
      await this.timeline.sleep(luck.int(500, 20_000))
    }
    return null
  }

  /** Clocks change in Europe: where a schedule's time comes twice or never, processes disagree. */
  async #jumpAtChange(process: SimulatedProcess, luck: Luck): Promise<void> {
    const { skewMs } = this.ground.faults
    const now = this.timeline.now()
    const change = CHANGES.find((time) => time > now) ?? now
    await this.timeline.sleep(change - now + luck.int(-2 * skewMs, 2 * skewMs))
    if (!this.isCalm) process.jump(luck.int(-2 * skewMs, 2 * skewMs))
  }

  #often(perHour: number, work: (luck: Luck) => Promise<void>): void {
    const luck = this.luck.fork()
    if (perHour === 0) return
    const go = async (): Promise<void> => {
      for (;;) {
        await this.timeline.sleep((-Math.log(1 - luck.next()) * HOUR * this.stretch) / perHour)
        if (this.isCalm) return
        await work(luck)
      }
    }
    void go()
  }
}

/** Most worlds begin before summer, and some before winter (here or there) or the end of a month. */
function startOf(seed: number): number {
  const share = new Luck(seed ^ START_SALT).next()
  if (isLater(seed) && share < 0.15) return START_OF_SOUTH
  if (share < 0.6) return START
  return share < 0.8 ? START_OF_WINTER : START_OF_MONTH
}

/** Another try with the same key still runs: its outcome will be that of this call. */
export function isBusy({ status, text }: Answer): boolean {
  return status === 409 && /try again|in progress|Idempotency-Key/.test(text)
}
