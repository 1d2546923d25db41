import { setTimeout as pause } from 'node:timers/promises'
import { Luck } from '../simulate/luck.ts'
import { playClient } from './client.ts'
import type { Transaction } from './history.ts'
import type { HistoryOrder, OpenedStore } from './places.ts'

/** Between two tries of a server that is away; real servers need real time to come back. */
const PAUSE_MS = 20

/** Does an order, with clients that work at the same time. */
export async function doOrder(
  { place, clients, isShared, seed, keys, count }: HistoryOrder,
  open: (place: string) => Promise<OpenedStore>,
  note: (transaction: Transaction) => void,
): Promise<void> {
  const stores = await Promise.all((isShared ? [0] : clients).map(() => open(place)))
  try {
    await Promise.all(
      clients.map(async (client, i) => {
        const opened = stores[i] ?? stores[0]
        if (!opened) return
        await playClient({
          store: opened.store,
          client,
          luck: new Luck(seed * 1_000 + client),
          keys,
          count,
          now: microseconds,
          pause: () => pause(PAUSE_MS),
          note,
        })
      }),
    )
  } finally {
    await Promise.all(stores.map((opened) => opened.close()))
  }
}

/** The clock of the machine since it started, which is one for all its processes. */
function microseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
