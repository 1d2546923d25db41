import type { Blobs } from '../../ports/blobs.ts'
import { eachPage } from '../../records/paginate.ts'
import { decodeProvenance } from '../common/provenance.ts'
import type { SegmentRecord } from '../executions/records.ts'
import type { Records } from '../records.ts'
import type { Faults } from './findings.ts'

/**
 * Compares the provenance of an execution's rows with its receipt: each page has it for as many
 * rows as it gave. Earlier versions stored none, so rows of their segments are not expected to have
 * it.
 */
export async function addProvenanceFaults(
  faults: Faults,
  records: Records,
  blobs: Blobs,
  account: string,
  execution: string,
): Promise<void> {
  for await (const page of eachPage(records.segments, account, [execution]))
    for (const { value } of page) {
      if (value.provenance === undefined) continue
      const blob = await blobs.get(value.blob)
      for (const fault of await faultsOf(records, account, value, blob)) faults.add(fault)
    }
}

async function faultsOf(
  records: Records,
  account: string,
  { execution, index, rows, provenance = 0 }: SegmentRecord,
  blob: Uint8Array | null,
): Promise<string[]> {
  // A blob that is gone is a fault of its own.
  if (blob === null) return []
  try {
    const pages = decodeProvenance(blob.subarray(Math.max(0, blob.length - provenance)))
    const counts = pages.map(({ sources }) => sources.reduce((sum, [, count]) => sum + count, 0))
    const visits = await records.visits.getMany(
      account,
      pages.map(({ seq }) => [execution, seq]),
    )
    const faults = pages.flatMap(({ seq }, position) => {
      const visitRows = visits[position]?.value.rows ?? 0
      return visitRows === counts[position]
        ? []
        : [
            `segment ${index} has the provenance of ${counts[position]} rows of page ${seq}, not ${visitRows}`,
          ]
    })
    const described = counts.reduce((sum, count) => sum + count, 0)
    if (described !== rows)
      faults.push(`segment ${index} has ${rows} rows, and the provenance of ${described}`)
    return faults
  } catch (error) {
    return [`segment ${index}: ${error instanceof Error ? error.message : String(error)}`]
  }
}
