import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'bullmq'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'
import type { Server } from '../../../adapters/bullmq/index.ts'
import type { Delivery } from '../../../src/ports/queue.ts'
import { startChild } from '../../support/stores/child.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { openRedis } from '../../support/redis/open.ts'

const SCRIPT = fileURLToPath(new URL('./consume-until-killed.ts', import.meta.url))
/** Long, so that a process keeps its jobs while the machine lets it wait. */
const LEASE_MS = 3_000
/** Longer than any test runs. */
const POLL_MS = 600_000
const redis = openRedis()
const { host } = await openPostgres()
const pool = new pg.Pool({
  host,
  user: 'seine',
  database: 'postgres',
  max: 24,
  options: '-c search_path=bullmq',
})
const client = await pool.connect()
await runMigrations(client)
client.release()
// Each queue and each worker of BullMQ listens.
pool.setMaxListeners(50)
afterAll(() => pool.end())

const SERVERS: Record<string, { server: () => Server; where: string }> = {
  redis: { server: () => ({ redis: redis.connect() }), where: String(redis.port) },
  postgres: { server: () => ({ postgres: pool }), where: host },
}

describe.each(Object.entries(SERVERS))('on %s', (kind, { server, where }) => {
  it('jobs of a killed consumer go to another, each once, and none is lost', async () => {
    const name = redis.prefix()
    const queue = createBullmqQueue({ server: server(), name, leaseMs: LEASE_MS })
    const ids = Array.from({ length: 8 }, (_, i) => `job:${i}`)
    for (const id of ids) await queue.push({ id, kind: 'a', data: { id } })
    const child = startChild(SCRIPT, kind, where, name, String(LEASE_MS))
    const begun: string[] = []
    for await (const line of createInterface(child.output))
      if (begun.push(line) === 3) child.process.kill('SIGKILL')
    expect(child.errors()).toBe('')
    expect(begun.toSorted()).toEqual(['job:0 1', 'job:1 1', 'job:2 1'])
    const stop = new AbortController()
    const seen: Delivery[] = []
    const beside: string[] = []
    let running = 0
    await queue.consume(
      async (job) => {
        running++
        if (seen.push(job) === ids.length) stop.abort()
        await new Promise((resolve) => setTimeout(resolve, 50))
        if (job.lost > 0 && running > 1) beside.push(job.id)
        running--
        return 'done'
      },
      { concurrency: 2, signal: stop.signal },
    )
    expect(
      seen
        .map(({ id, data, attempt, lost }) => ({ id, data, attempt, lost }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    ).toEqual(
      ids.map((id, i) => ({ id, data: { id }, attempt: i < 3 ? 2 : 1, lost: i < 3 ? 1 : 0 })),
    )
    // Jobs of the killed consumer come last, and each of them alone.
    expect(beside).toEqual([])
    await queue.consume(async () => expect.fail('A job came twice'), {
      concurrency: 2,
      signal: AbortSignal.timeout(2 * LEASE_MS),
    })
    await queue.close()
  })

  it('a killed consumer is newly lost in one delivery, also if that should give the job up', async () => {
    const name = redis.prefix()
    const queue = createBullmqQueue({ server: server(), name, leaseMs: LEASE_MS })
    await queue.push({ id: 'j', kind: 'a', data: null })
    const child = startChild(SCRIPT, kind, where, name, String(LEASE_MS))
    for await (const _ of createInterface(child.output)) child.process.kill('SIGKILL')
    const stop = new AbortController()
    const seen: string[] = []
    await queue.consume(
      async ({ lost, isNewlyLost }, _, turn) => {
        seen.push(`${lost} ${isNewlyLost}`)
        turn.givesUp()
        if (seen.length < 3) throw new Error('not yet')
        stop.abort()
        return 'done'
      },
      { concurrency: 1, signal: stop.signal },
    )
    expect(seen).toEqual(['1 true', '1 false', '1 false'])
    await queue.close()
  })

  it('a job that takes longer than its lock stays with its consumer, although another one waits for jobs', async () => {
    const name = redis.prefix()
    const [one, two] = [
      createBullmqQueue({ server: server(), name, leaseMs: LEASE_MS }),
      createBullmqQueue({ server: server(), name, leaseMs: LEASE_MS }),
    ]
    await one.push({ id: 'long', kind: 'a', data: null, lane: 'long' })
    const stop = new AbortController()
    let runs = 0
    const work = async (_: Delivery, signal: AbortSignal) => {
      runs++
      await new Promise((resolve) =>
        AbortSignal.timeout(2.5 * LEASE_MS).addEventListener('abort', resolve),
      )
      expect(signal.aborted).toBe(false)
      stop.abort()
      return 'done' as const
    }
    await Promise.all(
      [one, two].map((queue) => queue.consume(work, { concurrency: 1, signal: stop.signal })),
    )
    expect(runs).toBe(1)
    await Promise.all([one.close(), two.close()])
  })

  it('a consumer hears at once of a job that another process has pushed, not at its next poll', async () => {
    const name = redis.prefix()
    const [consumer, producer] = [
      createBullmqQueue({ server: server(), name, pollMs: POLL_MS }),
      createBullmqQueue({ server: server(), name }),
    ]
    const stop = new AbortController()
    let pushedAt = 0
    const after: number[] = []
    const consumed = consumer.consume(
      async () => {
        if (after.push(performance.now() - pushedAt) === 5) stop.abort()
        else void push()
        return 'done'
      },
      { concurrency: 1, signal: stop.signal },
    )
    const push = async (): Promise<void> => {
      pushedAt = performance.now()
      await producer.push({ id: `j${after.length}`, kind: 'a', data: null, lane: 'remote' })
    }
    await push()
    await consumed
    expect(Math.max(...after)).toBeLessThan(POLL_MS)
    await Promise.all([consumer.close(), producer.close()])
  })
})
