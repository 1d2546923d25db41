import type { Promised, Transaction } from './history.ts'
import { writersOf } from './orders.ts'
import type { Orders } from './orders.ts'

/**
 * Why one transaction comes before another. `ww`: it appended just before; `wr`: the other read its
 * append; `rw`: it did not see the append of the other; `process`: one process did both in this
 * order; `realtime`: it had ended before the other began.
 */
export type Reason = 'ww' | 'wr' | 'rw' | 'process' | 'realtime'

/** One transaction must come before another. Numbers are places in the list of transactions. */
export interface Dependency {
  readonly from: number
  readonly to: number
  readonly reason: Reason
}

/** All dependencies of transactions that took place. */
export function findDependencies(
  transactions: readonly Transaction[],
  { orders, staleReads }: Promised & { readonly orders: Orders },
): Dependency[] {
  return [
    ...ofLists(transactions, orders),
    ...ofProcesses(transactions),
    ...ofTime(transactions, staleReads),
  ]
}

function ofLists(transactions: readonly Transaction[], orders: Orders): Dependency[] {
  const dependencies = new Map<string, Dependency>()
  const places = new Map(transactions.map((one, place) => [one, place]))
  const writers = writersOf(transactions)
  const writerOf = (key: string, value: number | undefined): number | undefined => {
    const writer = value === undefined ? undefined : writers.get(`${key} ${value}`)
    return writer && places.get(writer)
  }
  const add = (from: number | undefined, to: number | undefined, reason: Reason): void => {
    if (from === undefined || to === undefined || from === to) return
    dependencies.set(`${from} ${to} ${reason}`, { from, to, reason })
  }
  for (const [key, order] of orders)
    order.forEach((value, i) => add(writerOf(key, order[i - 1]), writerOf(key, value), 'ww'))
  transactions.forEach(({ reads }, place) => {
    for (const { key, values } of reads) {
      add(writerOf(key, values.at(-1)), place, 'wr')
      add(place, writerOf(key, orders.get(key)?.[values.length]), 'rw')
    }
  })
  return [...dependencies.values()]
}

function ofProcesses(transactions: readonly Transaction[]): Dependency[] {
  const lasts = new Map<string, number>()
  const dependencies: Dependency[] = []
  for (const place of byInvocation(transactions)) {
    const { process = '', completed = 0 } = transactions[place] ?? {}
    const last = lasts.get(process)
    if (last !== undefined) dependencies.push({ from: last, to: place, reason: 'process' })
    // One whose answer was lost may be written after the next one.
    if (completed < Number.POSITIVE_INFINITY) lasts.set(process, place)
  }
  return dependencies
}

/** Those that do not follow from others: nobody fits between the two. */
function ofTime(transactions: readonly Transaction[], staleReads: boolean): Dependency[] {
  const dependencies: Dependency[] = []
  transactions.forEach((to, toPlace) => {
    if (staleReads && to.appends.length === 0) return
    let latest = Number.NEGATIVE_INFINITY
    for (const { completed, invoked, appends } of transactions)
      if (completed < to.invoked && (!staleReads || appends.length > 0))
        latest = Math.max(latest, invoked)
    transactions.forEach(({ completed }, from) => {
      if (completed < to.invoked && completed >= latest)
        dependencies.push({ from, to: toPlace, reason: 'realtime' })
    })
  })
  return dependencies
}

function byInvocation(transactions: readonly Transaction[]): number[] {
  const places = transactions.map((_, place) => place)
  const timeOf = (place: number): number => transactions[place]?.invoked ?? 0
  return places.toSorted((a, b) => timeOf(a) - timeOf(b))
}
