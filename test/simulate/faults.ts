import { FetchFailure, StoreFailure } from '../../src/kernel/failures.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Fetcher } from '../../src/ports/fetcher.ts'
import { DAY_MS } from '../../src/kernel/time.ts'
import type { JobTurn, Queue } from '../../src/ports/queue.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Luck } from './luck.ts'
import type { Timeline } from './timeline.ts'

/** How often each kind of fault happens, by call or by hour. 0: never. */
export interface Faults {
  /** Share of calls of the store or the blobs that take time, and the longest of it in ms. */
  readonly slow: number
  readonly slowMs: number
  /** Share of calls that fail before they have an effect. */
  readonly failed: number
  /** Share of writes that have an effect, but whose answer is lost. */
  readonly lost: number
  /** Share of calls that take longer than a lease. */
  readonly hung: number
  /** Times an hour that the store is away, and the longest of it in ms. */
  readonly away: number
  readonly awayMs: number
  /** Times an hour that a process dies and starts again, or stands still. */
  readonly crashes: number
  readonly stalls: number
  readonly stallMs: number
  /** The largest difference between the clocks of processes, in ms, and their jumps in an hour. */
  readonly skewMs: number
  readonly jumps: number
  /** Share of requests to sites that fail temporarily. */
  readonly web: number
  /** Share of deliveries that receivers refuse. */
  readonly receivers: number
  /** Share of jobs that the queue delivers once more after they are done. */
  readonly doubled: number
  /** Times an hour that the disk is full, so that reads work and writes do not; for up to `awayMs`. */
  readonly full: number
  /** Times an hour that a new process starts while the old one still ends its work. */
  readonly deploys: number
  /** Share of deliveries of jobs during which the process dies, at one of its next calls. */
  readonly deaths: number
  /** Share of postponed jobs that the queue delivers earlier, as its port allows. */
  readonly early: number
  /** Share of deliveries that another consumer gets too while the first still works. */
  readonly twice: number
  /** Share of calls of the model, the search and the mail server that go wrong. */
  readonly services: number
  /** Share of the sizes of batches and pages that are a few, so that rare code runs. */
  readonly rare: number
}

/** A kind of fault: what can be left out of a world. */
export type FaultKind = keyof Faults

export const NO_FAULTS: Faults = {
  slow: 0,
  slowMs: 0,
  failed: 0,
  lost: 0,
  hung: 0,
  away: 0,
  awayMs: 0,
  crashes: 0,
  stalls: 0,
  stallMs: 0,
  skewMs: 0,
  jumps: 0,
  web: 0,
  receivers: 0,
  doubled: 0,
  full: 0,
  deploys: 0,
  deaths: 0,
  early: 0,
  twice: 0,
  services: 0,
  rare: 0,
}

/** The kinds that make something go wrong; the other members only say how much. */
export const FAULT_KINDS: readonly FaultKind[] = [
  'slow',
  'failed',
  'lost',
  'hung',
  'away',
  'crashes',
  'stalls',
  'skewMs',
  'jumps',
  'web',
  'receivers',
  'doubled',
  'full',
  'deploys',
  'deaths',
  'early',
  'twice',
  'services',
  'rare',
]

/** How much later a second consumer gets a job, in ms. */
const MOST_APART = 5_000

/** Moments of calls, before and after their effect, until a process dies: jobs are short or long. */
const MOST_MOMENTS = [4, 12, 40] as const

/**
 * The faults of one world. Each kind is absent in half of the worlds, so that others show.
 * `later`: draws the kinds that came later, so that worlds without them stay what they were. The
 * newest of them are in later worlds only.
 */
