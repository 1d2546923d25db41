import type { Limiter, Taken } from '../ports/limiter.ts'
import type { Attributes, Metric, Telemetry } from '../ports/telemetry.ts'

const CALLS: Metric = {
  name: 'seine.limiter.calls',
  unit: '{call}',
  description:
    'Calls that count for a rate, by bucket and outcome: allowed, refused, or failed if ' +
    'the limiter could not be reached and let the call pass',
}

/** A limiter that counts its answers by the kind of the bucket: a service, or wrong credentials. */
export function countCalls(limiter: Limiter, telemetry: Telemetry): Limiter {
  const attributesOf = {
    allowed: attributesByBucket('allowed'),
    refused: attributesByBucket('refused'),
    failed: attributesByBucket('failed'),
  }
  return {
    async take(key, rate, cost) {
      const count = (outcome: keyof typeof attributesOf) =>
        telemetry.count(CALLS, 1, attributesOf[outcome](key.slice(0, key.indexOf(':'))))
      let state: Taken
      try {
        state = await limiter.take(key, rate, cost)
      } catch (error) {
        // An invalid rate refuses the call. After any other failure the rate limit lets the call
        // pass.
        if (!(error instanceof RangeError)) count('failed')
        throw error
      }
      count(state.allowed ? 'allowed' : 'refused')
      return state
    },
    close: () => limiter.close(),
  }
}

/** The attributes of each bucket are one frozen object, so that their labels are written once. */
function attributesByBucket(outcome: string): (bucket: string) => Attributes {
  const byBucket = new Map<string, Attributes>()
  return (bucket) => {
    const attributes =
      byBucket.get(bucket) ??
      Object.freeze({ 'seine.limiter.bucket': bucket, 'seine.limiter.outcome': outcome })
    byBucket.set(bucket, attributes)
    return attributes
  }
}
