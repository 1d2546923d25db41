/**
 * What is verified: secondary indexes, ledger entries, closed months, sums over months, executions
 * with their receipts and rows, roll-ups, what accounts have by number and in bytes.
 */
export type VerifyArea =
  | 'indexes'
  | 'ledger'
  | 'statements'
  | 'spending'
  | 'executions'
  | 'usage'
  | 'holdings'

/** Something that is not what it must be. */
export interface Difference {
  readonly area: VerifyArea
  readonly account: string
  /** What it is of: an execution, an entry, a month, a key. */
  readonly subject: string
  /** What is there and what should be, for people. */
  readonly message: string
  /** Whether it was put right. */
  readonly repaired: boolean
}

/** What was verified of an area. */
export interface VerifyCheck {
  readonly area: VerifyArea
  /** Index entries, ledger entries, statements, months, executions, counters. */
  readonly checked: number
  readonly differences: number
  /**
   * Things that changed each time they were looked at: others were at work there. Look again when
   * it is quieter.
   */
  readonly unsettled: number
}

/** What a verification found. */
export interface VerifyReport {
  /** No difference is left: there was none, or it was repaired. */
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

/** Gathers what is found. */
export class Findings {
  readonly #differences: Difference[] = []
  readonly #checked = new Map<VerifyArea, number>()
  readonly #unsettled = new Map<VerifyArea, number>()

  checked(area: VerifyArea, amount = 1): void {
    this.#checked.set(area, (this.#checked.get(area) ?? 0) + amount)
  }

  unsettled(area: VerifyArea): void {
    this.#unsettled.set(area, (this.#unsettled.get(area) ?? 0) + 1)
  }

  add(
    area: VerifyArea,
    account: string,
    subject: string,
    messages: readonly string[],
    repaired = false,
  ): void {
    for (const message of messages)
      this.#differences.push({ area, account, subject, message, repaired })
  }

  report(accounts: number): VerifyReport {
    const differences = this.#differences
    const countOf = (area: VerifyArea): number =>
      differences.filter((one) => one.area === area).length
    return {
      ok: differences.every(({ repaired }) => repaired),
      accounts,
      checks: AREAS.map((area) => ({
        area,
        checked: this.#checked.get(area) ?? 0,
        differences: countOf(area),
        unsettled: this.#unsettled.get(area) ?? 0,
      })),
      differences,
    }
  }
}

/** What one look at records found, and whether they stood still meanwhile. */
export interface Reading {
  readonly faults: readonly string[]
  readonly stood: boolean
}

const LOOKS = 5

/**
 * Looks until nothing is wrong, or until what is wrong stood still meanwhile: a commit between two
 * reads is no fault. `null`: it never stood still. What agrees needs no second look, as it does not
 * do so by chance.
 */
export async function readUntilStable(
  look: () => Promise<Reading>,
): Promise<readonly string[] | null> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const { faults, stood } = await look()
    if (faults.length === 0 || stood) return faults
  }
  return null
}
