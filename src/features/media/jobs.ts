import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import type { Core } from '../core.ts'

/**
 * The jobs of media. `media-erase` erases a blob that no record will name again, because its
 * content was deleted, or no page was committed with it. It waits while an unfinished execution may
 * commit a page with these bytes, which then copies them. `execution-media` deletes the items that
 * the rows of an execution name.
 */
export function mediaJobs(core: Core): JobHandlers {
  return {
    async 'media-erase'(data) {
      const target = jobFields(data, 'account', 'media', 'blob')
      if (!target) return 'done'
      const { eraseBlob } = await import('./erase-loose.ts')
      return eraseBlob(core, target)
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
