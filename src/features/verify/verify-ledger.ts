import { eachPage } from '../../records/paginate.ts'
import type { HoldRecord, LedgerEntry } from '../ledger/records.ts'
import type { Records } from '../records.ts'
import type { SpendingPart } from '../billing/records.ts'
import type { Stored } from '../../records/collection.ts'
import { Replay, Months } from './replay.ts'
import type { Findings } from './findings.ts'
import { readUntilStable } from './findings.ts'

const PARTS = ['kind', 'outcome', 'day', 'task'] as const satisfies readonly SpendingPart[]
const ALL_SUMS = 1_000_000

/**
 * Recomputes an account's money from its entries alone, and compares it with wallet, holds,
 * statements and sums.
 */
export async function verifyLedger(
  records: Records,
  account: string,
  findings: Findings,
): Promise<void> {
  let counted = 0
  let months = new Months(records, account)
  const statementFaults = new Map<string, readonly string[]>()
  const faults = await readUntilStable(async () => {
    const before = await records.wallets.get(account)
    const replay = new Replay()
    const causes: string[] = []
    months = new Months(records, account)
    counted = 0
    for await (const page of eachPage(records.ledger, account)) {
      counted += page.length
      for (const { value } of page) {
        replay.add(value)
        months.add(value, replay.credits)
      }
      causes.push(...(await wrongCauses(records, account, page)))
    }
    causes.push(...(await lostEntries(records, account)))
    const holds: Stored<HoldRecord>[] = []
    for await (const page of eachPage(records.holds, account)) holds.push(...page)
    // Uses the spending by the entries. The counters of running executions are compared with their
    // entries later, one by one.
    if (before)
      replay.compare(
        before.value,
        holds.map(({ value: { execution, reserved } }) => ({
          execution,
          reserved,
          spent: replay.spentBy(execution),
        })),
      )
    statementFaults.clear()
    for await (const page of eachPage(records.statements, account))
      for (const { value } of page) statementFaults.set(value.period, months.faultsOf(value))
    const after = await records.wallets.get(account)
    const ledgerFaults = [
      ...replay.faults,
      ...causes,
      ...(before || counted === 0 ? [] : ['there are entries, and no wallet']),
    ]
    return {
      faults: [...ledgerFaults, ...[...statementFaults.values()].flat()],
      stood: before?.version === after?.version,
    }
  })
  findings.checked('ledger', counted)
  findings.checked('statements', statementFaults.size)
  findings.checked('spending', months.names.length)
  if (faults === null) return findings.unsettled('ledger')
  const ofStatements = [...statementFaults.values()].flat().length
  findings.add(
    'ledger',
    account,
    'wallet and entries',
    faults.slice(0, faults.length - ofStatements),
  )
  for (const [period, wrong] of statementFaults) findings.add('statements', account, period, wrong)
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
  let first: Months | null = earlier
  const faults = await readUntilStable(async () => {
    const before = await sumsOf(records, account, period)
    const months = first ?? new Months(records, account)
    const replay = new Replay()
    if (!first)
      for await (const page of eachPage(records.ledger, account, [period]))
        for (const { value } of page) months.add(value, replay.credits)
    // The first comparison uses entries that were read earlier.
    const stood = first === null && sameSums(before, await sumsOf(records, account, period))
    first = null
    return { faults: differing(before, months.sumsOf(period)), stood }
  })
  if (faults === null) findings.unsettled('spending')
  else findings.add('spending', account, period, faults)
}

async function sumsOf(
  records: Records,
  account: string,
  period: string,
): Promise<ReadonlyMap<string, number>> {
  const points = (
    await Promise.all(PARTS.map((part) => records.spending.read(account, period, part, ALL_SUMS)))
  ).flat()
  return new Map(
    points.map(({ part, name, metric, value }) => [`${part}/${name}/${metric}`, value]),
  )
}

function sameSums(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return differing(a, b).length === 0
}

function differing(
  stated: ReadonlyMap<string, number>,
  summed: ReadonlyMap<string, number>,
): string[] {
  return [...new Set([...stated.keys(), ...summed.keys()])].flatMap((name) => {
    const [sum = 0, expected = 0] = [stated.get(name), summed.get(name)]
    return sum === expected ? [] : [`${name} is ${sum}, its entries come to ${expected}`]
  })
}

/** Each entry must be the one that its cause names, so that no cause has two. */
async function wrongCauses(
  records: Records,
  account: string,
  entries: readonly Stored<LedgerEntry>[],
): Promise<string[]> {
  const causes = await records.causes.getMany(
    account,
    entries.map(({ value }) => [value.cause]),
  )
  return entries.flatMap(({ value }, index) => {
    const cause = causes[index]?.value
    if (!cause)
      return [
        `entry ${value.id}: its cause ${value.cause} is not noted, so that it could come twice`,
      ]
    return cause.entry === value.id && cause.period === value.period
      ? []
      : [`entry ${value.id}: its cause ${value.cause} is noted for entry ${cause.entry}`]
  })
}

/** Causes whose entry is missing. */
async function lostEntries(records: Records, account: string): Promise<string[]> {
  const lost: string[] = []
  for await (const page of eachPage(records.causes, account)) {
    const entries = await records.ledger.getMany(
      account,
      page.map(({ value }) => [value.period, value.entry]),
    )
    for (const [index, { value }] of page.entries())
      if (!entries[index]) lost.push(`entry ${value.entry} of ${value.cause} is gone`)
  }
  return lost
}
