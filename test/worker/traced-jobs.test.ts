import { expect, it } from 'vitest'
import type { Json } from '../../src/kernel/json.ts'
import { createPrometheus } from '../../adapters/prometheus/index.ts'
import { traceJobs } from '../../src/worker/traced-jobs.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createFakeOpenTelemetry } from '../support/fakes/fake-opentelemetry.ts'
import { createQueueProcesses, QUEUE_LEASE_MS } from '../support/stores/queue-processes.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const turn = {
  over: new AbortController().signal,
  progress: async () => {},
  idle() {},
  givesUp() {},
  clear() {},
}

it.each([false, true])(
  'a handler never sees the trace of its job; traced: %s',
  async (isTraced) => {
    const seen: Json[] = []
    const handle = traceJobs(
      async ({ data }) => {
        seen.push(data)
        return 'done'
      },
      isTraced ? createFakeOpenTelemetry().telemetry : null,
      createFakeClock(),
    )
    for (const data of [{ account: 'acme', trace: { traceparent } }, { account: 'acme' }, 'text'])
      await handle(
        { id: 'j', kind: 'event', data, attempt: 1, lost: 0, isNewlyLost: false },
        turn.over,
        turn,
      )
    expect(seen).toEqual([{ account: 'acme' }, { account: 'acme' }, 'text'])
  },
)

it('a lost lease is counted once, however often its job comes again', async () => {
  const { clock, spawn } = createQueueProcesses()
  const signal = new AbortController().signal
  const dead = spawn()
  await dead.queue.push({ id: 'j', kind: 'event', data: null })
  void dead.queue.consume(() => new Promise(() => {}), { concurrency: 1, signal })
  await clock.advance(100)
  dead.die()
  await clock.advance(QUEUE_LEASE_MS)
  const metrics = createPrometheus({ readProcess: () => null })
  let deliveries = 0
  const handle = traceJobs(
    async (job, _, { givesUp }) => {
      expect(job.lost).toBe(1)
      deliveries++
      givesUp()
      throw new Error('not yet')
    },
    metrics,
    clock,
  )
  void spawn().queue.consume(
    (job, over, own) => handle(job, over, { ...turn, givesUp: () => own.givesUp() }),
    { concurrency: 1, signal },
  )
  await clock.advance(200_000)
  expect(deliveries).toBeGreaterThan(5)
  expect(await metrics.text()).toContain(
    'seine_queue_leases_lost_total{messaging_destination_name="event"} 1\n',
  )
})
