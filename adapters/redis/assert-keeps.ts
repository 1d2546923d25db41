import type { RedisClient } from './client.ts'

/** Policies that throw away what has no time to live, which is everything that a store keeps. */
const EVICTS = /^maxmemory_policy:allkeys-/m

/** @throws {Error} where the server would evict entries when its memory is full */
export async function assertKeeps(client: RedisClient): Promise<void> {
  if (EVICTS.test(String(await client.call('INFO', ['memory']))))
    throw new Error(
      'This Redis evicts keys when its memory is full, and a store would be lost: set maxmemory-policy to noeviction',
    )
}
