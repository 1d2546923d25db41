import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { StoreFailure } from '../../src/kernel/failures.ts'
import { through } from '../support/stores/fault-store.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

const RECIPE = { start: { urls: ['https://a.com/'] }, extract: { fields: { title: 'h1' } } }

it.for([
  ['full', /no space left.*Reading still works/],
  ['readonly', /is read-only/],
  ['unreachable', /cannot be reached/],
  ['failing', /disk.*reports errors/],
  ['replaced', /deleted or replaced/],
] as const)('a write is 503 with the reason if the store fails: %s', async ([reason, message]) => {
  const base = createMemoryStore()
  let fails = false
  const { call, logged } = await createServiceHost({
    store: through(base, (change) =>
      fails ? Promise.reject(new StoreFailure(reason)) : base.commit(change),
    ),
  })
  fails = true
  const refused = await call('POST', '/api/v1/tasks', { body: { recipe: RECIPE } })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(refused.body.error).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(message),
  })
  expect(logged.filter(({ level }) => level === 'error')).toEqual([])
  expect((await call('GET', '/api/v1/tasks')).status).toBe(200)
  fails = false
  expect((await call('POST', '/api/v1/tasks', { body: { recipe: RECIPE } })).status).toBe(201)
})
