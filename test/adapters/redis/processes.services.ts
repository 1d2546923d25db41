import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createRedisStore } from '../../../adapters/redis/index.ts'
import type { Store } from '../../../src/ports/store.ts'
import { fillBank, SUM, sumOfBank } from '../../support/bank.ts'
import { startChild } from '../../support/child.ts'
import { openRedis } from '../../support/redis/open.ts'

const TRANSFERS = fileURLToPath(new URL('./transfers.ts', import.meta.url))
const TAKE_ALL = fileURLToPath(new URL('./take-all.ts', import.meta.url))
const { port, client, prefix } = openRedis()

async function bank(): Promise<{ name: string; store: Store }> {
  const name = prefix()
  const store = createRedisStore({ client, prefix: name })
  await fillBank(store)
  return { name, store }
}

it('is shared by several processes without a lost or a doubled write', async () => {
  const { name, store } = await bank()
  const processes = ['a', 'b', 'c'].map((one) => startChild(TRANSFERS, String(port), name, one, '300'))
  for (const { output } of processes) output.resume()
  const all = Promise.all(processes.map(async ({ ended, errors }) => ({ code: await ended, errors: errors() })))
  const over = new AbortController()
  void all.finally(() => over.abort())
  let mine = 0
  while (!over.signal.aborted) {
    await store.commit({ add: [{ key: ['moved'], amount: 1 }] })
    mine++
    expect(await sumOfBank(store)).toBe(SUM)
  }
  expect(await all).toEqual(processes.map(() => ({ code: 0, errors: '' })))
  expect((await store.get([['moved'], ['done', 'a'], ['done', 'b'], ['done', 'c']])).map((entry) => entry?.value)).toEqual([900 + mine, 300, 300, 300])
  expect(await store.list({ prefix: ['log'], limit: 2_000 })).toHaveLength(900)
})

it('has every commit that was told, whole, after a kill -9 of its client at any moment', async () => {
  const { name, store } = await bank()
  let told = 0
  for (let round = 0; round < 3; round++) {
    const child = startChild(TRANSFERS, String(port), name, `r${round}`)
    let last = 0
    for await (const line of createInterface(child.output)) {
      last = Number(line)
      if (last === 20 + round * 17) child.process.kill('SIGKILL')
    }
    expect(child.errors()).toBe('')
    const [moved, done] = await store.get([['moved'], ['done', `r${round}`]])
    expect(Number(done?.value)).toBeGreaterThanOrEqual(last)
    expect(Number(moved?.value)).toBe(told + Number(done?.value))
    told = Number(moved?.value)
    expect(await store.list({ prefix: ['log', `r${round}`], limit: 10_000 })).toHaveLength(Number(done?.value))
    expect(await sumOfBank(store)).toBe(SUM)
  }
})

it('lets through no more from four processes than from one', async () => {
  const name = prefix()
  const children = Array.from({ length: 4 }, () => startChild(TAKE_ALL, String(port), name, '60'))
  const allowed = await Promise.all(children.map(({ output }) => text(output)))
  expect(children.map(({ errors }) => errors())).toEqual(['', '', '', ''])
  expect(allowed.reduce((sum, one) => sum + Number(one), 0)).toBe(100)
})
