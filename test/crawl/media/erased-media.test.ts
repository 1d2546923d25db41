import { test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../src/kernel/time.ts'
import { OWNER } from '../../support/worlds/world.ts'
import { slowPage } from './slow-page.ts'

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
