import type { Records } from '../../records/records.ts'
import { ALL_USAGE } from '../common/usage.ts'
import { verifyUsage } from '../common/verify-usage.ts'
import { isoTime } from '../iso-time.ts'
import type { Findings } from './findings.ts'
import { lookUntilClear } from './look.ts'

/**
 * Works an account's roll-ups out of its receipts and executions. Those of times of which receipts
 * were deleted cannot be, and are left alone.
 */
export async function verifyRollUps(
  records: Records,
  account: string,
  findings: Findings,
): Promise<void> {
  // Every commit that counts anything adds to these.
  const read = async (): Promise<string> =>
    JSON.stringify(
      await records.usage.read(account, ALL_USAGE, 'month', 0, Number.MAX_SAFE_INTEGER),
    )
  const wrong: { subject: string; message: string }[] = []
  const came = await lookUntilClear(async () => {
    const before = await read()
    const faults = await verifyUsage(records, account)
    const until = (await records.retentions.get(account))?.value.until ?? 0
    const known = faults.filter(({ start }) => start > until)
    wrong.splice(
      0,
      wrong.length,
      ...known.map(({ series, size, start, metric, stored, found }) => ({
        subject: `${series}, ${size} of ${isoTime(start)}`,
        message: `${metric} is ${stored}, its receipts come to ${found}`,
      })),
    )
    return { faults: wrong.map(({ message }) => message), stood: before === (await read()) }
  })
  findings.checked('usage')
  if (came === null) return findings.unsettled('usage')
  for (const { subject, message } of wrong) findings.add('usage', account, subject, [message])
}
