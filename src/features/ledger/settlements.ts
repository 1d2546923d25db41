import type { Records } from '../records.ts'
import type { LedgerEntry, PaidPage } from './records.ts'

const READ = 500

/** Reads the entries that settled an execution's pages. They stay when the execution is deleted. */
async function* settlementsOf(
  records: Records,
  account: string,
  execution: string,
): AsyncGenerator<LedgerEntry> {
  for (let after: readonly (string | number)[] | null = null; ;) {
    const entries: Awaited<ReturnType<typeof records.ledger.listBy>> = await records.ledger.listBy(
      'execution',
      account,
      { within: [execution], limit: READ, ...(after && { after }) },
    )
    for (const { record } of entries) if (record.value.kind === 'settle') yield record.value
    after = entries.at(-1)?.position ?? null
    if (entries.length < READ) return
  }
}

/** The cost of an execution, from its ledger entries alone. */
export interface ExecutionCost {
  readonly credits: number
  readonly task: string | null
  /** The requested page. `null`: it cost nothing, or there is no such page. */
  readonly page: PaidPage | null
}

/** Adds up the cost of an execution. `null`: it has no entries. */
export async function settledOf(
  records: Records,
  account: string,
  execution: string,
  seq?: number,
): Promise<ExecutionCost | null> {
  let [entries, credits] = [0, 0]
  let task: string | null = null
  let page: PaidPage | null = null
  for await (const entry of settlementsOf(records, account, execution)) {
    entries++
    credits += entry.moves.revenue ?? 0
    task = entry.task
    page ??= entry.pages?.find(([number]) => number === seq) ?? null
  }
  return entries === 0 ? null : { credits, task, page }
}
