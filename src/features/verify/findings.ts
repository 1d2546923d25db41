import { Pace } from '../../kernel/pace.ts'

/**
 * Areas of verification: secondary indexes, ledger entries, closed months, sums over months,
 * executions with their receipts and rows, roll-ups, and the number and bytes of what accounts
 * have. `store` stands for records that a damaged store cannot give; no report counts it as
 * checked.
 */
export type VerifyArea =
  | 'indexes'
  | 'ledger'
  | 'statements'
  | 'spending'
  | 'executions'
  | 'usage'
  | 'holdings'
  | 'store'

/** A difference between the stored and the expected data. */
export interface Difference {
  readonly area: VerifyArea
  readonly account: string
  /** The subject: an execution, an entry, a month or a key. */
  readonly subject: string
  /** The stored and the expected value, as text for people. */
  readonly message: string
  /** True if the difference was repaired. */
  readonly repaired: boolean
}

/** Summary of one area. */
export interface VerifyCheck {
  readonly area: VerifyArea
  /** Number of index entries, ledger entries, statements, months, executions or counters. */
  readonly checked: number
  readonly differences: number
  /**
   * Number of subjects that could not be checked, because they changed during every read. Verify
   * again when there are fewer writes.
   */
  readonly unsettled: number
}

/** Result of a verification. */
export interface VerifyReport {
  /** True if no difference is left: there was no difference, or all were repaired. */
  readonly ok: boolean
  readonly accounts: number
  readonly checks: readonly VerifyCheck[]
  readonly differences: readonly Difference[]
}

const AREAS: readonly VerifyArea[] = [
  'indexes',
  'ledger',
  'statements',
  'spending',
  'executions',
  'usage',
  'holdings',
]

/** The faults of one subject: lists the first of them, and counts all. */
export class Faults<T = string> {
  readonly listed: T[] = []
  readonly #most: number
  #count = 0

  constructor(most = Infinity) {
    this.#most = most
  }

  get count(): number {
    return this.#count
  }

  add(fault: T): void {
    if (this.listed.length < this.#most) this.listed.push(fault)
    this.#count++
  }

  /** Adds the faults of a part. */
  addAll(part: Faults<T>): void {
    for (const fault of part.listed) {
      if (this.listed.length >= this.#most) break
      this.listed.push(fault)
    }
    this.#count += part.#count
  }
}

/** Collects differences: lists the first of them, and counts all. */
export class Findings {
  /**
   * The verification yields to the event loop, because it may run in a process that serves
   * requests.
   */
  readonly pace = new Pace()
  /** Differences that are listed. */
  readonly mostListed: number
  readonly #differences: Difference[] = []
  readonly #counts = new Map<VerifyArea, number>()
  #isRight = true
  readonly #checked = new Map<VerifyArea, number>()
  readonly #unsettled = new Map<VerifyArea, number>()

  constructor(mostListed = Infinity) {
    this.mostListed = mostListed
  }

  checked(area: VerifyArea, amount = 1): void {
    this.#checked.set(area, (this.#checked.get(area) ?? 0) + amount)
  }

  unsettled(area: VerifyArea): void {
    this.#unsettled.set(area, (this.#unsettled.get(area) ?? 0) + 1)
  }

  /** Opens the faults of a subject. Only as many are collected as can be listed. */
  faults(): Faults {
    return new Faults(this.mostListed)
  }

  async add(
    area: VerifyArea,
    account: string,
    subject: string,
    { listed, count }: Faults,
    repaired = false,
  ): Promise<void> {
    for (const message of listed) {
      if (this.#differences.length >= this.mostListed) break
      this.#differences.push({ area, account, subject, message, repaired })
      const rest = this.pace.step()
      if (rest) await rest
    }
    this.count(area, count, repaired)
  }

  /** The same for one fault. */
  addOne(
    area: VerifyArea,
    account: string,
    subject: string,
    message: string,
    repaired = false,
  ): Promise<void> {
    const faults = this.faults()
    faults.add(message)
    return this.add(area, account, subject, faults, repaired)
  }

  /** Counts differences beyond those that are listed. */
  count(area: VerifyArea, amount: number, repaired: boolean): void {
    if (amount === 0) return
    this.#counts.set(area, (this.#counts.get(area) ?? 0) + amount)
    this.#isRight &&= repaired
  }

  report(accounts: number): VerifyReport {
    return {
      ok: this.#isRight,
      accounts,
      checks: AREAS.map((area) => ({
        area,
        checked: this.#checked.get(area) ?? 0,
        differences: this.#counts.get(area) ?? 0,
        unsettled: this.#unsettled.get(area) ?? 0,
      })),
      differences: this.#differences,
    }
  }
}

/** Faults of one read, and whether the records stayed unchanged during it. */
export interface Reading<T extends { readonly count: number } = Faults> {
  readonly faults: T
  readonly stood: boolean
}

const MOST_READS = 5

/**
 * Reads until there are no faults, or until the records with faults are unchanged during a read,
 * because a commit between two reads may look like a fault. `null`: the records changed during
 * every read. Data without faults needs no second read, because data does not match by chance.
 */
export async function readUntilStable<T extends { readonly count: number }>(
  read: () => Promise<Reading<T>>,
): Promise<T | null> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    const { faults, stood } = await read()
    if (faults.count === 0 || stood) return faults
  }
  return null
}
