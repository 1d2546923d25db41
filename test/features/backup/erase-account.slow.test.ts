import { expect, test } from 'vitest'
import { eraseAccount, restoreBackup, writeBackup } from '../../../src/backup.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import type { World } from '../../support/worlds/world.ts'
import { CANARY, other, own, populated, rowsOf, traces } from './account-world.ts'
import { sqliteFile } from './backup-world.ts'

// Proves that no byte of an erased account is left: its name, pages, rows and media all contain a
// canary.

test('an erased account leaves no record, index entry or blob, and others keep theirs', async () => {
  const { store } = sqliteFile()
  const { world, othersRun } = await populated(store)
  const before = await traces(store, world.blobs)
  expect(before.length).toBeGreaterThan(100)
  const blobs = (await world.blobs.list('')).length
  const report = await eraseAccount({ store, blobs: world.blobs, account: CANARY })
  expect(report.records).toBeGreaterThan(100)
  expect(report.blobs).toBe(blobs - 1)
  expect(await traces(store, world.blobs)).toEqual([])
  expect(await world.blobs.list('')).toHaveLength(1)
  expect(await rowsOf(world, other, othersRun)).toHaveLength(1)
  expect(await world.platform.verify()).toMatchObject({ ok: true })
  // Nothing of the account comes back when work goes on.
  await world.clock.advance(48 * 3_600_000)
  await world.work()
  expect(await traces(store, world.blobs)).toEqual([])
  expect(await eraseAccount({ store, blobs: world.blobs, account: CANARY })).toEqual({
    records: 0,
    blobs: 0,
  })
})

/** How many traces there are of each owner and collection. */
async function tracesOf({ store, blobs }: World): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const trace of await traces(store, blobs)) {
    const key: unknown = trace.startsWith('[') ? JSON.parse(trace) : [trace]
    const name = Array.isArray(key) ? key.slice(0, 2).join(' ') : trace
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

test('after an operator has erased an account, only what the operator did to it names it', async () => {
  const clock = createFakeClock()
  const { store } = sqliteFile(clock)
  const { world, othersRun } = await populated(store, clock)
  const staff: Principal = { account: 'staff', user: 'staff', scopes: ['*', 'operator'] }
  const { secret } = await world.platform.api.keys.create(staff, {
    name: 'operator',
    scopes: ['operator'],
  })
  const act = async (verb: string, more = {}) => {
    const response = await world.platform.fetch(
      new Request(`http://localhost/api/v1/operator/accounts/${CANARY}/${verb}`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'The customer leaves', ...more }),
      }),
    )
    expect([verb, response.ok]).toEqual([verb, true])
  }
  for (const verb of ['suspend', 'resume', 'close', 'erase']) await act(verb)
  const operators = { '~ account-states': 1, '~ operator-acts': 4 }
  expect(await tracesOf(world)).toEqual({ ...operators, 'staff audit': 4 })
  expect(await rowsOf(world, other, othersRun)).toHaveLength(1)
  // Entries of the audit log expire; the state keeps the account closed, and the acts never expire.
  await clock.advance(91 * 24 * 3_600_000)
  await world.work()
  expect(await tracesOf(world)).toEqual(operators)
})

test('a job that waits and is requested again at the same time is imported once', async () => {
  const clock = createFakeClock()
  const { store } = sqliteFile(clock)
  await populated(store, clock)
  const records = createRecords(store)
  const [job] = await records.jobs.list(SYSTEM, { limit: 1 })
  if (!job) throw new Error('No job waits')
  const { id, kind, data, lane } = job.value
  const change = new Change()
  records.outbox.put(change, SYSTEM, { id, kind, data, lane, at: 0 })
  await records.commit(change)
  const to = createMemoryBlobs()
  await writeBackup({ store, blobs: createMemoryBlobs(), to, account: CANARY })
  const target = createMemoryStore({ clock })
  await restoreBackup({ store: target, blobs: createMemoryBlobs(), from: to })
  const requests = await createRecords(target).outbox.list(SYSTEM, { limit: 100 })
  expect(requests.filter(({ value }) => value.id === id)).toHaveLength(1)
})

test('an absent account cannot be exported, and an account with runs cannot be erased', async () => {
  const clock = createFakeClock()
  const { store } = sqliteFile(clock)
  const { world, task } = await populated(store, clock)
  const { blobs } = world
  await expect(
    writeBackup({ store, blobs, to: createMemoryBlobs(), account: 'nobody' }),
  ).rejects.toThrow('There is no account nobody in this store')
  const run = await world.platform.api.executions.start(own, task.id)
  await expect(eraseAccount({ store, blobs, account: CANARY })).rejects.toThrow(
    `Execution ${run.id} of ${CANARY} is queued. Cancel its executions first`,
  )
  await expect(eraseAccount({ store, blobs, account: '~' })).rejects.toThrow('the platform itself')
  await world.platform.api.executions.cancel(own, run.id)
  await world.work()
  await eraseAccount({ store, blobs, account: CANARY })
  expect(await traces(store, blobs)).toEqual([])
})
