import type { Blobs } from '../../ports/blobs.ts'
import { eachFew, eachPage, FEW } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import { rowsFolder } from '../executions/records.ts'
import { visitBytes } from '../executions/page-visit.ts'
import type { ExecutionRecord, ProgressRecord } from '../executions/records.ts'
import type { Pace } from '../../kernel/pace.ts'
import { settledOf } from '../ledger/settlements.ts'
import type { Faults, Findings, Reading } from './findings.ts'
import { readUntilStable } from './findings.ts'
import { addRowFaults } from './verify-provenance.ts'

/**
 * Compares each execution's counters with its receipt, its rows and its payments, and its hold with
 * its state.
 */
export async function verifyExecutions(
  records: Records,
  blobs: Blobs,
  account: string,
  findings: Findings,
): Promise<void> {
  for await (const page of eachPage(records.executions, account, [], FEW)) {
    findings.checked('executions', page.length)
    for (const { value } of page) {
      const faults = await readUntilStable(() =>
        faultsOf(records, blobs, account, value.id, findings),
      )
      if (faults === null) findings.unsettled('executions')
      else await findings.add('executions', account, value.id, faults)
    }
  }
  for await (const page of eachPage(records.holds, account)) {
    const present = new Set<string>()
    for await (const { id } of eachFew(
      records.executions,
      account,
      page.map(({ value }) => [value.execution]),
    ))
      present.add(String(id[0]))
    for (const { value } of page)
      if (!present.has(value.execution))
        await findings.addOne(
          'executions',
          account,
          value.execution,
          `${value.reserved} credits are held for it, and it does not exist`,
        )
  }
}

async function faultsOf(
  records: Records,
  blobs: Blobs,
  account: string,
  id: string,
  findings: Findings,
): Promise<Reading> {
  const read = () =>
    Promise.all([records.executions.get(account, id), records.progress.get(account, id)])
  const [execution, progress] = await read()
  // The execution was deleted in the meantime, because its retention ended.
  const faults = findings.faults()
  if (!execution) return { faults, stood: true }
  if (progress)
    await compare(records, blobs, account, execution.value, progress.value, faults, findings.pace)
  else faults.add('it has no counters')
  const [executionAfter, progressAfter] = await read()
  return {
    faults,
    stood:
      execution.version === executionAfter?.version && progress?.version === progressAfter?.version,
  }
}

async function compare(
  records: Records,
  blobs: Blobs,
  account: string,
  execution: ExecutionRecord,
  progress: ProgressRecord,
  faults: Faults,
  pace: Pace,
): Promise<void> {
  const { id } = execution
  const hold = (await records.holds.get(account, id))?.value
  const expected = execution.finishedAt !== null ? 0 : (execution.reserved ?? 0)
  if ((hold?.reserved ?? 0) !== expected)
    faults.add(
      `${hold?.reserved ?? 0} credits are held for it, not ${expected}: it is ${execution.status}`,
    )
  const stated: Record<string, number> = {
    rows: progress.rows,
    bytes: progress.bytes,
    visitBytes: progress.visitBytes ?? 0,
    credits: progress.credits,
    discovered: progress.discovered,
    segments: progress.segments,
    ...progress.outcomes,
  }
  const receipt = await sumReceipt(records, account, id)
  for (const name of new Set([...Object.keys(stated), ...Object.keys(receipt)])) {
    if (name !== 'segments' && (stated[name] ?? 0) !== (receipt[name] ?? 0))
      faults.add(`${name} is ${stated[name] ?? 0}, its page report comes to ${receipt[name] ?? 0}`)
  }
  const paid = (await settledOf(records, account, id))?.credits ?? 0
  if (paid !== progress.credits)
    faults.add(`credits are ${progress.credits}, its ledger entries come to ${paid}`)
  const areDeleted = execution.rowsDeletedAt !== undefined
  if (areDeleted && progress.rowBytes !== undefined)
    faults.add(`its rows are deleted, and ${progress.rowBytes} bytes of them are still counted`)
  const { datasetId, finishedAt } = execution
  const waits =
    finishedAt === null ||
    (datasetId != null && (await records.pendingMerges.get(account, datasetId, finishedAt, id)))
  if (progress.mergeBytes !== undefined && !waits)
    faults.add(`nothing waits to be merged, and ${progress.mergeBytes} bytes are counted for it`)
  await compareBlobs(records, blobs, account, progress, areDeleted, faults, pace)
  if (!areDeleted) await addRowFaults(faults, records, blobs, account, id, pace)
}

