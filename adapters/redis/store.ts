import { callback, checkOptions, required, withMethods } from '../../src/kernel/options.ts'
import { encodeCommit, encodeRange } from '../../src/kernel/store-encoding.ts'
import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'
import { decodeKey, encodeKey } from '../../src/kernel/key.ts'
import type { Key } from '../../src/kernel/key.ts'
import { accountOf } from '../../src/kernel/fair/commit-turns.ts'
import { ServerTurns } from '../../src/kernel/fair/server-turns.ts'
import type { Clock, RandomBytes } from '../../src/ports/clock.ts'
import type { Commit, Entry, Range, Store } from '../../src/ports/store.ts'
import { assertKeeps, assertLayout, textsOf, PREFIX, entryFrom, Script } from './client.ts'
import type { RedisClient } from './client.ts'
import { COMMIT, NO_NUMBER, STALE, WRITTEN } from './commit-script.ts'

/**
 * Reads a range at one moment. Keys: entries, index. Values: the time, both exclusive bounds, the
 * maximum number, and `1` for descending order. Returns keys and stored values alternately.
 */
const LIST = new Script(`
local entries, index = KEYS[1], KEYS[2]
local now, over, under, limit, reverse = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1'
local found, count = {}, 0
while count < limit do
  -- No call takes more values than fit on Lua's stack.
  local wanted = math.min(limit - count, 1000)
  local keys
  if reverse then
    keys = redis.call('ZREVRANGEBYLEX', index, '(' .. under, '(' .. over, 'LIMIT', 0, wanted)
  else
    keys = redis.call('ZRANGEBYLEX', index, '(' .. over, '(' .. under, 'LIMIT', 0, wanted)
  end
  if #keys == 0 then break end
  local raws = redis.call('HMGET', entries, unpack(keys))
  for i, key in ipairs(keys) do
    local raw = raws[i]
    local expires = raw and string.match(raw, '^%S+ (%S*) ')
    if expires and (expires == '' or tonumber(expires) > now) then
      found[count * 2 + 1] = key
      found[count * 2 + 2] = raw
      count = count + 1
    end
  end
  if #keys < wanted then break end
  if reverse then under = keys[#keys] else over = keys[#keys] end
end
return found
`)

/** Options of {@link createRedisStore}. */
export interface RedisStoreOptions {
  /**
   * Your own client, `new Redis(…)` or `new Cluster(…)` of ioredis, reading from the primary. End
   * it yourself after you close the store.
   */
  readonly client: RedisClient
  /** Prefix of the Redis keys, in braces so that a cluster keeps them together. Default `seine`. */
  readonly prefix?: string
  /** Decides when entries expire. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>
  /** Makes versions unique across processes. Default: the system's random bytes. */
  readonly random?: RandomBytes
}

/**
 * A Store in Redis (6.2 or later, or Valkey), for any number of processes. Its data must fit in
 * memory and must not be evicted. It survives a restart if the server's persistence saves it
 * (`appendonly yes`).
 *
 * @example
 *   import { Redis } from 'ioredis'
 *
 *   const platform = createPlatform({
 *     store: createRedisStore({ client: new Redis('redis://localhost:6379') }),
 *   })
 *
 * @throws {TypeError} for wrong options
 */
export function createRedisStore(options: RedisStoreOptions): Store {
  checkOptions<RedisStoreOptions>('createRedisStore', options, {
    client: required(withMethods('a client of ioredis', 'call')),
    prefix: PREFIX,
    clock: withMethods('a clock', 'now'),
    random: callback,
  })
  return new RedisStore(options)
}

