import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { rowsFolder } from '../../../src/features/executions/records.ts'
import type { Commit, Store } from '../../../src/ports/store.ts'
import { createOperatorHost } from '../../support/worlds/operator-host.ts'

const REASON = { reason: 'Asked for by the customer' }

test('an account is erased once it is closed, with one entry in the log, and stays closed', async () => {
  const { host, ask } = await createOperatorHost()
  const key = await host.keyOf('beta')
  const others = (await host.store.list({ prefix: ['acme'], limit: 500 })).length
  const erase = () => ask('POST', '/accounts/beta/erase', REASON)
  expect((await ask('POST', '/accounts/nobody/erase', REASON)).status).toBe(404)
  expect((await erase()).status).toBe(409)
  await ask('POST', '/accounts/beta/suspend', REASON)
  expect((await erase()).body.error.message).toContain('Close the account beta first')
  await ask('POST', '/accounts/beta/close', REASON)
  const { status, body } = await erase()
  expect([status, body.data]).toEqual([200, { id: 'beta', records: expect.any(Number), blobs: 0 }])
  expect(body.data.records).toBeGreaterThan(1)
  expect(await host.store.list({ prefix: ['beta'], limit: 1 })).toEqual([])
  expect(await host.store.list({ prefix: ['acme'], limit: 500 })).toHaveLength(others)
  expect((await host.call('GET', '/api/v1/tasks', { key })).status).toBe(401)
  expect((await ask('GET', '/accounts/beta')).status).toBe(404)
  // Again is not an error: the first may have been cut short.
  expect((await erase()).body.data).toEqual({ id: 'beta', records: 0, blobs: 0 })
  const { items } = (await ask('GET', '/log?operation=operator.erase')).body.data
  expect(items).toMatchObject([
    { account: 'beta', changed: false, ...REASON },
    { account: 'beta', changed: true, ...REASON },
  ])
})

/** A store that calls `meet` before each commit; what that throws is the end of the commit. */
function watchedStore() {
  const inner = createMemoryStore()
  const watch: { meet: (commit: Commit) => Promise<void> } = { meet: async () => undefined }
  const store: Store = {
    get: (keys) => inner.get(keys),
    list: (range) => inner.list(range),
    async commit(change) {
      await watch.meet(change)
      return inner.commit(change)
    },
    close: () => inner.close(),
  }
  return { store, watch }
}

/** A closed account, of which each commit that deletes something of it is met. */
async function closedAccount() {
  const { store, watch } = watchedStore()
  const { host, ask } = await createOperatorHost({ store })
  await host.keyOf('beta')
  await ask('POST', '/accounts/beta/close', REASON)
  const meet = (work: (commit: Commit) => Promise<void>) =>
    void (watch.meet = async (commit) => {
      if (commit.delete?.some(({ 0: owner }) => owner === 'beta')) await work(commit)
    })
  return {
    host,
    ask,
    watch,
    meet,
    erase: (body = REASON) => ask('POST', '/accounts/beta/erase', body),
    left: async () => (await store.list({ prefix: ['beta'], limit: 500 })).length,
    acts: async () =>
      (await ask('GET', '/log?operation=operator.erase')).body.data.items.map(
        ({ changed, reason }: { changed: boolean; reason: string }) => [changed, reason],
      ),
  }
}

const away = async () => {
  throw new Error('The store is away')
}

test('an erasure is in the log before the first deletion, however it ends', async () => {
  const { ask, meet, watch, erase, left, acts } = await closedAccount()
  watch.meet = async (commit) => {
    if (commit.set?.some(({ key }) => key[1] === 'operator-acts')) await away()
  }
  const before = await left()
  expect((await erase()).status).toBe(500)
  watch.meet = async () => undefined
  expect([await left(), await acts()]).toEqual([before, []])

  meet(away)
  expect((await erase()).status).toBe(500)
  expect(await acts()).toEqual([[true, REASON.reason]])
  watch.meet = async () => undefined
  for (const verb of ['resume', 'suspend']) {
    const { status, body } = await ask('POST', `/accounts/beta/${verb}`, REASON)
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('being erased')])
  }
  // The same caller goes on for the same reason: it is the same act.
  expect((await erase()).status).toBe(200)
  expect([await left(), await acts()]).toEqual([0, [[true, REASON.reason]]])
})

