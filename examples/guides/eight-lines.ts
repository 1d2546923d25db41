import { createPlatform } from 'seine'

const platform = createPlatform() // in memory: give it a store to keep what it finds
const ann = { account: 'acme', user: 'ann', scopes: ['*'] }
const start = { urls: ['https://pencil.example/category/pens'] }
const { id } = await platform.api.executions.run(ann, { recipe: { start, extract: 'auto' } })
await platform.worker.tick({ budgetMs: 60_000 }) // a server calls worker.run() instead
for (const row of (await platform.api.results.list(ann, id)).items) console.log(row['title'])
await platform.close()
