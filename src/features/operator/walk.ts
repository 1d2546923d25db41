import type { KeyPart } from '../../kernel/key.ts'
import type { OperatorRecords } from './records.ts'

/** A part of the listed items, in the order of the list. */
interface WalkPage<T> {
  readonly items: readonly T[]
  readonly next: readonly KeyPart[] | null
}

/** The way in which a list over all accounts is read. */
export interface Walk<T> {
  readonly after: readonly KeyPart[] | null
  readonly limit: number
  /** The parts that each account is read in, such as states. */
  readonly parts: readonly string[]
  /** Reads one part of one account, after a position in it. */
  readonly read: (
    account: string,
    part: string,
    after: readonly KeyPart[] | null,
    limit: number,
  ) => Promise<WalkPage<T>>
}

/**
 * Maximum number of accounts that one request reads. So a list with few items has a short page with
 * a cursor.
 */
const MOST_ACCOUNTS = 200
/** Maximum number of reads of one request. */
const MOST_READS = 400

/**
 * Reads one page of a list over all accounts, in the order of their names. A position is an
 * account, a part of it and a position in that part. A position with an account alone means that
 * this account was read to its end.
 */
export async function walkAccounts<T>(
  { accountsAfter }: Pick<OperatorRecords, 'accountsAfter'>,
  { after, limit, parts, read }: Walk<T>,
): Promise<WalkPage<T>> {
  const items: T[] = []
  let [account, part, ...rest] = (after ?? []).map(String)
  let position: readonly KeyPart[] | null = rest.length === 0 ? null : (after ?? []).slice(2)
  let [accounts, reads] = [0, 0]
  for (;;) {
    if (account === undefined || part === undefined) {
      const [next] = accounts < MOST_ACCOUNTS ? await accountsAfter(account ?? null, 1) : []
      if (next === undefined)
        return { items, next: accounts < MOST_ACCOUNTS ? null : [account ?? ''] }
      accounts++
      ;[account, part, position] = [next, parts[0], null]
    }
    if (part === undefined) continue
    if (items.length >= limit || reads >= MOST_READS)
      return { items, next: [account, part, ...(position ?? [])] }
    const page = await read(account, part, position, limit - items.length)
    reads++
    items.push(...page.items)
    position = page.next
    if (position === null) part = parts[parts.indexOf(part) + 1]
  }
}
