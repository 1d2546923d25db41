import { Change } from '../../records/change.ts'
import { eachPage, FEW } from '../../records/paginate.ts'
import type { HoldingKind } from '../limits/records.ts'
import type { Records } from '../records.ts'
import { recount } from '../limits/holdings.ts'
import { bytesOf } from '../limits/stored-bytes.ts'
import type { Findings } from './findings.ts'
import { readUntilStable } from './findings.ts'

const KINDS: readonly HoldingKind[] = ['keys', 'tasks', 'datasets']

/** A stored count, and the count computed from the records. */
interface Count {
  readonly subject: string
  /** `version` changes with the count. `null`: it was never counted. */
  read(): Promise<{ readonly version: string; readonly is: number; readonly should: number } | null>
  /**
   * Counts again and writes the count. `false`: not repaired, for example because a record changed
   * in the meantime.
   */
  mend(): Promise<boolean>
}

/**
 * Counts what an account has, and compares the result with its counters. If repair is on, wrong
 * counts are written again.
 */
export async function verifyHoldings(
  records: Records,
  account: string,
  findings: Findings,
  repair: boolean,
): Promise<void> {
  for (const count of [
    ...KINDS.map((kind) => countOf(records, account, kind)),
    webhookListOf(records, account),
    bytesOfAll(records, account),
  ]) {
    const faults = await readUntilStable(async () => {
      const counted = await count.read()
      const differences = findings.faults()
      if (!counted || counted.is === counted.should) return { faults: differences, stood: true }
      differences.add(`it is counted as ${counted.is}, the records come to ${counted.should}`)
      return {
        faults: differences,
        stood: (await count.read())?.version === counted.version,
      }
    })
    findings.checked('holdings')
    if (faults === null) findings.unsettled('holdings')
    else if (faults.count > 0)
      await findings.add('holdings', account, count.subject, faults, repair && (await count.mend()))
  }
}

function countOf(records: Records, account: string, kind: HoldingKind): Count {
  return {
    subject: kind,
    async read() {
      const stored = await records.holdings.get(account, kind)
      return (
        stored && {
          version: stored.version,
          is: stored.value.count,
          should: await recount(records, account, kind),
        }
      )
    },
    async mend() {
      const stored = await records.holdings.get(account, kind)
      if (!stored) return false
      const count = await recount(records, account, kind)
      const change = new Change()
      records.holdings.update(change, account, stored, { kind, count })
      return records.commit(change)
    },
  }
}

/** The count of webhooks is the length of the list of their ids. */
function webhookListOf(records: Records, account: string): Count {
  const idsOf = async (): Promise<string[]> => {
    const ids: string[] = []
    for await (const page of eachPage(records.webhooks, account))
      ids.push(...page.map(({ value }) => value.id))
    return ids
  }
  return {
    subject: 'webhooks',
    async read() {
      const list = await records.webhookLists.get(account, 'all')
      return (
        list && {
          version: list.version,
          is: list.value.ids.length,
          should: (await idsOf()).length,
        }
      )
    },
    async mend() {
      const [list, ids] = [await records.webhookLists.get(account, 'all'), await idsOf()]
      if (!list) return false
      const change = new Change()
      records.webhookLists.require(change, account, list)
      records.webhookLists.put(change, account, { ids })
      return records.commit(change)
    },
  }
}

/**
 * The bytes that were counted at storing must equal those of the existing executions, media, items
 * and changes.
 */
function bytesOfAll(records: Records, account: string): Count {
  const sums = async (): Promise<{ counted: number; bytes: number }> => {
    const sum = { counted: 0, bytes: 0 }
    for await (const page of eachPage(records.progress, account)) {
      for (const { value } of page) {
        sum.counted += value.countedStored ?? 0
        sum.bytes += bytesOf(value)
      }
    }
    for await (const page of eachPage(records.media, account)) {
      for (const { value } of page) {
        sum.counted += value.counted ? value.bytes : 0
        sum.bytes += value.bytes
      }
    }
    for (const pages of [
      eachPage(records.items, account, [], FEW),
      eachPage(records.itemChanges, account, [], FEW),
    ]) {
      for await (const page of pages) {
        for (const { value } of page) {
          sum.counted += value.bytes ?? 0
          sum.bytes += value.bytes ?? 0
        }
      }
    }
    return sum
  }
  return {
    subject: 'bytes',
    async read() {
      const base = await records.storedBases.get(account, 'blobs')
      const counter = await records.storedBytes.read(account)
      const { counted, bytes } = await sums()
      // Without a base, no earlier bytes were counted and nothing was deleted.
      if (!base) return { version: String(counter), is: counter, should: counted }
      return {
        version: `${base.version} ${counter}`,
        is: base.value.bytes + counter,
        should: bytes,
      }
    },
    // This count is not repaired, because executions add to it at any moment.
    mend: async () => false,
  }
}
