import { createDefaultPageProcessor as createInlinePages } from '../../../src/defaults/page-processor.ts'
import type { OpenPageWork, PageProcessor } from '../../../src/ports/page-processor.ts'
import type { OpenRowWork } from '../../../src/ports/row-work.ts'

/**
 * Works on pages here, as a platform does where there are no threads; but each recipe by itself,
 * and without pauses, which a fake clock does not see: what a test lets happen at one time does
 * so.
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
