import { createPlatform, silent, sqlite } from './platform.ts'

/** The input of a contender: the store, and its content. */
export interface Fixture {
  /** The SQLite file. */
  readonly store: string
  /** A key that may read tasks. */
  readonly secret: string
  /** A key that may do something else only. */
  readonly narrow: string
  readonly task: string
}

/** Makes a store with an account, two keys and a task of about 700 bytes. */
export async function makeFixture(store: string): Promise<Fixture> {
  const platform = createPlatform({
    store: sqlite.createSqliteStore({ path: store }),
    logger: silent,
    allowPrivateNetwork: true,
  })
  const owner = { account: 'bench', user: 'bench', scopes: ['*'] }
  const { secret } = await platform.api.keys.create(owner, {
    name: 'reader',
    scopes: ['tasks:read', 'executions:read'],
  })
  const { secret: narrow } = await platform.api.keys.create(owner, {
    name: 'analyst',
    scopes: ['analytics:read'],
  })
  const task = await platform.api.tasks.create(owner, {
    name: 'Offers of the shop',
    labels: ['shop', 'daily'],
    recipe: {
      start: { urls: ['https://shop.example/list?page={1..20}'] },
      follow: [
        { links: 'a.product', as: 'detail' },
        { next: 'a.next', maxPages: 50 },
      ],
      crawl: { scope: 'host', maxDepth: 3, maxPages: 1000, concurrency: 8 },
      extract: {
        on: 'detail',
        fields: {
          title: 'h1',
          price: { css: '.price', as: 'number' },
          sku: { css: '.sku' },
          image: { css: 'img', attr: 'src', as: 'url' },
        },
      },
    },
  })
  // The first use of a key is noted in its record, and not again within the hour, so that no contender
  // has to write it.
  for (const key of [secret, narrow])
    await platform.fetch(
      new Request(`http://bench/api/v1/tasks/${task.id}`, { headers: { 'x-api-key': key } }),
    )
  await platform.close()
  return { store, secret, narrow, task: task.id }
}
