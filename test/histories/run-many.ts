import type { HistoryStore } from './places.ts'
import { HistoryRuns } from './play.ts'

/**
 * Plays runs, and prints each anomaly and at last their count; the exit code is 1 if there are any.
 * `bail`: the first run with anomalies is the last.
 */
export async function runMany(
  store: HistoryStore,
  { runs, seed, bail }: { readonly runs: number; readonly seed: number; readonly bail: boolean },
): Promise<void> {
  const histories = new HistoryRuns(store)
  const faults: Record<string, number> = {}
  const outcomes = { ok: 0, failed: 0, unknown: 0 }
  let [played, broken] = [0, 0]
  try {
    for (let n = seed; n < seed + runs; n++) {
      const { fault, history, anomalies } = await histories.play(n)
      played++
      faults[fault ?? 'none'] = (faults[fault ?? 'none'] ?? 0) + 1
      for (const { outcome } of history.transactions) outcomes[outcome]++
      if (anomalies.length === 0) continue
      broken++
      for (const { kind, text } of anomalies.slice(0, 5))
        console.log(`seed ${n} (${fault ?? 'no fault'}): ${kind}: ${text.slice(0, 300)}`)
      if (bail) break
    }
  } finally {
    await histories.close()
    await store.close()
  }
  const counts = (record: Readonly<Record<string, number>>): string =>
    Object.entries(record)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')
  console.log(`faults: ${counts(faults)}; transactions: ${counts(outcomes)}`)
  console.log(`${played} runs, ${broken} with anomalies`)
  process.exitCode = broken === 0 ? 0 : 1
}
