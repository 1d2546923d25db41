import type { Anomaly, History, ListRead, Transaction } from './history.ts'

/** The order of the versions of each list: the longest that anybody has read. */
export type Orders = ReadonlyMap<string, readonly number[]>

/** Recovers the orders. Every other read must be a beginning of them. */
export function recoverOrders({ transactions, final }: History): Orders {
  const orders = new Map<string, readonly number[]>()
  for (const { key, values } of [...final, ...transactions.flatMap(({ reads }) => reads)])
    if (values.length > (orders.get(key)?.length ?? -1)) orders.set(key, values)
  return orders
}

/** Finds what is wrong with single reads, without a look at cycles. */
export function checkReads(history: History, orders: Orders): Anomaly[] {
  const { transactions, final } = history
  const anomalies: Anomaly[] = []
  const note = (kind: string, text: string): void => void anomalies.push({ kind, text })
  const writers = writersOf(transactions)
  for (const [key, order] of orders)
    if (new Set(order).size < order.length) note('duplicate append', `${key}: ${order.join(' ')}`)
  const check = (reader: string, { key, values }: ListRead, self: Transaction | null): void => {
    const order = orders.get(key) ?? []
    if (values.some((value, i) => value !== order[i]))
      note('incompatible order', `${reader} read ${key} as ${values.join(' ')}: ${order.join(' ')}`)
    for (const value of values) {
      const writer = writers.get(`${key} ${value}`)
      if (!writer) note('garbage', `${reader} read ${key} with ${value}, which nobody appended`)
      else if (writer.outcome === 'failed')
        note('G1a', `${reader} read ${key} with ${value} of ${writer.id}, which had failed`)
      else if (writer === self) note('own future', `${reader} read its own append ${value}`)
    }
    const last = values.at(-1)
    const writer = last === undefined ? undefined : writers.get(`${key} ${last}`)
    const later = writer?.appends.filter((append) => append.key === key).at(-1)?.value
    if (writer && writer !== self && later !== last)
      note(
        'G1b',
        `${reader} read ${key} up to ${last} of ${writer.id}, which appended ${later} too`,
      )
  }
  for (const one of transactions)
    for (const read of one.reads) check(`transaction ${one.id}`, read, one)
  for (const read of final) check('the last read', read, null)
  const left = new Map(final.map(({ key, values }) => [key, new Set(values)]))
  for (const { id, outcome, appends } of transactions)
    for (const { key, value } of outcome === 'ok' ? appends : [])
      if (!left.get(key)?.has(value))
        note('lost append', `${value} of transaction ${id} is not in ${key} at the end`)
  return anomalies
}

/** Each append with its transaction. */
export function writersOf(transactions: readonly Transaction[]): ReadonlyMap<string, Transaction> {
  return new Map(
    transactions.flatMap((one) =>
      one.appends.map(({ key, value }) => [`${key} ${value}`, one] as const),
    ),
  )
}
