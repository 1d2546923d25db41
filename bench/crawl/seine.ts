import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type * as Seine from 'seine'
import type * as SeineNode from 'seine/node'
import type * as Sqlite from 'seine/sqlite'
import type * as Unstorage from 'seine/unstorage'
import { built } from '../built.ts'
import { contend } from '../contender.ts'
import type { Assignment } from '../contender.ts'

// The built package as a host uses it: SQLite for what must not be lost, files for bulk bytes, the
// HTTP contract in process.
const { createPlatform }: typeof Seine = await import(built('index.js'))
const { createPageThreads }: typeof SeineNode = await import(built('adapters/node/index.js'))
const { createSqliteStore }: typeof Sqlite = await import(built('adapters/sqlite/index.js'))
const { createFileBlobs }: typeof Unstorage = await import(built('adapters/unstorage/index.js'))

const FINISHED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out'])

/** Crawls the shop like the command `seine`, with at most so many threads for pages. */
export async function crawlWithSeine({ threads }: { threads: number }): Promise<void> {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--min-semi-space-size=8')
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
  await contend((assignment) => crawl(assignment, threads))
}

async function crawl(
  { origin, concurrency, products, out }: Assignment,
  threads: number,
): Promise<void> {
  const platform = createPlatform({
    processor: createPageThreads({ threads }),
    store: createSqliteStore({ path: 'seine.db' }),
    blobs: createFileBlobs({ dir: 'blobs' }),
    authenticators: [async () => ({ account: 'bench', user: 'bench', scopes: ['*'] })],
    allowPrivateNetwork: true,
    rateLimits: false,
  })
  const call = async (path: string, body?: object): Promise<Response> => {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const response: Response = await platform.fetch(
      new Request(`http://bench/api/v1/${path}`, init),
    )
    if (!response.ok)
      throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return response
  }
  const data = async (response: Response): Promise<{ id: string; status: string }> =>
    (await response.json()).data

  const task = await data(
    await call('tasks', { name: 'Shop', recipe: recipe(origin, concurrency, products) }),
  )
  const { id } = await data(await call(`tasks/${task.id}/executions`, {}))
  const stop = new AbortController()
  const working: Promise<void> = platform.worker.run({ signal: stop.signal })
  let execution = await data(await call(`executions/${id}`))
  while (!FINISHED.has(execution.status)) {
    await Promise.race([sleep(50), working])
    execution = await data(await call(`executions/${id}`))
  }
  stop.abort()
  await working
  if (execution.status !== 'succeeded')
    throw new Error(`The execution ended as ${JSON.stringify(execution)}`)
  const { body } = await call(`executions/${id}/results/export?format=jsonl`)
  if (!body) throw new Error('The export has no body')
  await writeFile(out, body)
  await platform.close()
}

function recipe(origin: string, concurrency: number, products: number) {
  return {
    start: { urls: [`${origin}/`] },
    follow: [
      { links: 'a.category-link', as: 'list', on: 'start' },
      { links: 'a.product-link', as: 'detail', on: 'list' },
      { next: 'a.next', on: 'list', maxPages: 100_000 },
    ],
    crawl: {
      scope: 'host',
      maxDepth: 5,
      maxPages: Math.min(1_000_000, products * 2 + 1_000),
      concurrency,
    },
    extract: {
      on: 'detail',
      fields: {
        title: 'h1.item-name',
        price: { css: '.offer .price', as: 'number' },
        sku: '.facts .sku',
        rating: { css: '.stars', attr: 'data-value' },
        description: '.about > p',
      },
    },
  }
}
