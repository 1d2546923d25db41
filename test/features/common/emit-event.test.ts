import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { emitEvent } from '../../../src/features/common/events.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'

const facts = {
  account: 'acme',
  type: 'task.drift',
  id: 'evt_1',
  at: 7,
  data: { fields: ['price'] },
} as const

it('an event is part of the commit that causes it, and is there once however often it is emitted', async () => {
  const records = createRecords(createMemoryStore())
  const waiting = async () =>
    (await records.outbox.list(SYSTEM, { limit: 5 })).map(({ value }) => value)
  const refused = new Change().check(['acme', 'tasks', 'gone'], 'v1')
  emitEvent(records, refused, facts)
  expect([await records.commit(refused), await waiting()]).toEqual([false, []])
  for (let i = 0; i < 2; i++) {
    const change = new Change()
    emitEvent(records, change, { ...facts, taskId: null })
    expect(await records.commit(change)).toBe(true)
  }
  expect(await waiting()).toEqual([
    { id: 'event:evt_1', kind: 'event', data: { ...facts, taskId: null }, at: 0 },
  ])
})
