import type { Blobs } from '../../ports/blobs.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Inspection } from './inspect.ts'
import { Findings } from './findings.ts'
import type { VerifyReport } from './findings.ts'
import { verifyExecutions } from './verify-executions.ts'
import { verifyHoldings } from './verify-holdings.ts'
import { verifyLedger } from './verify-ledger.ts'
import { verifyRollUps } from './verify-usage.ts'

/** Options of `platform.verify`. */
export interface VerifyOptions {
  /** Only this account; all by default. */
  readonly account?: string
  /**
   * Writes index entries that are missing and deletes those that are surplus. Counts of what
   * accounts have are put right too. Nothing else is changed: money and receipts are never made to
   * fit.
   */
  readonly repair?: boolean
}

/**
 * Works out anew everything that can be, and compares it with what the store says. May run beside
 * the platform: what looks wrong is looked at again before it counts.
 */
export async function verify(
  { records, accounts: all, indexes: verifyIndexes, blobs }: Inspection & { readonly blobs: Blobs },
  { account, repair = false }: VerifyOptions = {},
): Promise<VerifyReport> {
  const findings = new Findings()
  // First, as what follows reads by these indexes.
  const indexes = await verifyIndexes({
    rebuild: repair,
    ...(account !== undefined && { account }),
  })
  findings.checked('indexes', indexes.entries)
  for (const { kind, collection, account: owner, key, repaired } of indexes.faults) {
    findings.add(
      'indexes',
      owner,
      collection,
      [`the index entry ${key.slice(1).join('/')} is ${kind}`],
      repaired,
    )
  }
  let accounts = 0
  const look = async (owner: string): Promise<void> => {
    accounts++
    if (owner === SYSTEM) return
    await verifyLedger(records, owner, findings)
    await verifyExecutions(records, blobs, owner, findings)
    await verifyRollUps(records, owner, findings)
    await verifyHoldings(records, owner, findings, repair)
  }
  if (account === undefined) for await (const owner of all()) await look(owner)
  else await look(account)
  return findings.report(accounts)
}
