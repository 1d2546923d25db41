import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import type { StoreFailureReason } from '../../../src/kernel/failures.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createOperatorHost } from '../../support/worlds/operator-host.ts'

const BEAT_MS = 15_000

/** A store whose lists of one account wait while it is shut. */
function gatedStore(account: string) {
  const inner = createMemoryStore()
  let gate: PromiseWithResolvers<void> | null = null
  const counts = { lists: 0 }
  const store: Store = {
    get: (keys) => inner.get(keys),
    async list(range) {
      counts.lists++
      if (range.prefix[0] === account && gate !== null) await gate.promise
      return inner.list(range)
    },
    commit: (change) => inner.commit(change),
    close: () => inner.close(),
  }
  return {
    store,
    counts,
    shut: () => void (gate = Promise.withResolvers()),
    open() {
      gate?.resolve()
      gate = null
    },
  }
}

async function startVerification(
  { host, key }: Awaited<ReturnType<typeof createOperatorHost>>,
  query = '',
): Promise<Response> {
  return host.send('GET', `/api/v1/operator/verification${query}`, { key })
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))

test('a server verifies its data account by account, and says that it was all', async () => {
  const operators = await createOperatorHost()
  const { host } = operators
  await host.executionWith([[{ title: 'Pen' }]])
  const whole = await startVerification(operators)
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines = linesOf(await whole.text())
  expect(lines.slice(0, -1)).toMatchObject([
    { account: 'acme', ok: false },
    { account: 'staff', ok: true, differences: [], more: 0 },
    { account: SYSTEM, ok: true },
  ])
  expect(lines.at(-1)).toEqual({ ok: false, accounts: 3 })
  const one = linesOf(await (await startVerification(operators, '?account=staff')).text())
  expect(one).toMatchObject([
    { account: 'staff', ok: true },
    { ok: true, accounts: 1 },
  ])
})

test('differences are reported and not repaired: 100 of them, and the number of the rest', async () => {
  const operators = await createOperatorHost()
  const { host } = operators
  await host.keyOf('beta')
  await host.store.commit({
    set: Array.from({ length: 115 }, (_, index) => ({
      key: ['beta', 'executions/status', 'queued', `exec_${index}`],
      value: 1,
    })),
  })
  for (let times = 0; times < 2; times++) {
    const [line] = linesOf(await (await startVerification(operators, '?account=beta')).text())
    expect(line).toMatchObject({ account: 'beta', ok: false, more: 15 })
    expect(line).toHaveProperty(
      'differences',
      Array.from({ length: 100 }, () =>
        expect.objectContaining({ area: 'indexes', account: 'beta', repaired: false }),
      ),
    )
  }
})

test('nobody but an operator verifies, and an account without a record is 404', async () => {
  const { host, ask } = await createOperatorHost()
  const key = await host.keyOf('beta', ['*'])
  const path = '/api/v1/operator/verification'
  expect((await host.call('GET', path, { key })).status).toBe(403)
  expect((await ask('GET', '/verification?account=nobody')).status).toBe(404)
  expect((await ask('GET', `/verification?account=${SYSTEM}`)).status).toBe(404)
})

test('while a long verification goes on its reader gets signs of life, and others get 409', async () => {
  const gated = gatedStore('beta')
  const operators = await createOperatorHost({ store: gated.store })
  const { host } = operators
  await host.keyOf('beta')
  gated.shut()
  const response = await startVerification(operators)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toMatch(/^\{"account":"acme",/)
  const next = reader?.read()
  await host.clock.advance(BEAT_MS)
  expect((await next)?.value).toBe('\n')
  expect((await startVerification(operators, '?account=staff')).status).toBe(409)
  gated.open()
  const rest: string[] = []
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    rest.push(part.value)
  expect(rest.join('')).toMatch(/^\{"account":"beta",.*\}\n[^]*\n\{"ok":true,"accounts":4\}\n$/)
  expect((await startVerification(operators, '?account=staff')).status).toBe(200)
})

test('a reader that leaves ends the verification, and the next one may begin', async () => {
  const gated = gatedStore('beta')
  const operators = await createOperatorHost({ store: gated.store })
  const { host } = operators
  for (const account of ['beta', 'delta', 'gamma']) await host.keyOf(account)
  gated.shut()
  const pending = startVerification(operators)
  await host.clock.advance(BEAT_MS)
  const response = await pending
  const left = response.body?.cancel()
  gated.open()
  await host.clock.advance(BEAT_MS)
  await left
  const { lists } = gated.counts
  await host.clock.advance(BEAT_MS)
  expect(gated.counts.lists).toBe(lists)
  const again = await startVerification(operators, '?account=staff')
  expect(again.status).toBe(200)
  expect(linesOf(await again.text())).toHaveLength(2)
})

/** A store whose lists of one account, or of the accounts after it, cannot be read. */
function damagedStore(isDamaged: (prefix: string, after: string) => boolean) {
  const inner = createMemoryStore()
  let reason: StoreFailureReason | null = null
  const store: Store = {
    get: (keys) => inner.get(keys),
    async list(range) {
      const { prefix, after = [] } = range
      if (reason !== null && isDamaged(String(prefix[0] ?? ''), String(after[0] ?? '')))
        throw new StoreFailure(reason)
      return inner.list(range)
    },
    commit: (change) => inner.commit(change),
    close: () => inner.close(),
  }
  return { store, damage: (why: StoreFailureReason) => void (reason = why) }
}

test('an account whose records are damaged has a line that says so, and the others follow', async () => {
  const damaged = damagedStore((prefix) => prefix === 'beta')
  const operators = await createOperatorHost({ store: damaged.store })
  await operators.host.keyOf('beta')
  damaged.damage('damaged')
  const response = await startVerification(operators)
  expect(response.status).toBe(200)
  const message = 'Data of the store is damaged: restore a backup'
  expect(linesOf(await response.text())).toMatchObject([
    { account: 'acme' },
    { account: 'beta', ok: false, differences: [{ area: 'store', account: 'beta', message }] },
    { account: 'staff', ok: true },
    { account: SYSTEM, ok: true },
    { ok: false, accounts: 4 },
  ])
})

test('if the accounts after one cannot be found, the platform has a difference that says why', async () => {
  const damaged = damagedStore((prefix, after) => prefix === '' && after !== '')
  const operators = await createOperatorHost({ store: damaged.store })
  damaged.damage('failing')
  const lines = linesOf(await (await startVerification(operators)).text())
  const message = 'The disk reports errors'
  expect(lines.slice(-2)).toMatchObject([
    { account: SYSTEM, ok: false, differences: [{ area: 'store', message }] },
    { ok: false, accounts: 1 },
  ])
})

test('a store that is away for now ends the verification, which can be tried again', async () => {
  const damaged = damagedStore((prefix) => prefix === 'acme' || prefix === 'staff')
  const operators = await createOperatorHost({ store: damaged.store })
  damaged.damage('unreachable')
  const response = await startVerification(operators, '?account=staff')
  expect(response.status).toBe(503)
})

test('a verification takes no turn of the downloads', async () => {
  const operators = await createOperatorHost()
  const { pieces } = operators.host.core.shares
  // All turns of the process: eight, four of an account.
  const names = ['one', 'two'].flatMap((name) => Array.from({ length: 4 }, () => name))
  const leaves = await Promise.all(names.map((name) => pieces.enter(name)))
  const response = await startVerification(operators, '?account=staff')
  expect(linesOf(await response.text())).toHaveLength(2)
  for (const leave of leaves) leave()
})
