import type { Blobs } from '../../ports/blobs.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Inspection } from './inspect.ts'
import { Findings } from './findings.ts'
import type { VerifyReport } from './findings.ts'
import { verifyExecutions } from './verify-executions.ts'
import { verifyHoldings } from './verify-holdings.ts'
import { verifyMedia } from './verify-media.ts'
import { verifyLedger } from './verify-ledger.ts'
import { verifyRollUps } from './verify-usage.ts'

/** Options of `platform.verify`. */
export interface VerifyOptions {
  /** Verify only this account. Default: all. */
  readonly account?: string
  /**
   * Writes missing index entries and deletes surplus ones. Corrects the counts of what accounts
   * have. Changes nothing else: money and receipts are never adjusted.
   */
  readonly repair?: boolean
}

/**
 * Recomputes all derived data and compares it with the stored data. May run while the platform is
 * running: a difference is read again before it counts. Differences beyond `mostListed` are counted
 * in `checks` alone.
 */
export async function verify(
  { records, accounts: all, indexes: verifyIndexes, blobs }: Inspection & { readonly blobs: Blobs },
  { account, repair = false }: VerifyOptions = {},
  mostListed?: number,
): Promise<VerifyReport> {
  const findings = new Findings(mostListed)
  // Indexes are verified first, because the following reads use them.
  const indexes = await verifyIndexes({
    rebuild: repair,
    ...(account !== undefined && { account }),
    ...(mostListed !== undefined && { mostListed }),
  })
  findings.checked('indexes', indexes.entries)
  for (const { kind, collection, account: owner, key, repaired } of indexes.faults) {
    await findings.addOne(
      'indexes',
      owner,
      collection,
      `the index entry ${key.slice(1).join('/')} is ${kind}`,
      repaired,
    )
  }
  findings.count('indexes', indexes.more.repaired, true)
  findings.count('indexes', indexes.more.left, false)
  let accounts = 0
  const verifyAccount = async (owner: string): Promise<void> => {
    accounts++
    if (owner === SYSTEM) return
    await verifyLedger(records, owner, findings)
    await verifyExecutions(records, blobs, owner, findings)
    await verifyRollUps(records, owner, findings)
    await verifyHoldings(records, owner, findings, repair)
    await verifyMedia(records, blobs, owner, findings)
  }
  if (account === undefined) for await (const owner of all()) await verifyAccount(owner)
  else await verifyAccount(account)
  return findings.report(accounts)
}
