import { findCycles } from './cycles.ts'
import { findDependencies } from './dependencies.ts'
import { effective } from './history.ts'
import type { Anomaly, History, Promised } from './history.ts'
import { checkReads, recoverOrders } from './orders.ts'

// The rules of Elle for lists that are only appended to (Kingsbury and Alvaro, "Elle: Inferring
// Isolation Anomalies from Experimental Observations", 2020): a read of a list tells the order of
// all writes before it.

/**
 * All anomalies of a history. The Store port promises: a commit whose reads it checks is
 * serializable, what is acknowledged comes before what is called later, and one read shows whole
 * commits. So each of them is a fault of the store.
 */
export function checkHistory(history: History, promised: Promised): Anomaly[] {
  const orders = recoverOrders(history)
  const begins = Math.max(0, ...history.transactions.map(({ completed }) => completed)) + 1
  const last = {
    id: -1,
    process: 'the last read',
    outcome: 'ok',
    invoked: begins,
    completed: begins,
    reads: history.final,
    appends: [],
  } as const
  const transactions = [...effective(history), last]
  const dependencies = findDependencies(transactions, { orders, ...promised })
  const cycles = findCycles(dependencies).map(({ kind, path }) => ({
    kind,
    text: path
      .map(({ from, reason }) => `${transactions[from]?.id ?? ''} -${reason}->`)
      .concat(String(transactions[path[0]?.from ?? 0]?.id))
      .join(' '),
  }))
  return [...checkReads(history, orders), ...cycles]
}
