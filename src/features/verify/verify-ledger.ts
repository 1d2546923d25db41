import { eachPage } from '../../records/paginate.ts'
import type { LedgerEntry } from '../ledger/records.ts'
import type { Records } from '../records.ts'
import type { SpendingPart, SpendingPoint } from '../billing/records.ts'
import type { Stored } from '../../records/collection.ts'
import type { Pace } from '../../kernel/pace.ts'
import { Replay, Months } from './replay.ts'
import type { OpenHold } from './replay.ts'
import type { Findings } from './findings.ts'
import { Faults, readUntilStable } from './findings.ts'

const PARTS = ['kind', 'outcome', 'day', 'task'] as const satisfies readonly SpendingPart[]
/** Sums of one read. */
const SUMS = 1_000

/**
 * Recomputes an account's money from its entries alone, and compares it with wallet, holds,
 * statements and sums. Beyond `mostSums`, the entries of each month are read again for its sums.
 */
export async function verifyLedger(
  records: Records,
  account: string,
  findings: Findings,
  mostSums?: number,
): Promise<void> {
  let counted = 0
  let months = new Months(records, account, mostSums)
  const statementFaults = new Map<string, Faults>()
  const { pace } = findings
  const faults = await readUntilStable(async () => {
    const before = await records.wallets.get(account)
    // A second entry of a cause is found when the causes are checked, because each cause names one
    // entry.
    const replay = new Replay(findings.faults(), pace, false)
    const ofLedger = findings.faults()
    const causes = findings.faults()
    months = new Months(records, account, mostSums)
    counted = 0
    for await (const page of eachPage(records.ledger, account)) {
      counted += page.length
      for (const { value } of page) {
        replay.add(value)
        months.add(value, replay.credits)
        const rest = pace.step()
        if (rest) await rest
      }
      await addWrongCauses(causes, records, account, page)
    }
    await addLostEntries(causes, records, account)
    // The spending comes from the entries. The counters of running executions are compared with
    // their entries later, one by one.
    const holds: OpenHold[] = []
    for await (const page of eachPage(records.holds, account))
      for (const { value } of page) holds.push({ ...value, spent: replay.spentBy(value.execution) })
    if (before) await replay.compare(before.value, holds)
    statementFaults.clear()
    let count = 0
    for await (const page of eachPage(records.statements, account))
      for (const { value } of page) {
        const ofMonth = months.faultsOf(value)
        statementFaults.set(value.period, ofMonth)
        count += ofMonth.count
        const rest = pace.step()
        if (rest) await rest
      }
    const after = await records.wallets.get(account)
    ofLedger.addAll(replay.faults)
    ofLedger.addAll(causes)
    if (!before && counted > 0) ofLedger.add('there are entries, and no wallet')
    return {
      faults: { ofLedger, count: count + ofLedger.count },
      stood: before?.version === after?.version,
    }
  })
  findings.checked('ledger', counted)
  findings.checked('statements', statementFaults.size)
  findings.checked('spending', months.names.length)
  if (faults === null) return findings.unsettled('ledger')
  await findings.add('ledger', account, 'wallet and entries', faults.ofLedger)
  for (const [period, wrong] of statementFaults)
    await findings.add('statements', account, period, wrong)
  for (const period of months.names) await verifySums(records, account, period, months, findings)
}

/**
 * Verifies the sums of a month against its entries. An open month may get entries during the check.
 * It is then read again alone.
 */
async function verifySums(
  records: Records,
  account: string,
  period: string,
  earlier: Months,
  findings: Findings,
): Promise<void> {
  const { pace } = findings
  let first: Months | null = earlier.hasSums(period) ? earlier : null
  const faults = await readUntilStable(async () => {
    const before = await sumsOf(records, account, period, pace)
    const months = first ?? new Months(records, account, Infinity)
    const { credits } = new Replay()
    if (!first)
      for await (const page of eachPage(records.ledger, account, [period]))
        for (const { value } of page) {
          months.add(value, credits)
          const rest = pace.step()
          if (rest) await rest
        }
    const differing = findings.faults()
    await addDiffering(differing, before, await months.sumsOf(period, pace), pace)
    let stood = false
    // The first comparison uses entries that were read earlier.
    if (first === null && differing.count > 0) {
      const moved = new Faults(0)
      await addDiffering(moved, before, await sumsOf(records, account, period, pace), pace)
      stood = moved.count === 0
    }
    first = null
    return { faults: differing, stood }
  })
  if (faults === null) findings.unsettled('spending')
  else await findings.add('spending', account, period, faults)
}

async function sumsOf(
  records: Records,
  account: string,
  period: string,
  pace: Pace,
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>()
  for (const part of PARTS) {
    for (let after: SpendingPoint | undefined; ;) {
      const points = await records.spending.read(account, period, part, SUMS, after)
      for (const { name, metric, value } of points) sums.set(`${part}/${name}/${metric}`, value)
      const rest = pace.step()
      if (rest) await rest
      after = points.at(-1)
      if (points.length < SUMS) break
    }
  }
  return sums
}

async function addDiffering(
  faults: Faults,
  stated: ReadonlyMap<string, number>,
  summed: ReadonlyMap<string, number>,
  pace: Pace,
): Promise<void> {
  for (const names of [stated, summed])
    for (const name of names.keys()) {
      const [sum = 0, expected = 0] = [stated.get(name), summed.get(name)]
      const isSecond = names === summed && stated.has(name)
      if (sum !== expected && !isSecond)
        faults.add(`${name} is ${sum}, its entries come to ${expected}`)
      const rest = pace.step()
      if (rest) await rest
    }
}

/** Each entry must be the one that its cause names, so that no cause has two. */
async function addWrongCauses(
  faults: Faults,
  records: Records,
  account: string,
  entries: readonly Stored<LedgerEntry>[],
): Promise<void> {
  const causes = await records.causes.getMany(
    account,
    entries.map(({ value }) => [value.cause]),
  )
  for (const [index, { value }] of entries.entries()) {
    const cause = causes[index]?.value
    if (!cause)
      faults.add(
        `entry ${value.id}: its cause ${value.cause} is not noted, so that it could come twice`,
      )
    else if (cause.entry !== value.id || cause.period !== value.period)
      faults.add(`entry ${value.id}: its cause ${value.cause} is noted for entry ${cause.entry}`)
  }
}

/** Causes whose entry is missing. */
async function addLostEntries(faults: Faults, records: Records, account: string): Promise<void> {
  for await (const page of eachPage(records.causes, account)) {
    const entries = await records.ledger.getMany(
      account,
      page.map(({ value }) => [value.period, value.entry]),
    )
    for (const [index, { value }] of page.entries())
      if (!entries[index]) faults.add(`entry ${value.entry} of ${value.cause} is gone`)
  }
}
