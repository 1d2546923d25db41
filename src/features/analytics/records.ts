import type { Store } from '../../ports/store.ts'
import type { Key } from '../../kernel/key.ts'
import type { Change } from '../../records/change.ts'

/**
 * Length of a bucket of counters, UTC. Every time zone's offset is a whole number of quarter hours,
 * so local days can be composed of these buckets.
 */
export type BucketSize = 'quarter' | 'hour' | 'day' | 'month'

/** One counter of one bucket. */
export interface UsagePoint {
  /** Start of the bucket, Unix milliseconds. */
  readonly start: number
  readonly metric: string
  readonly value: number
}

/**
 * Counters by time. Commits add to them without a check. `series` names what is counted, such as
 * the account as a whole or one of its tasks.
 */
export interface UsageCounters {
  /** Adds to a counter of the bucket that starts at `start`. */
  add(
    change: Change,
    account: string,
    series: string,
    size: BucketSize,
    start: number,
    metric: string,
    amount: number,
  ): void
  /**
   * Reads counters of buckets that start in `[from, to)`, in order of time and metric: first the
   * totals, then the details. The cost depends on the number of counters.
   */
  read(
    account: string,
    series: string,
    size: BucketSize,
    from: number,
    to: number,
    part?: 'totals' | 'all',
  ): Promise<UsagePoint[]>
  /** Lists the names of series that begin with `prefix`, in reverse order, from `before` on. */
  series(
    account: string,
    range?: { readonly prefix?: string; readonly before?: string; readonly limit?: number },
  ): Promise<string[]>
}

/** Records of usage. */
export interface UsageRecords {
  readonly usage: UsageCounters
}

const PAGE = 1_000
/**
 * Matches metrics that are stored as details: reasons and durations. A bucket has about a dozen
 * totals, but any number of details. Details are stored separately, so that a series need not read
 * them.
 */
const DETAIL = /^(?:error|time):/
const PARTS = { totals: ['usage'], all: ['usage', 'usage-details'] } as const
type Part = (typeof PARTS.all)[number]

/** Opens the records of usage. */
export function openUsageRecords(store: Store): UsageRecords {
  const keyOf = (
    part: Part,
    account: string,
    series: string,
    size: BucketSize,
    ...rest: readonly (string | number)[]
  ): Key => [account, part, series, size, ...rest]
  const readPart = async (
    part: Part,
    account: string,
    series: string,
    size: BucketSize,
    from: number,
    to: number,
  ): Promise<UsagePoint[]> => {
    const prefix = keyOf(part, account, series, size)
    const before = keyOf(part, account, series, size, to)
    const points: UsagePoint[] = []
    let after = keyOf(part, account, series, size, from)
    for (;;) {
      const entries = await store.list({ prefix, after, before, limit: PAGE })
      for (const { key, value } of entries)
        points.push({ start: Number(key[4]), metric: String(key[5]), value: Number(value) })
      const last = entries.at(-1)
      if (entries.length < PAGE || !last) return points
      after = last.key
    }
  }
  return {
    usage: {
      add(change, account, series, size, start, metric, amount) {
        change.add(
          keyOf(
            DETAIL.test(metric) ? 'usage-details' : 'usage',
            account,
            series,
            size,
            start,
            metric,
          ),
          amount,
        )
      },
      async read(account, series, size, from, to, part = 'all') {
        return (
          await Promise.all(
            PARTS[part].map((name) => readPart(name, account, series, size, from, to)),
          )
        ).flat()
      },
      async series(account, { prefix = '', before, limit = Infinity } = {}) {
        const all: Key = [account, 'usage']
        const names: string[] = []
        let below = before
        while (names.length < limit) {
          // This reads the last counter before the series that was found last.
          const [entry] = await store.list({
            prefix: all,
            after: [...all, prefix],
            before: [...all, below ?? `${prefix}\u{10ffff}`],
            limit: 1,
            reverse: true,
          })
          if (!entry) break
          below = String(entry.key[2])
          names.push(below)
        }
        return names
      },
    },
  }
}
