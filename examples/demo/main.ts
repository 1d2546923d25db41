import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createPlatform, type Platform, type Principal } from 'seine'
import { createSignInCodes } from 'seine/console'
import { createClient, type Client, type Execution, type RecipeInput } from 'seine/client'
import { serve, type NodeServer } from 'seine/node'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { createProgress, table } from './show.ts'
import { startShop, type Shop } from './shop.ts'

// The demo: a shop, the platform beside it, and one task over HTTP from its creation to a file.
//   npm start [-- --once] [-- --port N]

const OWNER: Principal = { account: 'default', user: 'demo', scopes: ['*'] }
const KEY_NAME = 'npm start'
const FILE = 'demo.csv'

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { once: { type: 'boolean', default: false }, port: { type: 'string' } },
  })
  mkdirSync('.seine', { recursive: true, mode: 0o700 })
  const codes = createSignInCodes()
  const platform = createPlatform({
    console: { home: true, exchange: async (code) => codes.take(code) },
    store: createSqliteStore({ path: '.seine/seine.db' }),
    blobs: createFileBlobs({ dir: '.seine/blobs' }),
    // The shop is on this machine. Leave this out where strangers may write recipes.
    allowPrivateNetwork: true,
  })
  const shop = await startShop({ latencyMs: 40 })
  try {
    const server = await listen(platform, values.port)
    try {
      const key = await newKey(platform)
      console.log(
        `\nlistening ${server.url}\nconsole ${server.url}/console#code=${codes.issue(key)}\ndocs ${server.url}/docs`,
      )
      await demonstrate(server, shop, key)
      if (!values.once) await interrupted()
    } finally {
      await server.close()
    }
  } finally {
    await shop.close()
    await platform.close()
  }
}

async function interrupted(): Promise<void> {
  console.log('\nServing until Ctrl-C.')
  await new Promise<void>((resolve) =>
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve()),
  )
}

async function demonstrate(server: NodeServer, shop: Shop, key: string): Promise<void> {
  const client = createClient({ baseUrl: server.url, apiKey: key })
  console.log(`\nA demo shop is at ${shop.url} (3 categories, ${shop.products.length} products)\n`)

  const task = await client.tasks.create({ name: 'Demo shop', recipe: recipeFor(shop) })
  const { id } = await client.executions.start(task.id)
  console.log(`Task ${task.id} runs as execution ${id}`)
  const execution = await finished(client, id)
  if (execution.status !== 'succeeded')
    throw new Error(
      `The execution is ${execution.status}: ${execution.reason?.message ?? 'no reason given'}`,
    )

  const { items } = await client.results.list(id, { limit: 8 })
  const columns = ['sku', 'name', 'price', 'rating', 'stock', 'category']
  const rows = table(items, columns, process.stdout.columns ?? 100)
  console.log(`\n${rows}… and ${execution.counters.rows - items.length} more rows`)
  await writeFile(FILE, (await client.results.export(id, { format: 'csv' })).body)
  console.log(
    `\nAll ${execution.counters.rows} rows are in ${FILE}\n\n${whatNext(server.url, shop, key, task.id, id)}`,
  )
}

function recipeFor(shop: Shop): RecipeInput {
  return {
    start: { urls: [`${shop.url}/`] },
    follow: [
      { links: 'nav.categories a', as: 'category', on: 'start' },
      { next: 'a.next', on: 'category' },
      { links: '.product-link', as: 'product', on: 'category' },
    ],
    extract: {
      on: 'product',
      fields: {
        sku: { jsonld: '$..sku' },
        name: 'h1',
        price: { css: '.price', as: 'number' },
        currency: { jsonld: '$..priceCurrency' },
        rating: { jsonld: '$..ratingValue', as: 'number' },
        stock: '.stock',
        category: '.breadcrumb a:last-of-type',
        description: '.description',
        image: { css: '.photo', attr: 'src', as: 'url' },
        url: { url: true },
      },
    },
    output: { unique: ['sku'] },
  }
}

async function finished(client: Client, id: string): Promise<Execution> {
  const progress = createProgress(process.stdout)
  try {
    for await (const execution of client.executions.follow(id)) {
      progress.update(execution)
      if (execution.finishedAt !== null || execution.status === 'paused') return execution
    }
  } finally {
    progress.end()
  }
  throw new Error(`Execution ${id} has no end`)
}

/** A key for this run; the one of the run before no longer works. */
async function newKey({ api }: Platform): Promise<string> {
  const keys = await api.keys.list(OWNER, { limit: 100 })
  for (const key of keys.items)
    if (key.name === KEY_NAME && key.revokedAt === null) await api.keys.revoke(OWNER, key.id)
  return (await api.keys.create(OWNER, { name: KEY_NAME, scopes: ['*'] })).secret
}

/** On port 3000, or on a free one if that is taken and none was asked for. */
async function listen(platform: Platform, port: string | undefined): Promise<NodeServer> {
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) <= 65_535))
    throw new Error(`--port must be a number from 0 to 65535, not "${port}"`)
  try {
    return await serve({ platform, port: Number(port ?? 3000) })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    if (port !== undefined) throw new Error(`Port ${port} is in use`, { cause: error })
    return serve({ platform, port: 0 })
  }
}

function whatNext(url: string, shop: Shop, key: string, task: string, execution: string): string {
  const curl = 'curl -H "X-API-Key: $KEY"'
  return `Try next:
  KEY=${key}
  ${curl} ${url}/api/v1/tasks
  ${curl} "${url}/api/v1/executions/${execution}/results?limit=3&fields=name,price"
  ${curl} "${url}/api/v1/executions/${execution}/pages?limit=5"
  ${curl} -OJ "${url}/api/v1/executions/${execution}/results/export?format=jsonl"
  ${curl} -X POST ${url}/api/v1/tasks/${task}/executions
  npm run -s seine -- extract ${shop.url}/category/pens --pages 3 --allow-private-network`
}

try {
  await main()
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