/** Counters computed from the receipt: by outcome, and sums. */
async function sumReceipt(
  records: Records,
  account: string,
  execution: string,
): Promise<Record<string, number>> {
  const sums: Record<string, number> = {
    rows: 0,
    bytes: 0,
    credits: 0,
    discovered: 0,
    visitBytes: 0,
  }
  const add = (name: string, amount: number): void => void (sums[name] = (sums[name] ?? 0) + amount)
  for await (const page of eachPage(records.visits, account, [execution])) {
    add('discovered', page.length)
    for (const { value } of page) {
      add(value.outcome, 1)
      for (const name of ['rows', 'bytes', 'credits'] as const) add(name, value[name])
      add('visitBytes', visitBytes(value))
    }
  }
  for await (const page of eachPage(records.frontier, account, [execution]))
    add('discovered', page.length)
  return sums
}

/**
 * Checks that segments have no gaps, that their rows add up to the number of rows, and that kept
 * pages are complete in the same way. Both must have their blobs. Segments of deleted rows are
 * erased, or will be soon.
 */
async function compareBlobs(
  records: Records,
  blobs: Blobs,
  account: string,
  progress: ProgressRecord,
  areRowsDeleted: boolean,
  faults: Faults,
  pace: Pace,
): Promise<void> {
  const names = new Map<string, 'rows' | 'pages'>()
  const ends = new Map<string, number>()
  if (!areRowsDeleted) await compareSegments(records, account, progress, names, faults)
  let [pages, bytes] = [0, 0]
  for await (const page of eachPage(records.keptPages, account, [progress.execution])) {
    for (const { value } of page) {
      if (value.number !== pages) faults.add(`kept page ${value.number} should be number ${pages}`)
      pages = value.number + 1
      bytes += value.length
      names.set(value.blob, 'pages')
      ends.set(value.blob, Math.max(ends.get(value.blob) ?? 0, value.offset + value.length))
    }
  }
  const { kept } = progress
  if (pages !== (kept?.pages ?? 0) || bytes !== (kept?.bytes ?? 0))
    faults.add(
      `${pages} pages of ${bytes} bytes are kept, its counters say ${kept?.pages ?? 0} of ${kept?.bytes ?? 0}`,
    )
  if (names.size === 0) return
  const there = new Set<string>()
  for (const name of await blobs.list(rowsFolder(progress.execution))) {
    there.add(name)
    const rest = pace.step()
    if (rest) await rest
  }
  for (const [name, what] of names) {
    if (!there.has(name)) faults.add(`blob ${name} is gone, with its ${what}`)
    else if (what === 'pages') await comparePages(blobs, name, ends.get(name) ?? 0, faults)
    const rest = pace.step()
    if (rest) await rest
  }
}

/** Checks that a blob of kept pages is long enough to contain the last page. */
async function comparePages(
  blobs: Blobs,
  name: string,
  end: number,
  faults: Faults,
): Promise<void> {
  const { length = 0 } = (await blobs.get(name)) ?? {}
  if (length < end) faults.add(`blob ${name} is damaged: it has ${length} of ${end} bytes of pages`)
}

async function compareSegments(
  records: Records,
  account: string,
  progress: ProgressRecord,
  names: Map<string, 'rows' | 'pages'>,
  faults: Faults,
): Promise<void> {
  let [index, offset] = [0, 0]
  for await (const page of eachPage(records.segments, account, [progress.execution])) {
    for (const { value } of page) {
      if (value.index !== index || value.offset !== offset)
        faults.add(
          `segment ${value.index} begins at row ${value.offset}; it should be segment ${index} at row ${offset}`,
        )
      index = value.index + 1
      offset = value.offset + value.rows
      names.set(value.blob, 'rows')
    }
  }
  if (index !== progress.segments || offset !== progress.rows)
    faults.add(
      `its segments end with ${index} and ${offset} rows, its counters with ${progress.segments} and ${progress.rows}`,
    )
}
