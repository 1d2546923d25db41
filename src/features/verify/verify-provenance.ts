import type { Blobs } from '../../ports/blobs.ts'
import { eachPage } from '../../records/paginate.ts'
import { Pace } from '../../kernel/pace.ts'
import { decodeProvenance } from '../common/provenance.ts'
import { rowsPart } from '../executions/records.ts'
import type { SegmentRecord } from '../executions/records.ts'
import type { Records } from '../records.ts'
import type { Faults } from './findings.ts'

/**
 * Reads an execution's rows, and checks that each blob has as many complete rows as its segment
 * says. Then it compares the provenance of the rows with the receipt: it must cover as many rows of
 * each page as the page gave. Earlier versions stored no provenance, so rows of their segments need
 * none.
 */
export async function addRowFaults(
  faults: Faults,
  records: Records,
  blobs: Blobs,
  account: string,
  execution: string,
  pace = new Pace(),
): Promise<void> {
  for await (const page of eachPage(records.segments, account, [execution]))
    for (const { value } of page) {
      const blob = await blobs.get(value.blob)
      // A missing blob is a separate fault.
      if (blob === null) continue
      const whole = await countRows(value, blob, pace)
      if (whole !== value.rows)
        faults.add(`blob ${value.blob} is damaged: ${whole} of its ${value.rows} rows can be read`)
      if (value.provenance === undefined) continue
      for (const fault of await faultsOf(records, account, value, blob)) faults.add(fault)
    }
}

async function faultsOf(
  records: Records,
  account: string,
  { execution, index, rows, provenance = 0 }: SegmentRecord,
  blob: Uint8Array,
): Promise<string[]> {
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

/** The number of complete lines of a segment. */
async function countRows(segment: SegmentRecord, blob: Uint8Array, pace: Pace): Promise<number> {
  const lines = new TextDecoder().decode(rowsPart(segment, blob)).split('\n')
  let whole = 0
  for (const line of lines) {
    if (isWhole(line)) whole++
    const rest = pace.step()
    if (rest) await rest
  }
  return whole
}

function isWhole(line: string): boolean {
  try {
    return line !== '' && JSON.parse(line) !== undefined
  } catch {
    return false
  }
}
