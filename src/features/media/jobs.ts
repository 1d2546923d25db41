import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import type { Core } from '../core.ts'
import { mediaBlob } from './records.ts'

/**
 * The jobs of media. `media-erase` erases the bytes of a deleted item. If the same content was
 * stored again, it usually has another blob. But if a page that was read before the deletion has
 * stored it, the blob is the same, and its bytes stay. `execution-media` deletes the items that the
 * rows of an execution name.
 */
export function mediaJobs(core: Core): JobHandlers {
  const { records, blobs } = core
  return {
    async 'media-erase'(data) {
      const target = jobFields(data, 'account', 'media', 'blob')
      if (!target) return 'done'
      const present = await records.media.get(target.account, target.media)
      if (!present || mediaBlob(present.value) !== target.blob) await blobs.remove(target.blob)
      return 'done'
    },
    async 'execution-media'(data, { signal }) {
      const target = jobFields(data, 'account', 'execution')
      if (!target) return 'done'
      const { deleteItemsOf } = await import('./delete-items.ts')
      await deleteItemsOf(core, target.account, target.execution, signal)
      return 'done'
    },
  }
}
