import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import type { D1Database, D1Statement } from '../../../adapters/cloudflare/index.ts'
import { doOrder } from '../../histories/do-order.ts'
import type { HistoryStore, OpenedStore } from '../../histories/places.ts'
import { bundleWithBug, plantPlugin } from '../../histories/planted.ts'
import type * as D1Bundle from './d1-store.ts'
import { storeBehind } from '../contracts/store-behind.ts'
import { COMPATIBILITY_DATE } from '../run-worker.ts'

const RESTART = 'kill -9 workerd and restart'

/** D1, or Durable Objects, in the workerd of Miniflare, with several clients of this process. */
export async function openCloudflarePlace(
  kind: 'd1' | 'object',
  bug: string | null,
): Promise<HistoryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'seine-histories-'))
  const pathOf = (name: string): string => join(import.meta.dirname, name)
  const { outputFiles } = await build({
    entryPoints: [pathOf('../hosts/worker-histories.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    plugins: [plantPlugin(bug)],
    logLevel: 'error',
  })
  const start = (): Miniflare =>
    new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]?.text ?? '' }],
      compatibilityDate: COMPATIBILITY_DATE,
      d1Databases: ['DB'],
      d1Persist: join(folder, 'd1'),
      durableObjects: { SEINE: { className: 'HistoryObject', useSQLite: true } },
      durableObjectsPersist: join(folder, 'objects'),
    })
  let current = start()
  await current.ready
  const { createD1Store }: typeof D1Bundle = await import(
    bug === null
      ? './d1-store.ts'
      : pathToFileURL(await bundleWithBug(pathOf('d1-store.ts'), bug)).href
  )
  const open = async (place: string): Promise<OpenedStore> => {
    const store =
      kind === 'd1'
        ? createD1Store({ database: movingDatabase(() => current.getD1Database('DB')) })
        : storeBehind({
            async fetch(request) {
              const { status, ...response } = await current
                .dispatchFetch('http://object.example.com', {
                  method: 'POST',
                  headers: { 'x-place': place },
                  body: await request.text(),
                })
                .then(async (one) => ({ status: one.status, text: await one.text() }))
              return new Response(response.text, { status })
            },
          })
    return { store, close: () => store.close() }
  }
  return {
    staleReads: false,
    faults: [RESTART],
    start: () => ({
      run: (order, note) => doOrder(order, open, note),
      kill: async () => {},
      close: async () => {},
    }),
    open,
    async prepare() {
      if (kind === 'object') return
      // All runs have one database; an object is made for each.
      const { store, close } = await open('')
      const entries = await store.list({ prefix: ['list'], limit: 1_000 })
      await store.commit({ delete: entries.map(({ key }) => key) })
      await close()
    },
    async cause() {
      // Miniflare ends workerd by SIGKILL.
      await current.dispose()
      current = start()
      await current.ready
    },
    async close() {
      await current.dispose()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Words extends D1Statement {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** A database whose statements belong to the workerd that runs when they are sent. */
function movingDatabase(databaseNow: () => Promise<D1Database>): D1Database {
  const words = new WeakMap<D1Statement, Pick<Words, 'sql' | 'values'>>()
  const statementOf = (sql: string, values: readonly unknown[]): D1Statement => {
    const statement: D1Statement = {
      bind: (...bound) => statementOf(sql, bound),
      all: async () =>
        (await databaseNow())
          .prepare(sql)
          .bind(...values)
          .all(),
    }
    words.set(statement, { sql, values })
    return statement
  }
  return {
    prepare: (sql) => statementOf(sql, []),
    async batch(statements) {
      const database = await databaseNow()
      return database.batch(
        statements.map((statement) => {
          const { sql = '', values = [] } = words.get(statement) ?? {}
          return database.prepare(sql).bind(...values)
        }),
      )
    },
  }
}
