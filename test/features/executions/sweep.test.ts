import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { sweep } from '../../../src/features/executions/sweep.ts'
import { createRecords } from '../../../src/features/records.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { FaultStore, playEach } from '../../support/stores/fault-store.ts'

const EXECUTION = 'exec_1'
const NOW = 1_800_000_000_000
const clock = { now: () => NOW }
const never = new AbortController().signal
const member = { execution: EXECUTION, hand: 'h', until: 0, reports: 0, turn: 0 }

it('the sweep leaves no record of a shared run, whichever delivery is overtaken by another', async () => {
  const { scenarios, broken } = await playEach('stall-before', async (k) => {
    const base = createMemoryStore()
    const records = createRecords(base)
    const begun = new Change()
    records.sharedRuns.put(begun, 'acme', { execution: EXECUTION, closed: false })
    records.calls.put(begun, SYSTEM, { execution: EXECUTION, account: 'acme' })
    records.memberships.put(begun, 'acme', member)
    await base.commit(begun.toCommit())
    // The process stalls before its k-th commit. Another one does the whole sweep. Then the stalled
    // process makes that commit, and dies.
    const death = new AbortController()
    const faulty = new FaultStore(base, k, 'stall-before', {
      onStall: async () => {
        await sweep({ records, clock }, 'acme', EXECUTION, never)
        death.abort(new Error('died'))
      },
    })
    await sweep({ records: createRecords(faulty), clock }, 'acme', EXECUTION, death.signal).catch(
      (error: unknown) => {
        if (!death.signal.aborted) throw error
      },
    )
    // The helper may be writing a page, which another sweep finds.
    const [late] = await base.list({ prefix: [SYSTEM, 'outbox'], limit: 10 })
    expect(late?.value).toMatchObject({ id: `sweep:${EXECUTION}:late`, at: NOW + 600_000 })
    await base.commit({ delete: late ? [late.key] : [] })
    const left = [
      ...(await base.list({ prefix: ['acme'], limit: 10 })),
      ...(await base.list({ prefix: [SYSTEM], limit: 10 })),
    ]
    return { fired: faulty.fired, broken: left.map(({ key }) => `${key.join('/')} is left`) }
  })
  expect(broken).toEqual([])
  expect(scenarios).toBeGreaterThan(1)
})

it('another sweep follows although the first one dies after any of its commits', async () => {
  const { scenarios, broken } = await playEach('crash-after', async (k) => {
    const base = createMemoryStore()
    const records = createRecords(base)
    const begun = new Change()
    records.sharedRuns.put(begun, 'acme', { execution: EXECUTION, closed: false })
    records.memberships.put(begun, 'acme', member)
    await base.commit(begun.toCommit())
    const faulty = new FaultStore(base, k, 'crash-after')
    const dying = sweep({ records: createRecords(faulty), clock }, 'acme', EXECUTION, never)
    await dying.catch(() => undefined)
    await sweep({ records, clock }, 'acme', EXECUTION, never)
    const late = await records.outbox.get(SYSTEM, `sweep:${EXECUTION}:late`)
    return { fired: faulty.fired, broken: late === null ? ['no late sweep'] : [] }
  })
  expect(broken).toEqual([])
  expect(scenarios).toBeGreaterThan(1)
})
