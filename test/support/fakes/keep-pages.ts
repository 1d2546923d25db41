import { pagesBlob } from '../../../src/features/executions/page-records.ts'
import { packPage } from '../../../src/features/executions/pack-page.ts'
import { countStored } from '../../../src/features/limits/stored-bytes.ts'
import type { Records } from '../../../src/features/records.ts'
import { normaliseUrl } from '../../../src/kernel/url.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import { Change } from '../../../src/records/change.ts'

/** Changes the counters of an execution to those of one that has kept a page. */
export async function countKept(
  records: Records,
  account: string,
  execution: string,
): Promise<void> {
  const progress = await records.progress.get(account, execution)
  if (!progress) throw new Error('no such execution')
  const change = new Change()
  const keeping = { ...progress.value, kept: { pages: 1, bytes: 100, omitted: 0 } }
  records.progress.put(
    change,
    account,
    countStored(records, change, account, progress.value, keeping),
  )
  await records.commit(change)
}

/** Stores a kept page of an execution, in place of a run that fetches it. */
export async function keepPage(
  { records, blobs }: { readonly records: Records; readonly blobs: Blobs },
  account: string,
  execution: string,
  page: { readonly url: string; readonly html: string },
): Promise<void> {
  await countKept(records, account, execution)
  const url = normaliseUrl(page.url)
  if (url === null) throw new Error('no URL')
  const body = new TextEncoder().encode(page.html)
  const packed = await packPage({ url, contentType: 'text/html', body })
  const blob = pagesBlob(execution, '1')
  await blobs.put(blob, packed.body)
  const change = new Change()
  records.keptPages.put(change, account, {
    execution,
    number: 0,
    seq: 0,
    url,
    finalUrl: url,
    status: 200,
    contentType: packed.contentType,
    label: 'start',
    depth: 0,
    hop: 1,
    blob,
    offset: 0,
    length: packed.body.length,
  })
  await records.commit(change)
}
