import { expect, it } from 'vitest'
import { traceRequests } from '../../src/http/traced.ts'
import type { Telemetry } from '../../src/ports/telemetry.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

it('the length of a request in seconds is recorded, and whether it failed by an internal error', async () => {
  const clock = createFakeClock()
  const recorded: unknown[] = []
  const failures: string[] = []
  const telemetry: Telemetry = {
    span: (_, work) =>
      work({ set: () => {}, event: () => {}, fail: (type) => void failures.push(type) }),
    context: () => null,
    count: () => {},
    record: ({ name, unit }, value, attributes) =>
      void recorded.push([name, unit, value, attributes['error.type']]),
    observe: () => () => {},
  }
  const answer = traceRequests(
    async () => {
      await clock.advance(1_500)
      return { status: 503, headers: {}, body: null }
    },
    { telemetry, clock, routeOf: () => '/api/v1/tasks' },
  )
  await answer(new Request('https://api.example/api/v1/tasks'))
  expect(recorded).toEqual([['http.server.request.duration', 's', 1.5, '503']])
  expect(failures).toEqual(['503'])
})
