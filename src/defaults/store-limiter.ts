import { checkRate, takeFrom } from '../kernel/fair/gcra.ts'
import type { Bucket } from '../kernel/fair/gcra.ts'
import { shortKey } from '../kernel/short-key.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter, Rate, Taken } from '../ports/limiter.ts'
import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'
import type { CoreRecords } from '../records/core.ts'
import { CROWDED_TRIES, retryConflicts } from '../records/retry.ts'

interface Waiting {
  readonly rate: Rate
  readonly cost: number
  resolve(verdict: Taken): void
  reject(error: unknown): void
}

/**
 * Rate limits on the Store (GCRA), shared by all processes on one store. Concurrent calls with one
 * key in one process share a commit. So a burst needs few commits, and only different processes can
 * conflict.
 */
export function createStoreLimiter({
  records,
  clock,
}: {
  readonly records: CoreRecords
  readonly clock: Pick<Clock, 'now'>
}): Limiter {
  const waiting = new Map<string, Waiting[]>()

  const takeAll = async (key: string, calls: readonly Waiting[]): Promise<readonly Taken[]> => {
    const id = shortKey(key)
    const answers = await retryConflicts(async () => {
      const stored = await records.buckets.get(SYSTEM, id)
      const now = clock.now()
      let bucket: Bucket | null = stored?.value ?? null
      let spent = false
      const verdicts = calls.map(({ rate, cost }) => {
        const step = takeFrom(bucket, rate, cost, now)
        bucket = step.bucket
        spent ||= step.taken.allowed && cost > 0
        return step.taken
      })
      if (!spent || bucket === null) return verdicts
      const { ms, part, of }: Bucket = bucket
      const change = new Change()
      if (stored) records.buckets.require(change, SYSTEM, stored)
      else records.buckets.requireAbsent(change, SYSTEM, id)
      // A full bucket is the same as no bucket, so it is deleted.
      records.buckets.put(change, SYSTEM, { key: id, ms, part, of }, ms + 1)
      return (await records.commit(change)) && verdicts
    }, CROWDED_TRIES)
    if (answers === null) throw new Error('The rate limiter lost every race for its bucket')
    return answers
  }
  const run = async (key: string, calls: Waiting[]): Promise<void> => {
    while (calls.length > 0) {
      const batch = calls.splice(0)
      try {
        const verdicts = await takeAll(key, batch)
        for (const [index, verdict] of verdicts.entries()) batch[index]?.resolve(verdict)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    waiting.delete(key)
  }

  return {
    async take(key, rate, cost = 1) {
      checkRate(rate, cost)
      const { promise, resolve, reject } = Promise.withResolvers<Taken>()
      const call = { rate, cost, resolve, reject }
      const calls = waiting.get(key)
      if (calls) calls.push(call)
      else {
        const begun = [call]
        waiting.set(key, begun)
        void run(key, begun)
      }
      return promise
    },
    async close() {},
  }
}
