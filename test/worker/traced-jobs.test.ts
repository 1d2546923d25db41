import { expect, it } from 'vitest'
import type { Json } from '../../src/kernel/json.ts'
import { traceJobs } from '../../src/worker/traced-jobs.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createFakeOpenTelemetry } from '../support/fakes/fake-opentelemetry.ts'

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
      await handle({ id: 'j', kind: 'event', data, attempt: 1, lost: 0 }, turn.over, turn)
    expect(seen).toEqual([{ account: 'acme' }, { account: 'acme' }, 'text'])
  },
)
