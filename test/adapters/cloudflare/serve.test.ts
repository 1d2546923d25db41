import { expect, test } from 'vitest'
import type { EventContext, ObjectState } from '../../../adapters/cloudflare/bindings.ts'
import { serve } from '../../../adapters/cloudflare/serve.ts'
import { serveObject } from '../../../adapters/cloudflare/serve-object.ts'

// Proves what happens when work breaks off. test/runtimes proves what holds in workerd itself.
const broken = new Error('The store is away')
const platform = {
  fetch: async () => new Response('{}', { status: 201 }),
  worker: { tick: () => Promise.reject(broken) },
}
const write = () => new Request('https://data.example/', { method: 'POST', body: '{}' })

/** A context that collects the promises which an event leaves running. */
function createContext(): EventContext & { readonly left: Promise<unknown>[] } {
  const left: Promise<unknown>[] = []
  return { left, waitUntil: (promise) => void left.push(promise) }
}

test('a cron trigger whose work breaks off is reported, and fails', async () => {
  const errors: unknown[] = []
  const worker = serve({ platform: () => platform, onError: (error) => errors.push(error) })
  await expect(worker.scheduled({}, {}, createContext())).rejects.toBe(broken)
  expect(errors).toEqual([broken])
})

test('a write is answered although its work breaks off, and the error is reported', async () => {
  const errors: unknown[] = []
  const context = createContext()
  const worker = serve({ platform: () => platform, onError: (error) => errors.push(error) })
  expect((await worker.fetch(write(), {}, context)).status).toBe(201)
  expect(await Promise.allSettled(context.left)).toEqual([{ status: 'rejected', reason: broken }])
  expect(errors).toEqual([broken])
})

test('a write whose work is left to triggers begins none', async () => {
  const context = createContext()
  const worker = serve({ platform: () => platform, workAfterWrites: false })
  expect((await worker.fetch(write(), {}, context)).status).toBe(201)
  expect(context.left).toEqual([])
})

test('an alarm whose work breaks off is reported, fails, and rings again', async () => {
  const errors: unknown[] = []
  const alarms: number[] = []
  const storage = {
    sql: { exec: () => ({ toArray: () => [], rowsWritten: 0 }) },
    transactionSync: <T>(work: () => T) => work(),
    getAlarm: async () => null,
    setAlarm: async (time: number) => void alarms.push(time),
    deleteAll: async () => {},
  }
  const state: ObjectState & ReturnType<typeof createContext> = { ...createContext(), storage }
  const { PlatformObject } = serveObject({
    platform: () => platform,
    namespace: () => ({ getByName: () => ({ fetch: platform.fetch }) }),
    everyMs: 60_000,
    onError: (error) => errors.push(error),
  })
  const object = new PlatformObject(state, {})
  await Promise.all(state.left)
  expect(alarms).toHaveLength(1)
  await expect(object.alarm()).rejects.toBe(broken)
  expect(errors).toEqual([broken])
  expect(alarms).toHaveLength(2)
})
