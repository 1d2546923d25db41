import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { deleteItem } from '../../../src/features/media/delete-items.ts'
import { eraseLooseMedia } from '../../../src/features/media/erase-loose.ts'
import { addPut } from '../../../src/features/media/puts.ts'
import { mediaBlob } from '../../../src/features/media/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

test('two blobs of one content are both erased', async () => {
  const clock = createFakeClock()
  const records = createRecords(createMemoryStore({ clock }))
  const content = { id: 'med_a', sha256: 'a', owner: 'own' }
  const change = new Change()
  // A process of an earlier version has committed a page with deleted content.
  records.media.put(change, 'acme', {
    ...content,
    kind: 'image',
    contentType: 'image/png',
    bytes: 1,
    width: null,
    height: null,
    sourceUrl: 'https://a.example.com/',
    firstSeenAt: 0,
  })
  records.mediaDeletions.put(change, 'acme', { id: content.id, count: 1 })
  addPut(records, change, 'acme', { ...content, execution: 'exe_gone', generation: 1 })
  await records.commit(change)
  await deleteItem({ records, clock }, 'acme', content.id, {})
  await eraseLooseMedia({ records, clock }, 'acme', 'exe_gone', new AbortController().signal)
  const jobs = await records.outbox.list(SYSTEM, { limit: 10 })
  expect(jobs.map(({ value }) => value.data)).toEqual([
    expect.objectContaining({ blob: mediaBlob(content) }),
    expect.objectContaining({ blob: mediaBlob({ ...content, generation: 1 }) }),
  ])
})