export function drawFaults(luck: Luck, later: Luck, isLater: boolean): Faults {
  const sometimes = (most: number, source = luck): number =>
    source.chance(0.5) ? 0 : source.next() * most
  return {
    slow: sometimes(0.6),
    slowMs: luck.pick([5, 50, 500, 3_000]),
    failed: sometimes(0.05),
    lost: sometimes(0.05),
    hung: sometimes(0.002),
    away: sometimes(4),
    awayMs: luck.pick([2_000, 20_000, 180_000]),
    crashes: sometimes(20),
    stalls: sometimes(15),
    stallMs: luck.pick([3_000, 20_000, 120_000]),
    skewMs: luck.chance(0.5) ? 0 : luck.pick([50, 1_000, 4_000]),
    jumps: sometimes(4),
    web: sometimes(0.3),
    receivers: sometimes(0.6),
    doubled: sometimes(0.1),
    full: sometimes(4),
    deploys: sometimes(6),
    deaths: sometimes(0.1, later),
    early: isLater ? sometimes(0.4, later) : 0,
    twice: isLater ? sometimes(0.1, later) : 0,
    services: isLater ? sometimes(0.6, later) : 0,
    rare: isLater ? sometimes(0.8, later) : 0,
  }
}

/** The number of calls of one life at one moment that no honest work needs. */
const MOST_AT_ONCE = 100_000

/** The state that all processes of a world share. */
export interface Ground {
  readonly timeline: Timeline
  /** Told of a promise that is broken. */
  readonly broke: (promise: string) => void
  /** Changes when the faults stop. */
  faults: Faults
  /** Until when the store is away, on the timeline. */
  awayUntil: number
  /** Until when the disk is full. */
  fullUntil: number
}

/** One life of a process: from its start to its death. */
export class Life {
  readonly #ground: Ground
  readonly luck: Luck
  #isOver = false
  #stalledUntil = 0
  /** The moment of its last call, and the number of its calls at that moment. */
  #moment = 0
  #calls = 0
  /** The number of moments after which it dies. */
  #moments = Infinity
  readonly #die: () => void
  /** How far its clock is ahead, in ms. */
  skewMs: number