class RedisStore implements Store {
  readonly #client: RedisClient
  readonly #clock: Pick<Clock, 'now'>
  /** The keys of entries, index and expiring, in the order of the scripts. */
  readonly #keys: readonly [string, string, string]
  readonly #answers: string
  readonly #layout: string
  readonly #turns = new ServerTurns()
  readonly #name: string
  #commits = 0
  /** Versions whose answers have arrived. */
  #arrived: string[] = []
  readonly #pending = new Set<Promise<unknown>>()
  #checked: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor({
    client,
    prefix = 'seine',
    clock = Date,
    random = (length) => crypto.getRandomValues(new Uint8Array(length)),
  }: RedisStoreOptions) {
    const tag = `{${prefix}}`
    this.#client = client
    this.#clock = clock
    this.#keys = [`${tag}:entries`, `${tag}:index`, `${tag}:expiring`]
    this.#name = Array.from(random(8), (byte) => byte.toString(36).padStart(2, '0')).join('')
    this.#answers = `${tag}:answers:${this.#name}`
    this.#layout = `${tag}:layout`
  }

  async get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    await this.#open()
    if (keys.length === 0) return []
    const texts = textsOf(
      await this.#client.call('HMGET', [this.#keys[0]].concat(keys.map(encodeKey))),
    )
    const now = this.#clock.now()
    return keys.map((key, i) => entryFrom([...key], texts[i], now))
  }

  async list(range: Range): Promise<Entry[]> {
    const { over, under } = encodeRange(range)
    await this.#open()
    const [entries, index] = this.#keys
    const now = this.#clock.now()
    const values = [String(now), over, under, String(range.limit), range.reverse ? '1' : '0']
    const texts = textsOf(
      await this.#turns.list(range.prefix, () => LIST.run(this.#client, [entries, index], values)),
    )
    return texts.flatMap((key, i) => {
      const entry =
        i % 2 === 0 && key !== null ? entryFrom(decodeKey(key), texts[i + 1], now) : null
      return entry ? [entry] : []
    })
  }

  async commit(change: Commit): Promise<boolean> {
    if (this.#closing) throw new Error('The store is closed')
    const encoded = encodeCommit(change)
    const commit = this.#turns.commit(accountOf(encoded), () => this.#write(encoded))
    this.#pending.add(commit)
    return commit.finally(() => this.#pending.delete(commit))
  }

  close(): Promise<void> {
    return (this.#closing ??= Promise.allSettled(this.#pending).then(() => undefined))
  }

  async #write(commit: EncodedCommit): Promise<boolean> {
    await (this.#checked ??= this.#check())
    // The name is unique to this process and the counter only grows. So a version is never reused,
    // even if the server loses its memory.
    const version = `${this.#name}${(this.#commits++).toString(36)}`
    const values = valuesOf(commit, version, this.#clock.now(), this.#arrived)
    this.#arrived = []
    const answer = await COMMIT.run(this.#client, [...this.#keys, this.#answers], values)
    this.#arrived.push(version)
    if (answer === NO_NUMBER) throw new TypeError('A counter can only be added to a number')
    if (answer !== WRITTEN && answer !== STALE)
      throw new TypeError('The client answered a commit with an unknown value')
    return answer === WRITTEN
  }

  async #open(): Promise<void> {
    if (this.#closing) throw new Error('The store is closed')
    await (this.#checked ??= this.#check())
  }

  /** Done once per store. If the server could not be reached, the next call tries again. */
  #check(): Promise<void> {
    const isFit = async (): Promise<void> => {
      await assertKeeps(this.#client)
      await assertLayout(this.#client, this.#layout)
    }
    return isFit().catch((error: unknown) => {
      this.#checked = undefined
      throw error
    })
  }
}

/** Returns the arguments of the commit script. */
function valuesOf(
  { checks, sets, deletes, adds }: EncodedCommit,
  version: string,
  now: number,
  arrived: readonly string[],
): string[] {
  const values = [String(now), version, String(arrived.length), ...arrived, String(checks.length)]
  // An empty string means "the entry must be absent". A check for the version '' can never hold, so
  // it sends '-', which is not a version.
  for (const check of checks)
    values.push(check.key, check.version === '' ? '-' : (check.version ?? ''))
  values.push(String(sets.length))
  for (const { key, expiresAt, text } of sets)
    values.push(key, expiresAt === null ? '' : String(expiresAt), text)
  values.push(String(deletes.length), ...deletes, String(adds.length))
  for (const { key, amount } of adds) values.push(key, String(amount))
  return values
}
