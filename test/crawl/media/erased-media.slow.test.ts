import { expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../src/kernel/time.ts'
import { OWNER } from '../../support/worlds/world.ts'
import { PICTURES, slowPage } from './slow-page.ts'

test('bytes without a note, which are erased during a slow page, are fetched again', async () => {
  const { world, refused, quick, begin, goOn, expectWhole } = slowPage()
  refused.add('media')
  const loose = await quick()
  refused.add('media-puts')
  const { id, work } = await begin()
  await world.platform.api.executions.cancel(OWNER, loose)
  refused.clear()
  await goOn(40 * MINUTE_MS)
  await work
  await goOn(HOUR_MS)
  await expectWhole(id, { reads: 2, blob: '1' })
})

test('an item that is deleted soon before the end of a page is copied', async () => {
  const { quick, begin, goOn, expectWhole, deleteFirst } = slowPage()
  await quick()
  const { id, work } = await begin()
  await goOn(10 * MINUTE_MS)
  await deleteFirst()
  await goOn(40 * MINUTE_MS)
  await work
  await goOn(HOUR_MS)
  await expectWhole(id, { reads: 1, blob: '1' })
})

test('the note of another blob than the stored one stays until the end', async () => {
  const { quick, begin, goOn, expectWhole, deleteFirst, dropped } = slowPage()
  const { id, work } = await begin()
  await quick()
  await deleteFirst()
  await quick()
  await goOn(40 * MINUTE_MS)
  await work
  expect(dropped()).toBe(PICTURES - 1)
  await goOn(HOUR_MS)
  await expectWhole(id, { reads: 1, blob: '1' })
})

test('the commit of a page drops the notes of its items', async () => {
  const { begin, goOn, expectWhole, dropped } = slowPage()
  const { id, work } = await begin()
  await goOn(40 * MINUTE_MS)
  await work
  expect(dropped()).toBe(PICTURES)
  await expectWhole(id, { reads: 1 })
})

test('bytes of a deleted item wait for a run that has stored the same', async () => {
  const { quick, begin, goOn, expectWhole, deleteFirst } = slowPage()
  const { id, work } = await begin()
  await quick()
  await deleteFirst()
  await goOn(40 * MINUTE_MS)
  await work
  await goOn(HOUR_MS)
  await expectWhole(id, { reads: 1, blob: '1' })
})

test('bytes that a finished run has left loose stay for a run that has stored the same', async () => {
  const { world, refused, quick, begin, goOn, expectWhole } = slowPage()
  refused.add('media')
  const loose = await quick()
  const { id, work } = await begin()
  await world.platform.api.executions.cancel(OWNER, loose)
  refused.clear()
  await goOn(40 * MINUTE_MS)
  await work
  await goOn(HOUR_MS)
  await expectWhole(id, { reads: 1 })
})

test('an item that is deleted long before the end of a page is fetched again', async () => {
  const { quick, begin, goOn, expectWhole, deleteFirst } = slowPage()
  await quick()
  const { id, work } = await begin()
  await deleteFirst()
  await goOn(40 * MINUTE_MS)
  await work
  await goOn(HOUR_MS)
  await expectWhole(id, { reads: 2, blob: '1' })
})
