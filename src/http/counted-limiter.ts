import type { Limiter } from '../ports/limiter.ts'
import type { Metric, Telemetry } from '../ports/telemetry.ts'

const CALLS: Metric = {
  name: 'seine.limiter.calls',
  unit: '{call}',
  description:
    'Calls that were counted for a rate, by bucket and outcome: allowed, refused, or failed where ' +
    'the limiter was away and the call passed',
}

/** A limiter whose answers are counted, by the kind of the bucket: a service, or wrong credentials. */
export function countCalls(limiter: Limiter, telemetry: Telemetry): Limiter {
  return {
    async take(key, rate, cost) {
      let outcome = 'failed'
      try {
        const state = await limiter.take(key, rate, cost)
        outcome = state.allowed ? 'allowed' : 'refused'
        return state
      } finally {
        telemetry.count(CALLS, 1, {
          'seine.limiter.bucket': key.slice(0, key.indexOf(':')),
          'seine.limiter.outcome': outcome,
        })
      }
    },
    close: () => limiter.close(),
  }
}
