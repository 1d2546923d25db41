import { createDefaultPageProcessor as createInlinePages } from '../../../src/defaults/page-processor.ts'
import type { OpenPageWork, PageProcessor } from '../../../src/ports/page-processor.ts'
import type { OpenRowWork } from '../../../src/ports/row-work.ts'

/**
 * Processes pages in this thread, like a platform without threads, but each recipe by itself and
 * without pauses, which a fake clock does not see. So the work of one moment is done at that
 * moment.
 */
export function createDefaultPageProcessor(
  open: OpenPageWork,
  openRows: OpenRowWork,
): PageProcessor {
  const alone = (): PageProcessor => createInlinePages(open, openRows, () => Promise.resolve())
  return {
    open: (...args) => alone().open(...args),
    openPages: (...args) => alone().openPages(...args),
    openRows: (...args) => alone().openRows(...args),
    close: async () => {},
  }
}
