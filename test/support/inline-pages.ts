import { createDefaultPageProcessor as createInlinePages } from '../../src/defaults/page-processor.ts'
import type { OpenPageWork, PageProcessor } from '../../src/ports/page-processor.ts'

/**
 * Works on pages here, as a platform does where there are no threads; but each recipe by itself, and without pauses,
 * which a fake clock does not see: what a test lets happen at one time does so.
 */
export function createDefaultPageProcessor(open: OpenPageWork): PageProcessor {
  const alone = (): PageProcessor => createInlinePages(open, () => Promise.resolve())
  return {
    open: (...given) => alone().open(...given),
    openPages: (...given) => alone().openPages(...given),
    close: async () => {},
  }
}