  /** `die`: ends it, and lets another life begin later. */
  constructor(ground: Ground, luck: Luck, skewMs: number, die: () => void) {
    this.#ground = ground
    this.luck = luck
    this.skewMs = skewMs
    this.#die = die
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Ends it like a kill: nothing that it waits for ever comes. */
  end(): void {
    this.#isOver = true
  }

  /** It will die at one of its next calls. */
  dieSoon(): void {
    this.#moments = Math.min(this.#moments, this.luck.int(0, this.luck.pick(MOST_MOMENTS)))
  }

  /** A moment before or after the effect of a call. */
  #pass(): void {
    if (this.#moments-- > 0 || this.#isOver) return
    this.#moments = Infinity
    this.#die()
  }

  stall(ms: number): void {
    this.#stalledUntil = this.#ground.timeline.now() + ms
  }

  /** Resolves once the process runs; never after its death. */
  async awake(): Promise<void> {
    const { timeline } = this.#ground
    while (!this.#isOver && timeline.now() < this.#stalledUntil)
      await timeline.sleep(this.#stalledUntil - timeline.now())
    if (this.#isOver) return new Promise(() => {})
  }

  readonly clock: Clock = {
    now: () => Math.round(this.#ground.timeline.now() + this.skewMs),
    sleep: async (ms, signal) => {
      await this.#ground.timeline.sleep(ms, signal)
      await this.awake()
    },
  }

  /** Ends a life whose calls go on without time: nothing else of the world would ever run again. */
  #count(now: number): void {
    this.#calls = now === this.#moment ? this.#calls + 1 : 1
    this.#moment = now
    if (this.#calls < MOST_AT_ONCE) return
    this.#isOver = true
    this.#ground.broke('a process calls its store without end and never waits')
  }

  /** A call to something outside of the process. */
  async call<T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    const ground = this.#ground
    const { faults, timeline } = ground
    this.#count(timeline.now())
    this.#pass()
    await this.awake()
    if (faults.slow > 0 && this.luck.chance(faults.slow))
      await timeline.sleep(this.luck.int(0, faults.slowMs))
    const isHung = this.luck.chance(faults.hung)
    const failsFirst = this.luck.chance(faults.failed)
    const failsLast = kind === 'write' && this.luck.chance(faults.lost)
    if (timeline.now() < ground.awayUntil || failsFirst) {
      if (isHung) await timeline.sleep(this.luck.int(10_000, 90_000))
      await this.awake()
      throw this.luck.chance(0.5) ? new StoreFailure('unreachable') : new Error('planned: failed')
    }
    if (kind === 'write' && timeline.now() < ground.fullUntil) throw new StoreFailure('full')
    // A call that was sent has its effect, also if the process dies before the answer.
    if (isHung && this.luck.chance(0.5)) await timeline.sleep(this.luck.int(10_000, 90_000))
    const result = await work()
    this.#pass()
    if (isHung) await timeline.sleep(this.luck.int(10_000, 90_000))
    else if (faults.slow > 0 && this.luck.chance(faults.slow))
      await timeline.sleep(this.luck.int(0, faults.slowMs))
    await this.awake()
    if (failsLast) throw new Error('planned: the answer was lost')
    return result
  }
}

/** The store of one life of a process. */
export function storeOf(life: Life, store: Store): Store {
  return {
    get: (keys) => life.call('read', () => store.get(keys)),
    list: (range) => life.call('read', () => store.list(range)),
    commit: (change) => life.call('write', () => store.commit(change)),
    close: async () => {},
  }
}

/** The blobs of one life of a process. */
export function blobsOf(life: Life, blobs: Blobs): Blobs {
  return {
    get: (name) => life.call('read', () => blobs.get(name)),
    put: (name, bytes) => life.call('write', () => blobs.put(name, Uint8Array.from(bytes))),
    remove: (name) => life.call('write', () => blobs.remove(name)),
    list: (prefix) => life.call('read', () => blobs.list(prefix)),
    close: async () => {},
  }
}

/** The hold of a consumer from which the queue has taken its job. */
const turnless = (): JobTurn => ({
  over: new AbortController().signal,
  progress: async () => {},
  idle: () => {},
  givesUp: () => {},
  clear: () => {},
})

/**
 * The queue of one life of a process. As its port allows, it may deliver a job again that is done,
 * deliver a job to two consumers at once, and deliver a postponed one earlier. It loses none.
 */
export function queueOf(life: Life, ground: Ground, queue: Queue): Queue {
  const { luck } = life
  const earlier = (time: number): number => {
    const now = life.clock.now()
    return time > now && luck.chance(ground.faults.early) ? luck.int(now, time) : time
  }
  return {
    push(job, options) {
      const due = options?.at
      if (due === undefined || due <= life.clock.now() + DAY_MS) return queue.push(job, options)
      return queue.push(job, { at: earlier(due) })
    },
    async consume(handler, options) {
      await queue.consume(async (job, signal, turn) => {
        if (luck.chance(ground.faults.deaths)) life.dieSoon()
        if (luck.chance(ground.faults.twice))
          life.clock
            .sleep(luck.int(0, MOST_APART), signal)
            .then(() => handler(job, signal, turnless()))
            .catch(() => {})
        const result = await handler(job, signal, turn)
        if (result !== 'done') return { again: earlier(result.again) }
        return luck.chance(ground.faults.doubled) ? handler(job, signal, turn) : result
      }, options)
    },
    close: () => queue.close(),
  }
}

/** The web of one life of a process. */
export function fetcherOf(life: Life, ground: Ground, web: Fetcher): Fetcher {
  return {
    capabilities: web.capabilities,
    resolve: (host, signal) => web.resolve(host, signal),
    async send(request) {
      await life.awake()
      const { luck } = life
      await ground.timeline.sleep(luck.int(5, 400), request.signal)
      const isBad = luck.chance(ground.faults.web)
      const kind = luck.pick(['before', 'after', 'silence', 'busy'])
      await life.awake()
      if (isBad && kind === 'before') throw new FetchFailure('connection', 'planned: refused')
      if (isBad && kind === 'silence') {
        await ground.timeline.sleep(60_000, request.signal)
        throw new FetchFailure('timeout', 'planned: silence')
      }
      if (isBad && kind === 'busy' && request.method === 'GET')
        return {
          status: luck.pick([429, 500, 503]),
          headers: luck.chance(0.5) ? { 'retry-after': String(luck.int(0, 5)) } : {},
          body: new Uint8Array(),
          truncated: false,
        }
      const response = await web.send(request)
      await life.awake()
      if (isBad && kind === 'after') throw new FetchFailure('connection', 'planned: cut off')
      return response
    },
    close: async () => {},
  }
}
