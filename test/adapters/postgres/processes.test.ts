import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import type { Store } from '../../../src/ports/store.ts'
import { fillBank, SUM, sumOfBank } from '../../support/bank.ts'
import { openPostgres } from '../../support/postgres/open.ts'

const SCRIPT = fileURLToPath(new URL('./transfers.ts', import.meta.url))
const { host, sql, schema } = await openPostgres()

async function bank(): Promise<{ schema: string; store: Store }> {
  const name = schema()
  const store = createPostgresStore({ client: sql, schema: name })
  await fillBank(store)
  return { schema: name, store }
}

/** Starts a process that makes transfers; `errors` tells what went wrong. */
function start(schemaName: string, name: string, count?: number): { child: ChildProcess; errors: () => string; ended: Promise<unknown> } {
  const child = spawn(process.execPath, ['--no-warnings', SCRIPT, host, schemaName, name, ...(count === undefined ? [] : [String(count)])])
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  return { child, errors: () => errors, ended: once(child, 'exit').then(([code]) => code) }
}

it('is shared by several processes without a lost or a doubled write', async () => {
  const { schema: name, store } = await bank()
  const processes = ['a', 'b', 'c'].map((one) => start(name, one, 200))
  processes.forEach(({ child }) => child.stdout?.resume())
  const all = Promise.all(processes.map(async ({ ended, errors }) => ({ code: await ended, errors: errors() })))
  let mine = 0
  const over = new AbortController()
  void all.finally(() => over.abort())
  while (!over.signal.aborted) {
    await store.commit({ add: [{ key: ['moved'], amount: 1 }] })
    mine++
    expect(await sumOfBank(store)).toBe(SUM)
  }
  expect(await all).toEqual(processes.map(() => ({ code: 0, errors: '' })))
  expect((await store.get([['moved'], ['done', 'a'], ['done', 'b'], ['done', 'c']])).map((entry) => entry?.value)).toEqual([600 + mine, 200, 200, 200])
  expect(await store.list({ prefix: ['log'], limit: 2_000 })).toHaveLength(600)
})

it('has every commit that was told, whole, after a kill -9 of its client at any moment', async () => {
  const { schema: name, store } = await bank()
  let told = 0
  for (let round = 0; round < 3; round++) {
    const { child, errors } = start(name, `r${round}`)
    if (!child.stdout) throw new Error('The process has no output')
    let last = 0
    for await (const line of createInterface(child.stdout)) {
      last = Number(line)
      if (last === 20 + round * 17) child.kill('SIGKILL')
    }
    expect(errors()).toBe('')
    // What the dead client had sent may still be under way: it is done when its connections are gone.
    await expect.poll(() => sql`SELECT 1 FROM pg_stat_activity WHERE query LIKE ${`%"${name}"%`} AND pid <> pg_backend_pid() AND state = 'active'`).toHaveLength(0)
    const [moved, done] = await store.get([['moved'], ['done', `r${round}`]])
    expect(Number(done?.value)).toBeGreaterThanOrEqual(last)
    expect(Number(moved?.value)).toBe(told + Number(done?.value))
    told = Number(moved?.value)
    expect(await store.list({ prefix: ['log', `r${round}`], limit: 10_000 })).toHaveLength(Number(done?.value))
    expect(await sumOfBank(store)).toBe(SUM)
  }
})
