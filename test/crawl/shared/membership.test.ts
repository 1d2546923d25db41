import { expect, it } from 'vitest'
import { Fence } from '../../../src/crawl/commit/fence.ts'
import { AssignmentStore } from '../../../src/crawl/shared/assignments.ts'
import { Membership } from '../../../src/crawl/shared/membership.ts'
import type { Report } from '../../../src/crawl/shared/membership.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import type { Store } from '../../../src/ports/store.ts'
import { ACCOUNT, EXECUTION, openRun } from '../../support/worlds/open-run.ts'

const reportOf = (id: string): Report => ({ id, done: { media: null }, next: 0, spacing: 0 })

/** A member whose store makes one commit, and is away before it can answer. */
async function openMember() {
  const connection = { isAway: false, leavesNext: false }
  const demand = (): void => {
    if (connection.isAway) throw new StoreFailure('unreachable')
  }
  const run = await openRun(
    { start: { urls: ['https://shop.example.com/'] }, extract: { fields: { id: 'h1' } } },
    (store): Store => ({
      get: async (keys) => (demand(), store.get(keys)),
      list: async (range) => (demand(), store.list(range)),
      close: () => store.close(),
      commit: async (change) => {
        demand()
        const isWritten = await store.commit(change)
        connection.isAway = connection.leavesNext
        demand()
        return isWritten
      },
    }),
  )
  const { records, clock } = run
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  const both = { records, clock, account: ACCOUNT, execution: EXECUTION }
  await new AssignmentStore({ ...both, blobs: createMemoryBlobs(), fence }).open()
  const shared = await records.sharedRuns.get(ACCOUNT, EXECUTION)
  const options = { ...both, membership: 'helper', leaseMs: 60_000 }
  const membership = shared && (await Membership.join(options, shared))
  if (!membership) throw new Error('The helper could not join')
  return {
    membership,
    records,
    clock,
    /** Its call writes, but the store is away for all tries that follow. */
    async loseAnswer(call: () => Promise<unknown>): Promise<void> {
      connection.leavesNext = true
      await expect(clock.runUntil(call())).rejects.toThrow(StoreFailure)
      Object.assign(connection, { isAway: false, leavesNext: false })
    },
  }
}

it('visits of a helper while its store was away are reported once, also after a lost answer', async () => {
  const { membership, records, loseAnswer } = await openMember()
  await loseAnswer(() => membership.report([reportOf('0')]))
  expect(await membership.report([reportOf('0'), reportOf('1')])).toBe(true)
  const within = [EXECUTION, 'helper']
  const reports = await records.reports.list(ACCOUNT, { within, limit: 10 })
  expect(reports.map(({ value }) => value.id)).toEqual(['0', '1'])
  expect(reports.map(({ value }) => value.number)).toEqual([0, 1])
})

it('a helper that leaves after a lost answer has left', async () => {
  const { membership, records, loseAnswer } = await openMember()
  await loseAnswer(() => membership.report([]))
  await membership.leave([])
  const stored = await records.memberships.get(ACCOUNT, EXECUTION, 'helper')
  expect(stored?.value.until).toBe(0)
})
