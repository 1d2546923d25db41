import { createPlatform } from 'seine'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'

const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
})
const ann = { account: 'acme', user: 'ann', scopes: ['*'] }

const { id } = await platform.api.executions.run(ann, {
  recipe: { start: { urls: ['https://pencil.example/category/pens'] }, extract: 'auto' },
})
await platform.worker.tick({ budgetMs: 60_000 }) // a server calls worker.run() instead
const { items } = await platform.api.results.list(ann, id, { limit: 3 })
for (const row of items) console.log(row['title'], row['price'])
await platform.close()
