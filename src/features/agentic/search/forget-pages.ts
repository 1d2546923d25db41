import type { FoundByRecord } from '../../../records/agentic-records.ts'
import { Change } from '../../../records/change.ts'
import type { Records } from '../../../records/records.ts'

const BATCH = 100

/** Forgets all pages that are older than one, or all; with the text of those that agents have read. */
export async function forgetPages(
  records: Records,
  account: string,
  than: FoundByRecord | null,
): Promise<void> {
  const before = than && [than.at, than.source, than.seq]
  for (;;) {
    const old = await records.foundBy.list(account, {
      reverse: true,
      limit: BATCH,
      ...(before && { before }),
    })
    if (old.length === 0) return
    const read = await records.readPages.getMany(
      account,
      old.map(({ value }) => [value.source]),
    )
    const change = new Change()
    for (const {
      value: { at, source, seq },
    } of old) {
      records.foundBy.drop(change, account, at, source, seq)
      records.excerpts.drop(change, account, at, source, seq)
    }
    for (const page of read) {
      if (!page) continue
      records.readPages.drop(change, account, page.value.id)
      for (let index = 0; index < page.value.pieces; index++)
        records.pagePieces.drop(change, account, page.value.id, index)
    }
    await records.commit(change)
  }
}
