import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import type { Core } from '../core.ts'
import { mediaBlob } from './records.ts'

/**
 * The job that erases the bytes of a deleted media item. Content that came back has another blob,
 * unless a page that was read before the deletion brought it back: then the bytes stay.
 */
export function mediaJobs({ records, blobs }: Core): JobHandlers {
  return {
    async 'media-erase'(data) {
      const target = jobFields(data, 'account', 'media', 'blob')
      if (!target) return 'done'
      const present = await records.media.get(target.account, target.media)
      if (!present || mediaBlob(present.value) !== target.blob) await blobs.remove(target.blob)
      return 'done'
    },
  }
}
