import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import type { HistoryStore } from './places.ts'
import { openPostgresPlace } from './postgres-place.ts'
import { openRedisPlace } from './redis-place.ts'
import { openSqlitePlace } from './sqlite-place.ts'
import { bundleWithBug } from './planted.ts'
import { runMany } from './run-many.ts'

// Random transactions by several processes on a real store, with faults, and a check of what they
// saw: npm run histories -- --store sqlite|redis|postgres [--runs 50] [--seed 1] [--bug NAME] [--bail]
// D1 and Durable Objects: npm run histories:cloudflare -- --store d1|object …
// What is drawn follows from the seed. When it happens does not, as the store is real.

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    runs: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
    bail: { type: 'boolean', default: false },
  },
})

const STORES: Readonly<Record<string, (script: string) => Promise<HistoryStore>>> = {
  sqlite: openSqlitePlace,
  redis: openRedisPlace,
  postgres: openPostgresPlace,
}

const open = STORES[values.store]
if (!open) throw new Error(`--store is one of ${Object.keys(STORES).join(', ')}`)
const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))
const script = values.bug === undefined ? worker : await bundleWithBug(worker, values.bug)
await runMany(await open(script), {
  runs: Number(values.runs),
  seed: Number(values.seed),
  bail: values.bail,
})
