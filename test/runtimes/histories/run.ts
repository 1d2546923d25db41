import { parseArgs } from 'node:util'
import { runMany } from '../../histories/run-many.ts'
import { openCloudflarePlace } from './cloudflare-place.ts'

// npm run histories:cloudflare -- --store d1|object [--runs 50] [--seed 1] [--bug NAME] [--bail]

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'd1' },
    runs: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
    bail: { type: 'boolean', default: false },
  },
})
if (values.store !== 'd1' && values.store !== 'object')
  throw new Error('--store is one of d1, object')
const store = await openCloudflarePlace(values.store, values.bug ?? null)
await runMany(store, {
  runs: Number(values.runs),
  seed: Number(values.seed),
  bail: values.bail,
})