test('an erasure whose end was lost is completed by the next one, which has changed something', async () => {
  const { host, ask, watch, erase, left, acts } = await closedAccount()
  watch.meet = async ({ set = [] }) => {
    const state = set.find(({ key }) => key[1] === 'account-states')?.value
    if (state !== undefined && !Object.hasOwn(Object(state), 'erasing')) await away()
  }
  expect((await erase()).status).toBe(500)
  watch.meet = async () => undefined
  expect(await left()).toBe(0)
  const { body } = await erase({ reason: 'Another asks' })
  expect(body.data).toEqual({ id: 'beta', records: 0, blobs: 0 })
  expect(await acts()).toEqual([
    [true, 'Another asks'],
    [true, REASON.reason],
  ])
  // It is over: the name may be used again.
  await host.keyOf('beta')
  expect((await ask('POST', '/accounts/beta/resume', REASON)).status).toBe(200)
})

test('an account that is opened before the first deletion keeps all it has', async () => {
  const { ask, watch, erase, left, acts } = await closedAccount()
  const before = await left()
  watch.meet = async ({ set = [] }) => {
    if (!set.some(({ value }) => Object.hasOwn(Object(value), 'erasing'))) return
    watch.meet = async () => undefined
    expect((await ask('POST', '/accounts/beta/resume', REASON)).status).toBe(200)
  }
  expect((await erase()).status).toBe(409)
  expect([await left(), await acts()]).toEqual([before, []])
  expect((await ask('GET', '/accounts/beta')).body.data.state).toBe('active')
})

test('an erasure that another has taken over deletes nothing more, also once the account is open', async () => {
  const { host, ask, meet, watch, erase, left } = await closedAccount()
  let stored = 0
  meet(async () => {
    watch.meet = async () => undefined
    expect((await erase({ reason: 'Another asks' })).status).toBe(200)
    await host.keyOf('beta')
    expect((await ask('POST', '/accounts/beta/resume', REASON)).status).toBe(200)
    stored = await left()
  })
  const { status, body } = await erase()
  expect([status, body.error.message]).toEqual([409, expect.stringContaining('changed meanwhile')])
  expect(stored).toBeGreaterThan(0)
  expect(await left()).toBe(stored)
})

test('one of two equal erasures at once deletes, also if both continue one that was interrupted', async () => {
  for (const isCut of [false, true]) {
    const { meet, watch, erase, left, acts } = await closedAccount()
    if (isCut) {
      meet(away)
      expect((await erase()).status).toBe(500)
    }
    // Both have read the account before one of them notes that it erases.
    const gate = Promise.withResolvers<undefined>()
    let waiting = 0
    watch.meet = async ({ set = [] }) => {
      if (!set.some(({ value }) => Object.hasOwn(Object(value), 'erasing'))) return
      if (++waiting === 2) gate.resolve(undefined)
      await gate.promise
    }
    const both = await Promise.all([erase(), erase()])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect([await left(), await acts()]).toEqual([0, [[true, REASON.reason]]])
  }
})

test('an erasure that another has taken over deletes no more blobs', async () => {
  const { host, ask } = await createOperatorHost()
  const key = await host.keyOf('beta')
  const recipe = { start: { urls: ['https://shop.example.com/'] } }
  const { id } = (await host.call('POST', '/api/v1/executions', { key, body: { recipe } })).body
    .data
  await host.call('POST', `/api/v1/executions/${id}/cancel`, { key })
  for (const name of ['a', 'b', 'c', 'd'])
    await host.blobs.put(`${rowsFolder(id)}${name}.jsonl`, new Uint8Array(1))
  const removed: string[] = []
  const meeting = { remove: async () => undefined }
  const remove = host.blobs.remove.bind(host.blobs)
  host.blobs.remove = async (name) => {
    removed.push(name)
    await meeting.remove()
    return remove(name)
  }
  await ask('POST', '/accounts/beta/close', REASON)
  const erase = (body = REASON) => ask('POST', '/accounts/beta/erase', body)
  let others = 0
  meeting.remove = async () => {
    meeting.remove = async () => undefined
    expect((await erase({ reason: 'Another asks' })).status).toBe(200)
    others = removed.length
    return undefined
  }
  expect((await erase()).status).toBe(409)
  expect(others).toBe(5)
  expect(removed).toHaveLength(others)
})

test('an account whose runs have not ended is not erased', async () => {
  const { host, ask } = await createOperatorHost()
  const key = await host.keyOf('beta')
  const recipe = { start: { urls: ['https://shop.example.com/'] } }
  await host.call('POST', '/api/v1/executions', { key, body: { recipe } })
  await ask('POST', '/accounts/beta/close', REASON)
  const { status, body } = await ask('POST', '/accounts/beta/erase', REASON)
  expect([status, body.error.message]).toEqual([409, expect.stringContaining('Cancel its')])
  expect((await ask('GET', '/log?operation=operator.erase')).body.data.items).toEqual([])
})
