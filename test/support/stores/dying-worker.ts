// A separate process that works on executions, one of which has a page that kills the process. Its
// arguments: the folder of its data, and `start` to begin the executions first.
import { createPlatform } from 'seine'
import type { Principal } from 'seine'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'

const [, , folder = '', order = ''] = process.argv
const owner: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }
const encoder = new TextEncoder()
const silent = { debug() {}, info() {}, warn() {}, error() {} }

const platform = createPlatform({
  store: createSqliteStore({ path: `${folder}/seine.db` }),
  blobs: createFileBlobs({ dir: `${folder}/blobs` }),
  logger: silent,
  rateLimits: false,
  worker: { leaseMs: 300, concurrency: 4 },
  fetcher: {
    capabilities: { pinsAddresses: true },
    resolve: async () => ['93.184.216.34'],
    async send({ url }) {
      if (url.pathname === '/kill') process.abort()
      return {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: encoder.encode(url.pathname === '/robots.txt' ? '' : `<h1>${url.pathname}</h1>`),
        truncated: false,
      }
    },
    close: async () => {},
  },
})

const recipe = (host: string, pages: number, last: string) => ({
  start: {
    urls: [
      ...Array.from({ length: pages }, (_, i) => `https://${host}/${i}`),
      `https://${host}/${last}`,
    ],
  },
  crawl: { concurrency: 2 },
  extract: { fields: { title: 'h1' } },
})

if (order === 'start') {
  const tasks = [
    recipe('honest-1.com', 30, 'end'),
    recipe('guilty.com', 5, 'kill'),
    recipe('honest-2.com', 30, 'end'),
  ]
  for (const [i, one] of tasks.entries()) {
    const task = await platform.api.tasks.create(owner, { name: `Task ${i}`, recipe: one })
    await platform.api.executions.start(owner, task.id)
  }
}
process.stdout.write('begun\n')
const stop = new AbortController()
const running = platform.worker.run({ signal: stop.signal })
for (;;) {
  const { items } = await platform.api.executions.list(owner, { limit: 10 })
  if (items.every(({ finishedAt }) => finishedAt !== null)) break
  await new Promise((resolve) => setTimeout(resolve, 50))
}
stop.abort()
await running
await platform.worker.tick()
const { items } = await platform.api.executions.list(owner, { limit: 10 })
const verified = await platform.verify()
process.stdout.write(
  JSON.stringify({
    executions: items.map(({ status, reason, counters }) => ({
      status,
      reason: reason?.code ?? null,
      rows: counters.rows,
    })),
    ok: verified.ok,
  }) + '\n',
)
await platform.close()
