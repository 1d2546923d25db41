/** What the store and the limiter need of ioredis: a `Redis`, or a `Cluster`, of version 5 or later. */
export interface RedisClient {
  call(command: string, values: string[]): Promise<unknown>
}

/**
 * A reply of several texts, of which some may be absent.
 *
 * @throws {TypeError} for anything else
 */
export function textsOf(reply: unknown): (string | null)[] {
  if (!Array.isArray(reply)) throw new TypeError('The client answered without a list')
  return reply.map((part: unknown) => {
    if (typeof part !== 'string' && part !== null)
      throw new TypeError('The client answered with something else than texts')
    return part
  })
}
