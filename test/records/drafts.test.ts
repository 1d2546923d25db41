import { expect, test } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { Change } from '../../src/records/change.ts'
import { Drafts } from '../../src/records/drafts.ts'
import { createRecords } from '../../src/features/records.ts'

const DAY = '2026-01-01'

async function openDays() {
  const records = createRecords(createMemoryStore())
  const change = new Change()
  records.days.insert(change, 'acme', { day: DAY, taken: 5 })
  await records.commit(change)
  const write = async (drafts: Drafts<{ day: string; taken: number }>): Promise<boolean> => {
    const draftChange = new Change()
    drafts.write(draftChange)
    return records.commit(draftChange)
  }
  return { records, write, days: () => new Drafts(records.days, 'acme') }
}

test('a record is read once, and each change sees the result of the changes before it', async () => {
  const { records, days, write } = await openDays()
  const drafts = days()
  const [first, second] = await Promise.all([drafts.open(DAY), drafts.open(DAY)])
  first.value = { day: DAY, taken: 7 }
  expect(second.value).toEqual({ day: DAY, taken: 7 })
  second.value = { day: DAY, taken: 9 }
  const absent = await drafts.open('2026-01-02')
  expect(absent.value).toBeNull()
  absent.value = { day: '2026-01-02', taken: 1 }
  expect(await write(drafts)).toBe(true)
  expect((await records.days.list('acme', { limit: 5 })).map(({ value }) => value)).toEqual([
    { day: DAY, taken: 9 },
    { day: '2026-01-02', taken: 1 },
  ])
})

test('a record that another process changed is not overwritten; records that were only read may change', async () => {
  const { records, days, write } = await openDays()
  const [late, lateToo, reader] = [days(), days(), days()]
  const changed = await late.open(DAY)
  const inserted = await lateToo.open('2026-01-02')
  await reader.open(DAY)
  const meanwhile = days()
  ;(await meanwhile.open(DAY)).value = { day: DAY, taken: 6 }
  ;(await meanwhile.open('2026-01-02')).value = { day: '2026-01-02', taken: 2 }
  expect(await write(meanwhile)).toBe(true)
  changed.value = { day: DAY, taken: 99 }
  inserted.value = { day: '2026-01-02', taken: 99 }
  expect([await write(late), await write(lateToo), await write(reader)]).toEqual([
    false,
    false,
    true,
  ])
  expect((await records.days.list('acme', { limit: 5 })).map(({ value }) => value.taken)).toEqual([
    6, 2,
  ])
})
