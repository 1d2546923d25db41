/** What one look at records found, and whether they stood still meanwhile. */
export interface Look {
  readonly faults: readonly string[]
  readonly stood: boolean
}

const LOOKS = 5

/**
 * Looks until nothing is wrong, or until what is wrong stood still meanwhile: a commit between two
 * reads is no fault. `null`: it never stood still. What agrees needs no second look, as it does not
 * do so by chance.
 */
export async function lookUntilClear(look: () => Promise<Look>): Promise<readonly string[] | null> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const { faults, stood } = await look()
    if (faults.length === 0 || stood) return faults
  }
  return null
}
