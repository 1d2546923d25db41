import {
  createObjectLimiter,
  LimiterObject,
  type ObjectNamespace,
  type ObjectState,
} from 'seine/cloudflare'
import { describe, expect, it } from 'vitest'
import { limiterContract } from '../../contracts/limiter.ts'
import { createManualClock } from '../contracts/manual-clock.ts'
import { runDescribed } from '../contracts/vitest.ts'

// Tests the limiter on Durable Objects by its contract, in workerd, and from several Workers at the
// same time: each of them runs this file in an isolate of its own.

interface Isolate {
  fetch(request: Request): Promise<Response>
}

interface Env {
  readonly LIMITS: ObjectNamespace
  readonly A: Isolate
  readonly B: Isolate
  readonly C: Isolate
}

const HOURLY = { limit: 1, periodMs: 3_600_000, burst: 99 }
/**
 * How far the time of the objects is ahead, and how often they were asked. The objects run in the
 * isolate of the suite.
 */
let aheadMs = 0
let requests = 0

/** The calls by which a test reads an object, and changes it. */
export class Limits extends LimiterObject {
  readonly #state: ObjectState & { abort(reason: string): void }
  #rung: () => void = () => {}

  constructor(state: ObjectState & { abort(reason: string): void }) {
    super(state, {}, { now: () => Date.now() + aheadMs })
    this.#state = state
  }

  override async fetch(request: Request): Promise<Response> {
    const { sql } = this.#state.storage
    switch (new URL(request.url).pathname) {
      case '/rows': {
        const [{ tables } = {}] = sql
          .exec("SELECT count(*) AS tables FROM sqlite_schema WHERE name = 'buckets'")
          .toArray()
        return Response.json(
          tables === 0 ? null : sql.exec('SELECT key FROM buckets').toArray().length,
        )
      }
      case '/ring': {
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#rung = resolve
        await this.#state.storage.setAlarm(Date.now())
        await promise
        return Response.json((await this.#state.storage.getAlarm()) !== null)
      }
      case '/abort':
        this.#state.abort('As a deployment does')
        return new Response()
      default:
        requests++
        return super.fetch(request)
    }
  }

  override async alarm(): Promise<void> {
    await super.alarm()
    this.#rung()
  }
}

const describeIsolates = ({ LIMITS, A, B, C }: Env): void => {
  const NAME = 'one:limits:0'
  const tell = async (path: string): Promise<unknown> =>
    (await LIMITS.getByName(NAME).fetch(new Request(`https://object.example.com/${path}`))).json()
  const takeIn = async (isolate: Isolate, key: string, calls: number): Promise<number> =>
    Number(
      await (
        await isolate.fetch(new Request(`https://suite.example.com/take?key=${key}&calls=${calls}`))
      ).text(),
    )

  describe('createObjectLimiter keeps its limits in workerd', () => {
    it('allows no more calls from three Workers at the same time than from one', async () => {
      for (const round of ['first', 'second', 'third']) {
        const allowed = await Promise.all(
          [A, B, C, A, B, C].map((isolate) => takeIn(isolate, round, 50)),
        )
        expect(allowed.reduce((sum, one) => sum + one)).toBe(100)
        expect(allowed.filter((one) => one > 0).length).toBeGreaterThan(1)
      }
    })

    it('asks no object again, in any event, before a refused call may be allowed', async () => {
      expect(await takeIn(A, 'spent', 100)).toBe(100)
      expect(await takeIn(A, 'spent', 1)).toBe(0)
      const before = requests
      for (let event = 0; event < 5; event++) expect(await takeIn(A, 'spent', 10)).toBe(0)
      expect(requests).toBe(before)
      expect(await takeIn(B, 'spent', 1)).toBe(0)
      expect(requests).toBe(before + 1)
    })

    it('has the buckets of an object after its restart', async () => {
      const limiter = createObjectLimiter({ namespace: LIMITS, prefix: 'one', shards: 1 })
      expect(await limiter.take('kept', HOURLY, 60)).toMatchObject({ allowed: true, remaining: 40 })
      expect(await tell('abort').catch((error: Error) => error.message)).toContain('deployment')
      expect(await limiter.take('kept', HOURLY, 41)).toMatchObject({
        allowed: false,
        remaining: 40,
      })
      expect(await limiter.take('kept', HOURLY, 40)).toMatchObject({ allowed: true, remaining: 0 })
    })

    it('deletes everything by alarms', async () => {
      const limiter = createObjectLimiter({ namespace: LIMITS, prefix: 'one', shards: 1 })
      await tell('ring')
      const before = Number(await tell('rows'))
      for (let key = 0; key < 20; key++)
        await limiter.take(`short ${key}`, { limit: 60, periodMs: 60_000, burst: 0 })
      expect(await tell('rows')).toBe(before + 20)
      expect(await tell('ring')).toBe(true)
      expect(await tell('rows')).toBe(before + 20)
      aheadMs += 600_000
      expect(await tell('ring')).toBe(true)
      expect(await tell('rows')).toBe(before)
      aheadMs += 1_000 * 3_600_000
      expect(await tell('ring')).toBe(false)
      expect(await tell('rows')).toBe(null)
      expect(await limiter.take('kept', HOURLY)).toMatchObject({ allowed: true, remaining: 99 })
      expect(await tell('rows')).toBe(1)
    })
  })
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/take') {
      const limiter = createObjectLimiter({ namespace: env.LIMITS, prefix: 'isolates', shards: 1 })
      const outcomes = await Promise.all(
        Array.from({ length: Number(searchParams.get('calls')) }, () =>
          limiter.take(searchParams.get('key') ?? '', HOURLY),
        ),
      )
      return new Response(String(outcomes.filter(({ allowed }) => allowed).length))
    }
    let subjects = 0
    limiterContract('createObjectLimiter', async () => {
      const clock = createManualClock()
      return {
        limiter: createObjectLimiter({
          namespace: env.LIMITS,
          prefix: `subject-${subjects++}`,
          clock,
        }),
        clock,
      }
    })
    describeIsolates(env)
    return Response.json({ outcomes: await runDescribed() })
  },
}
